import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Drivers of links that break, SPEC §13.9")
struct ReconnectingTests {
    @Test("What an app has of its first link goes on over the next one", arguments: [true, false], [true, false])
    func continues(isController: Bool, isNoticed: Bool) throws {
        let world = try ReconnectingWorld(isController: isController)
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        anna.send([1])
        world.settle()
        anna.send([2])
        // The second message is sealed and lost.
        while anna.link?.sends.hasAccepted == true { _ = anna.link?.prepareWrite(at: world.now, isWritable: false) }
        world.cut(noticedBy: isNoticed ? [0, 1] : [0])
        anna.send([3])
        ben.send([4])
        world.advance(by: .seconds(1))
        ben.takeEvents()
        anna.takeEvents()
        #expect(ben.received == [[1], [2], [3]] && anna.received == [[4]])
        world.advance(by: .seconds(1))
        #expect(anna.sent.allSatisfy { $0.result == .delivered } && ben.sent.allSatisfy { $0.result == .delivered })
        #expect(anna.heard == ["connected", "reconnecting", "connected again"])
        #expect(
            ben.heard
                == (isNoticed ? ["connected", "reconnecting", "connected again"] : ["connected", "connected again"]))
        #expect(anna.link?.events === anna.events && ben.link?.events === ben.events)
    }

    @Test("Nothing continues after the grace time: what was sent has a result, and the app hears the end once")
    func graceIsOver() throws {
        let world = try ReconnectingWorld(grace: .seconds(5))
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        world.isReachable = false
        world.cut()
        anna.send([1])
        anna.send([2])
        world.advance(by: .seconds(4))
        #expect(anna.heard == ["connected", "reconnecting"] && anna.sent.allSatisfy { $0.result == nil })
        world.advance(by: .seconds(60))
        #expect(anna.heard == ["connected", "reconnecting", "lost"])
        #expect(anna.sent.allSatisfy { $0.result == .notSent })
        #expect(ben.heard == ["connected", "reconnecting", "lost"])
        #expect(throws: SendFailure.self) { try anna.sends?.enqueue([3]) }
    }

    @Test("A message that is sent when the peer has just fallen silent waits for the next link")
    func silent() throws {
        let world = try ReconnectingWorld()
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        world.cut(noticedBy: [])
        world.advance(by: .milliseconds(14_900))
        #expect(anna.heard == ["connected"])
        // The driver does not know of it yet when it finds out.
        anna.send([1])
        world.advance(by: .seconds(5))
        ben.takeEvents()
        #expect(anna.heard == ["connected", "reconnecting", "connected again"] && ben.received == [[1]])
    }

    @Test("RESUME that has no answer for 2 s is tried on another connection", arguments: [true, false])
    func deadPath(isController: Bool) throws {
        let world = try ReconnectingWorld(isController: isController)
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        world.cut()
        world.carry()
        // A connection is there, and nothing that goes over it arrives.
        world.cut(noticedBy: [])
        world.advance(by: .milliseconds(1_900))
        #expect(anna.heard == ["connected", "reconnecting"] && ben.heard == ["connected", "reconnecting"])
        world.advance(by: .seconds(3))
        #expect(anna.heard.last == "connected again" && ben.heard.last == "connected again")
    }

    @Test("Of two connections for one association the first is used, and nobody hears of the other")
    func twoConnections() throws {
        let world = try ReconnectingWorld()
        try world.open()
        world.cut()
        // The first connection is slow, so that there is a second attempt.
        let dials = world.holdDials(for: .seconds(1))
        #expect(dials > 1)
        world.settle()
        for side in world.sides { #expect(side.heard == ["connected", "reconnecting", "connected again"]) }
    }

    @Test("Bytes of a file that were asked for on a lost link are dropped")
    func oldBytes() throws {
        let world = try ReconnectingWorld()
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let link = try #require(anna.link)
        let file = try link.perform(at: world.now) { (link, now) throws(RequestError) in
            try link.offerFile(OutgoingOffer(name: "f", size: UInt64(content.count)), at: now)
        }
        world.settle()
        ben.takeEvents()
        world.settle()
        // The app has read the second chunk, and the link is lost before the first one has arrived.
        let first = try #require(anna.takeWanted(of: file))
        try anna.supply(content, at: first, to: file, now: world.now)
        while anna.link?.prepareWrite(at: world.now, isWritable: true) == true {
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: 65_535) { (output: inout OutputSpan<UInt8>) in
                anna.link?.transmit(into: &output, at: world.now)
            }
        }
        let late = try #require(anna.takeWanted(of: file))
        #expect(late.offset > first.offset)
        world.cut()
        world.advance(by: .seconds(1))
        try anna.supply(content, at: late, to: file, now: world.now)
        while let wanted = anna.takeWanted(of: file) {
            try anna.supply(content, at: wanted, to: file, now: world.now)
            world.settle()
            ben.takeEvents()
            world.advance(by: .milliseconds(50))
        }
        #expect(ben.files[file] == content && ben.completed == [file])
    }

    @Test("What the app has taken of a file counts on the next link, also where the lost one is closed late")
    func lateClose() throws {
        let world = try ReconnectingWorld()
        try world.open()
        let (anna, ben) = (world.sides[0], world.sides[1])
        let content = (0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        anna.offerFile(of: content)
        anna.send([1])
        world.settle()
        ben.takeEvents()
        world.settle()
        // The app takes all that its window holds. Nothing but the time tells the driver so.
        ben.takeEvents()
        let taken = ben.files.values.first?.count ?? 0
        #expect(taken > 0 && taken < content.count && ben.received == [[1]])
        world.cut(lingering: [1])
        world.advance(by: .milliseconds(200))
        world.closeLingering()
        for _ in 0..<100 {
            world.advance(by: .milliseconds(100))
            ben.takeEvents()
        }
        #expect(ben.files.values.first == content && ben.completed.count == 1 && ben.failures == [])
    }

    @Test("Messages, files and streams survive any cuts, whole and in order", arguments: 0..<60 as Range<UInt64>)
    func randomCuts(seed: UInt64) throws {
        let world = try ReconnectingWorld(isController: seed % 2 == 0, seed: seed)
        try world.open()
        var sent: [[[UInt8]]] = [[], []]
        var contents: [[[UInt8]]] = [[], []]
        var streams: [[[UInt8]]] = [[], []]
        for step in 0..<120 {
            let side = world.dice.below(2)
            switch world.dice.below(12) {
            case 0...3:
                let message = [UInt8(step)] + [UInt8](repeating: 7, count: world.dice.below(3_000))
                sent[side].append(message)
                world.sides[side].send(message)
            case 4 where contents[side].count < 3:
                let content = (0..<world.dice.below(300_000) + 1).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ step) }
                contents[side].append(content)
                world.sides[side].offerFile(of: content)
            case 5 where streams[side].count < 3:
                let content = (0..<world.dice.below(60_000) + 1).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ step) }
                streams[side].append(content)
                world.sides[side].openStream(of: content)
            case 6:
                world.cut(
                    noticedBy: [[0, 1], [0], [1]][world.dice.below(3)],
                    lingering: [[], [0], [1], [0, 1]][world.dice.below(4)])
                world.isReachable = world.dice.below(2) == 0
            case 7:
                world.isReachable = true
                world.closeLingering()
            case 8, 9: world.sides[side].takeEvents()
            default: world.advance(by: .milliseconds(Int64(world.dice.below(400))), whole: false)
            }
            for _ in 0..<world.dice.below(4) { world.carry(whole: false) }
        }
        world.isReachable = true
        world.closeLingering()
        for _ in 0..<40 {
            for side in world.sides { side.takeEvents() }
            world.advance(by: .seconds(3))
        }
        for side in 0..<2 {
            let (it, peer) = (world.sides[side], world.sides[1 - side])
            #expect(it.failures == [])
            #expect(
                peer.received.elementsEqual(sent[side]), "\(peer.received.count) of \(sent[side].count) \(peer.heard)")
            #expect(it.sent.allSatisfy { $0.result == .delivered })
            #expect(peer.completed.count == contents[side].count && it.delivered == peer.completed)
            let files = peer.files.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
            #expect(files.elementsEqual(contents[side]))
            #expect(peer.ended.count == streams[side].count)
            let bytes = peer.streams.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
            #expect(bytes.elementsEqual(streams[side]))
            #expect(Set(it.heard).isSubset(of: ["connected", "reconnecting", "connected again"]))
        }
    }
}
