import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("A node whose links break, SPEC §13.9")
struct NodeResumingTests {
    private static func send(_ message: [UInt8], _ world: NodeResumingWorld, _ session: SessionID, by side: Int = 0)
        throws
    {
        let outcomes = try world.sides[side].node.send(
            message, to: .members([world.sides[1 - side].key]), in: session, at: world.now)
        for (_, outcome) in outcomes {
            guard case .queued = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test("With a grace time of 0 a link that breaks is a departure, as ever", arguments: [true, false])
    func noGrace(isController: Bool) throws {
        let world = try NodeResumingWorld(grace: .zero, isController: isController)
        let session = try world.open()
        try Self.send([1], world, session)
        world.cut()
        for side in 0..<2 { #expect(world.events(side) == ["connected", "lost"]) }
        #expect(world.sides[0].results == ["1-1 notSent"])
        #expect(world.sides[0].node.book == nil)
    }

    @Test("A link that breaks is made again at once, and nothing is lost", arguments: [true, false], [true, false])
    func continues(isController: Bool, isNoticed: Bool) throws {
        let world = try NodeResumingWorld(grace: .seconds(60), isController: isController)
        let session = try world.open()
        #expect(world.events(0) == ["connected"] && world.events(1) == ["connected"])
        for index in 0..<5 { try Self.send([UInt8(index)], world, session) }
        world.cut(noticedBy: isNoticed ? [0, 1] : [0])
        world.settle()
        #expect(world.sides[1].received == (0..<5).map { [UInt8($0)] })
        #expect(world.events(0) == ["connected", "reconnecting", "connected again"])
        #expect(
            world.events(1)
                == (isNoticed ? ["connected", "reconnecting", "connected again"] : ["connected", "connected again"]))
        try Self.send([9], world, session, by: 1)
        world.settle()
        world.advance(by: .milliseconds(20))
        #expect(world.sides[0].received == [[9]])
        #expect(world.sides[0].results == ["1-5 delivered"] && world.sides[1].results == ["1-1 delivered"])
        for side in 0..<2 {
            let member = world.sides[1 - side].key
            #expect(world.sides[side].node.state(of: member, in: session) == .connected)
            #expect(world.sides[side].node.reconnections.all.isEmpty)
        }
    }

    @Test("What the app sends meanwhile goes out with the link; what it takes counts (R13.5-1)")
    func meanwhile() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        let session = try world.open()
        world.isReachable = false
        world.cut()
        for index in 0..<3 { try Self.send([UInt8(index)], world, session) }
        #expect(world.sides[0].node.state(of: world.sides[1].key, in: session) == .reconnecting)
        world.advance(by: .seconds(5))
        #expect(world.sides[0].results.isEmpty && world.sides[1].received.isEmpty)
        world.isReachable = true
        world.advance(by: .seconds(5))
        #expect(world.sides[1].received == [[0], [1], [2]] && world.sides[0].results == ["1-3 delivered"])
    }

    @Test("Attempts: at once, after 0.25, 0.5 and 1 s, and then every 2 s, each ± 25 % (R13.9-10)")
    func schedule() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        _ = try world.open()
        world.isReachable = false
        let start = world.now
        world.cut()
        world.advance(by: .seconds(59))
        let times = world.sides[0].dials.map { Double($0.nanoseconds - start.nanoseconds) / 1e9 }
        #expect(world.sides[1].dials.isEmpty && times.first == 0)
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        for (pause, usual) in zip(pauses, [0.25, 0.25, 0.5] + [Double](repeating: 2, count: 100)) {
            #expect(pause >= usual * 0.75 - 0.001 && pause <= usual * 1.25 + 0.001)
        }
        #expect(times.count >= 24 && times.count <= 32 && Set(pauses).count > 5)
    }

    @Test("After the grace time the association ends as lost, with its results (R13.9-3, R13.6-3)")
    func graceOver() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        let session = try world.open()
        try Self.send([1], world, session)
        world.isReachable = false
        world.cut()
        try Self.send([2], world, session)
        world.advance(by: .milliseconds(59_999))
        #expect(world.events(0) == ["connected", "reconnecting"] && world.sides[0].results.isEmpty)
        world.advance(by: .milliseconds(1))
        #expect(world.events(0) == ["connected", "reconnecting", "lost"])
        #expect(world.events(1) == ["connected", "reconnecting", "lost"])
        #expect(world.sides[0].results == ["1-2 notSent"] || world.sides[0].results == ["1-1 inDoubt", "2-2 notSent"])
        #expect(world.sides[0].node.state(of: world.sides[1].key, in: session) != .reconnecting)
        // Nothing is tried for it any more.
        let count = world.sides[0].dials.count
        world.advance(by: .seconds(10))
        #expect(world.sides[0].dials.count == count)
    }

    @Test("A peer that has forgotten the association declines, and that ends it (R13.9-3)")
    func forgotten() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        _ = try world.open()
        world.isReachable = false
        world.cut()
        world.sides[1].node.reconnections.all.first?.association.forget()
        world.isReachable = true
        world.advance(by: .seconds(1))
        #expect(world.events(0).prefix(3) == ["connected", "reconnecting", "lost"])
    }

    @Test("The app closes, blocks or leaves meanwhile: the association ends at once (R13.9-3)", arguments: 0..<4)
    func appEnds(how: Int) throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        let session = try world.open()
        world.isReachable = false
        world.cut()
        let (member, now) = (world.sides[1].key, world.now)
        let link = try #require(world.sides[0].node.reconnections.all.first).link
        switch how {
        case 0: world.sides[0].node.close(link, at: now)
        case 1: world.sides[0].node.block(member, at: now)
        case 2: try world.sides[0].node.leave(session, at: now)
        default: world.sides[0].node.disconnect(member, in: session, at: now)
        }
        world.settle()
        #expect(
            world.events(0) == ["connected", "reconnecting", "closed"] && world.sides[0].node.reconnections.all.isEmpty)
        world.isReachable = true
        world.advance(by: .seconds(61))
        #expect(!world.events(1).contains("connected again") && world.events(1).contains("lost"))
    }

    @Test("A member that says that it leaves does not come back (R13.9-3)")
    func left() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        let session = try world.open()
        // Its entry comes, and the link breaks before CLOSE does.
        try world.sides[1].node.leave(session, at: world.now)
        world.carry()
        world.cut()
        #expect(world.events(0).last == "left" || world.events(0).last == "closed")
        #expect(world.sides[0].node.reconnections.all.isEmpty && world.sides[1].node.reconnections.all.isEmpty)
    }

    @Test("An invitation to a peer whose association waits is refused (R8.7-2)")
    func invitation() throws {
        let world = try NodeResumingWorld(grace: .seconds(60))
        let session = try world.open()
        world.isReachable = false
        world.cut()
        let link = world.sides[0].node.opened(expecting: world.sides[1].key, at: world.now)
        #expect(throws: NodeRequestError.alreadyLinked) {
            try world.sides[0].node.invite(
                on: link, to: session, terms: SessionTerms(encryption: .optional), at: world.now)
        }
    }

    @Test("Nothing is lost, doubled or out of order between two nodes", arguments: 0..<20 as Range<UInt64>)
    func property(seed: UInt64) throws {
        let world = try NodeResumingWorld(grace: .seconds(600), isController: seed % 2 == 0, seed: seed)
        let session = try world.open()
        var sent: [[[UInt8]]] = [[], []]
        for _ in 0..<20 {
            for _ in 0..<world.dice.below(10) {
                let side = world.dice.below(2)
                let message =
                    [UInt8](repeating: UInt8(side), count: world.dice.below(4) == 0 ? 100_000 : 20)
                    + [UInt8(truncatingIfNeeded: sent[side].count)]
                try Self.send(message, world, session, by: side)
                sent[side].append(message)
                for _ in 0..<world.dice.below(3) { world.carry(whole: false) }
            }
            world.isReachable = world.dice.below(4) > 0
            world.cut(noticedBy: [[0, 1], [0], [0, 1]][world.dice.below(3)])
            for _ in 0..<world.dice.below(5) { world.carry(whole: false) }
            if world.dice.below(3) == 0 { world.advance(by: .milliseconds(Int64(world.dice.below(6_000)))) }
        }
        world.isReachable = true
        world.advance(by: .seconds(60))
        for side in 0..<2 {
            let isSame = world.sides[1 - side].received == sent[side]
            #expect(isSame, "\(seed): \(world.sides[1 - side].received.count) of \(sent[side].count)")
            #expect(world.sides[side].results.allSatisfy { $0.hasSuffix("delivered") }, "\(seed)")
            #expect(!world.events(side).contains("lost"), "\(seed)")
        }
    }
}
