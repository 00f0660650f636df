import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("An association that continues over other links, SPEC §13.9")
struct ResumingTests {
    /// Breaks the link, and lets one peer make another one until an association continues there.
    private static func reconnect(_ world: ResumingWorld, by side: Int) throws {
        world.cut()
        try world.connect(by: side)
        world.settle()
    }

    @Test("Messages, streams and files go on where they were, whoever connects (R13.9-8, R13.9-9)", arguments: [0, 1])
    func continues(by side: Int) throws {
        let world = try ResumingWorld(seed: 1)
        for index in 0..<4 {
            try world.ends[0].peer.link.send([UInt8(index)], at: world.now)
            world.apps[0].sent.append([UInt8(index)])
        }
        // They are given to a transport that loses them.
        _ = world.ends[0].peer.transmit(at: world.now)
        try Self.reconnect(world, by: side)
        #expect(world.apps.map(\.opened) == [2, 2])
        #expect(world.apps[1].received == world.apps[0].sent && world.apps[0].delivered == [1, 2, 3, 4])
        #expect(world.apps.flatMap(\.faults).isEmpty)
        #expect(world.ends.allSatisfy { $0.peer.link.stage == .open })
    }

    @Test("Nothing is lost, doubled or out of order, however links break", arguments: 0..<40 as Range<UInt64>)
    func property(seed: UInt64) throws {
        let world = try ResumingWorld(seed: seed, encryption: seed % 2 == 0 ? .none : .required)
        for _ in 0..<12 {
            for _ in 0..<world.dice.below(12) {
                try world.act()
                if world.dice.below(2) == 0 { world.carry(whole: world.dice.below(3) == 0) }
            }
            for _ in 0..<world.dice.below(4) { world.carry(whole: false) }
            let deaf = world.dice.below(4)
            let side = world.dice.below(2)
            world.cut(unnoticedBy: deaf < 2 && deaf != side ? deaf : nil)
            try world.connect(by: side)
            // The new link may break as well, before RESUMED or after it.
            if world.dice.below(3) == 0 {
                for _ in 0..<world.dice.below(8) { world.carry(whole: false) }
            } else {
                world.settle()
            }
        }
        world.cut()
        try world.connect(by: 0)
        world.settle()
        try check(world, seed)
    }

    private func check(_ world: ResumingWorld, _ seed: UInt64) throws {
        #expect(world.ends.allSatisfy { $0.peer.link.stage == .open }, "\(seed)")
        for side in 0..<2 {
            let (app, other) = (world.apps[side], world.apps[1 - side])
            // Long contents are compared, and not shown.
            func isSame(_ came: [UInt64: [UInt8]], _ gone: [UInt64: [UInt8]]) -> Bool {
                gone.allSatisfy { came[$0.key] ?? [] == $0.value }
            }
            let (messages, streams, files) = (
                other.received == app.sent, isSame(other.read, app.written), isSame(other.files, app.offered)
            )
            #expect(app.faults.isEmpty, "\(seed)")
            #expect(messages && streams && files, "\(seed): \(other.received.count) of \(app.sent.count) messages")
            #expect(app.delivered == Array(1..<UInt64(app.sent.count + 1)), "\(seed)")
            #expect(app.results.allSatisfy { $0 == "delivered" }, "\(seed)")
            #expect(app.deliveredFiles.sorted() == app.offered.keys.sorted(), "\(seed)")
            #expect(other.complete.sorted() == app.offered.keys.sorted(), "\(seed)")
        }
    }

    @Test("An app that closes, another code and an error end the association; its secret is gone (R13.9-1, R13.9-3)")
    func ends() throws {
        for act in [
            { $0.ends[0].peer.link.close(at: $0.now) }, { $0.ends[0].peer.link.close(.shuttingDown, at: $0.now) },
            { $0.ends[0].peer.link.fail(.noRoom, at: $0.now) },
        ] as [(ResumingWorld) -> Void] {
            let world = try ResumingWorld(seed: 3)
            let (one, other) = (try #require(world.association(0)), try #require(world.association(1)))
            try world.ends[1].peer.link.send([1], at: world.now)
            act(world)
            world.settle()
            #expect(one.isOver && other.isOver && !one.isParked && !other.isParked)
            #expect(world.books[0].association(one.name, with: one.peer) == nil)
            let hash = Digest(exactly: [UInt8](repeating: 0, count: 32))
            #expect(try one.makeResume(over: world.ends[0].peer.link.context, handshakeHash: hash) == nil)
        }
    }

    @Test("`silent` and `moved`, sent or received, leave it resumable (R13.9-3)")
    func resumableEnds() throws {
        for code in [CloseCode.moved, .silent] {
            let world = try ResumingWorld(seed: 4)
            try world.ends[1].peer.link.send([1], at: world.now)
            _ = world.ends[1].peer.transmit(at: world.now)
            world.ends[0].peer.link.close(code, at: world.now)
            world.settle()
            // The app's own `silent` is a code like any other.
            #expect(world.ends[1].peer.link.associationEnd == .resumable)
            #expect(world.ends[0].peer.link.associationEnd == (code == .moved ? .resumable : .none))
            #expect(world.apps[1].results.isEmpty)
            guard code == .moved else { continue }
            try world.connect(by: 1)
            world.settle()
            #expect(world.apps[0].received == [[1]] && world.apps[1].delivered == [1])
        }
    }

    @Test("At its end what waits is not sent, and what has gone is in doubt (R13.6-3)")
    func results() throws {
        let world = try ResumingWorld(seed: 5)
        for count in [1, 300_000, 1] {
            try world.ends[0].peer.link.send([UInt8](repeating: 1, count: count), at: world.now)
        }
        _ = world.ends[0].peer.transmit(at: world.now)
        world.cut()
        #expect(world.apps[0].results.isEmpty)
        var effects = EffectQueue()
        try #require(world.association(0)).end(into: &effects)
        var results: [String] = []
        while let effect = effects.next() {
            if case .messages(let range, let result) = effect {
                results.append("\(range.first.number)-\(range.last.number) \(result)")
            }
        }
        #expect(results == ["1-1 inDoubt", "2-3 notSent"])
    }
}

@Suite("RESUME of a peer that breaks rules, SPEC §13.9")
struct ResumeJudgementTests {
    /// An honest responder, and what the evil peer knows of their association.
    private struct Known {
        let book: AssociationBook
        let association: [UInt8]
        let secret: SharedSecret
        let isHonestController: Bool
    }

    private static func open(_ isHonestController: Bool, sending count: Int = 0) throws -> Known {
        let (lesser, greater) = try Peers.seedsByKey()
        let (honest, evil) = isHonestController ? (lesser, greater) : (greater, lesser)
        let duel = try Duels.make(honest: .responder, honestSeed: honest, evilSeed: evil)
        let book = AssociationBook()
        duel.honest.link.attach(book)
        try duel.reach(.open)
        for index in 0..<count { try duel.honest.link.send([UInt8(index)], at: duel.now) }
        try Duels.poke(duel, WireBytes.message([9]))
        func export(_ label: String, _ length: Int) throws -> [UInt8] {
            try duel.evil.export(label: Array("multipeer/1 \(label)".utf8), context: [], length: length)
        }
        let known = Known(
            book: book, association: try export("association", 16),
            secret: try SharedSecret(copying: try export("resume", 32), in: Peers.crypto.secrets),
            isHonestController: isHonestController)
        try duel.cut()
        return known
    }

    /// The second link, on which nobody has asked for anything.
    private static func again(_ known: Known, honest role: LinkRole = .responder) throws -> Duel {
        let (lesser, greater) = try Peers.seedsByKey()
        let (honest, evil) = known.isHonestController ? (lesser, greater) : (greater, lesser)
        let duel = try Duels.make(honest: role, honestSeed: honest, evilSeed: evil) {
            if role == .initiator { $0.expectedPeer = try? Peers.key(evil) }
        }
        duel.honest.link.attach(known.book)
        return duel
    }

    private static func proof(
        _ said: [UInt8], _ known: Known, _ duel: Duel, by role: StreamRole = .initiator
    ) throws -> [UInt8] {
        let secret = known.secret.withBytes { bytes in [UInt8](copying: bytes) }
        return try duel.evil.resumeProof(of: said, by: role, secret: secret)
    }

    private static func resume(
        _ known: Known, _ duel: Duel, epoch: UInt64 = 0, received: UInt64 = 0, files: [FilePosition] = []
    ) throws -> Resume {
        var resume = Resume(association: known.association, epoch: epoch, received: received, files: files)
        resume.proof = try proof(resume.proved, known, duel)
        return resume
    }

    @Test(
        "RESUME that is right gets RESUMED, and then what it lacks (R13.9-5, R13.9-6, R13.9-8)",
        arguments: [true, false])
    func right(isController: Bool) throws {
        let known = try Self.open(isController, sending: 3)
        let duel = try Self.again(known)
        try duel.reach(.identified)
        let before = duel.evil.sentTypes.count
        try Duels.poke(duel, try Self.resume(known, duel, received: 1).encoded())
        #expect(duel.stage == .open && duel.cause == nil)
        #expect(Array(duel.evil.sentTypes.dropFirst(before)) == [.resumed, .message, .message])
        let resumed = try #require(StreamTests.sent(Resumed.self, duel).first)
        #expect(resumed.received == 1 && resumed.files.isEmpty)
        #expect(resumed.proof == (try Self.proof(resumed.proved, known, duel, by: .responder)))
        #expect(MessageLinkTests.results(duel) == ["1-1 delivered"])
        try Duels.poke(duel, Ack(count: 3).encoded())
        #expect(MessageLinkTests.results(duel) == ["1-1 delivered", "2-3 delivered"])
        // The record that holds RESUMED is padded (R6.5-1).
        #expect(duel.evil.frames.first { $0.known == .resumed }?.recordLength == 1_024)
    }

    @Test("An unknown association, one of another peer and a wrong proof get DECLINE of reason 6 alike (R13.9-5)")
    func declined() throws {
        let faults: [(Resume) -> Resume] = [
            { Resume(association: [UInt8](repeating: 1, count: 16), epoch: $0.epoch, received: 0, files: []) },
            { (resume: Resume) in
                var resume = resume
                resume.proof[31] ^= 1
                return resume
            },
        ]
        for fault in faults {
            let known = try Self.open(true, sending: 1)
            let duel = try Self.again(known)
            try duel.reach(.identified)
            try Duels.poke(duel, fault(try Self.resume(known, duel)).encoded())
            #expect(duel.evil.payloads(of: .decline) == [[6, 0, 0]] && duel.evil.closeCode == .noError)
            // The association stays as it was.
            let next = try Self.again(known)
            try next.reach(.identified)
            try Duels.poke(next, try Self.resume(known, next).encoded())
            #expect(next.stage == .open)
        }
        // A peer without memory of any association.
        let stranger = try Duels.at(.identified, honest: .responder)
        let known = try Self.open(true)
        try Duels.poke(stranger, try Self.resume(known, stranger).encoded())
        #expect(stranger.evil.payloads(of: .decline) == [[6, 0, 0]])
    }

    @Test("Epoch, count and files that cannot be are malformed; an old epoch is duplicate_link (R13.9-5, R13.9-9)")
    func faults() throws {
        let cases: [(UInt64, UInt64, [FilePosition], WireField)] = [
            (2, 0, [], .epoch), (0, 4, [], .receivedCount),
            (0, 0, [FilePosition(id: 0, offset: 0)], .filePositions),
            (0, 0, [FilePosition(id: 1, offset: 0)], .filePositions),
        ]
        for (epoch, received, files, field) in cases {
            let known = try Self.open(true, sending: 3)
            let duel = try Self.again(known)
            try duel.reach(.identified)
            try Duels.poke(
                duel, try Self.resume(known, duel, epoch: epoch, received: received, files: files).encoded())
            #expect(duel.cause == malformed(.valueOutOfRange, field))
        }
        // The peer has shown epoch 1, so that one of 0 is old.
        let known = try Self.open(true)
        var duels: [Duel] = []
        for (epoch, isTaken) in [(1, true), (0, false), (2, true)] as [(UInt64, Bool)] {
            let duel = try Self.again(known)
            duels.append(duel)
            try duel.reach(.identified)
            try Duels.poke(duel, try Self.resume(known, duel, epoch: epoch).encoded())
            #expect((duel.stage == .open) == isTaken, "\(epoch)")
            if !isTaken { #expect(duel.evil.closeCode == .duplicateLink) }
        }
    }

    @Test("RESUME that states less than was acknowledged since is late, and no fault (R13.9-5)")
    func late() throws {
        let known = try Self.open(true, sending: 3)
        let answered = try Self.again(known)
        try answered.reach(.identified)
        try Duels.poke(answered, try Self.resume(known, answered, received: 2).encoded())
        #expect(answered.stage == .open)
        // It was on its way when the peer answered a RESUME of its own, so that it has the epoch that was shown since.
        let late = try Self.again(known)
        try late.reach(.identified)
        try Duels.poke(late, try Self.resume(known, late, epoch: 1, received: 1).encoded())
        #expect(late.evil.closeCode == .duplicateLink && answered.stage == .open)
        let next = try Self.again(known)
        try next.reach(.identified)
        try Duels.poke(next, try Self.resume(known, next, epoch: 1, received: 2).encoded())
        #expect(next.stage == .open)
    }

    @Test(
        "A CLOSE that may have crossed RESUMED shows no epoch; a frame of an open link does (R13.9-5)",
        arguments: [0, 1, 2])
    func shown(byWhat kind: Int) throws {
        let known = try Self.open(true)
        let duel = try Self.again(known)
        try duel.reach(.identified)
        try Duels.poke(duel, try Self.resume(known, duel).encoded())
        #expect(duel.stage == .open)
        switch kind {
        case 0: try Duels.poke(duel, Close(code: .silent).encoded())
        case 1: try Duels.poke(duel, WireBytes.ping())
        default: try duel.evil.sendRekey()
        }
        try duel.exchange()
        if kind > 0 { try duel.cut() }
        // The epoch of the lost link again: for a peer that has not shown another one it is no old one.
        let last = try Self.again(known)
        try last.reach(.identified)
        try Duels.poke(last, try Self.resume(known, last).encoded())
        #expect((last.stage == .open) == (kind == 0))
        #expect(last.evil.closeCode == (kind == 0 ? nil : .duplicateLink))
    }

    @Test("RESUMED is judged by its proof first; INVITE and CANCEL that cross are ignored (R13.9-6, R13.9-7)")
    func resumed() throws {
        for isRight in [true, false] {
            let known = try Self.open(true, sending: 2)
            let duel = try Self.again(known, honest: .initiator)
            let association = try #require(
                known.book.association(known.association, with: Peers.key(Peers.seedsByKey().greater)))
            duel.honest.link.resume(association)
            try duel.reach(.identified)
            #expect(duel.stage == .resuming && duel.evil.payloads(of: .resume).count == 1)
            let sent = try #require(StreamTests.sent(Resume.self, duel).first)
            #expect(sent.received == 1 && sent.epoch == 0 && sent.association == known.association)
            #expect(sent.proof == (try Self.proof(sent.proved, known, duel, by: .initiator)))
            try Duels.poke(duel, duel.evil.invitation().encoded() + Cancel(.cancelled).encoded())
            #expect(duel.stage == .resuming && duel.cause == nil)
            var resumed = Resumed(received: isRight ? 1 : 9, files: [])
            resumed.proof = try Self.proof(resumed.proved, known, duel, by: isRight ? .responder : .initiator)
            try Duels.poke(duel, resumed.encoded())
            if isRight {
                #expect(duel.stage == .open && MessageLinkTests.results(duel) == ["1-1 delivered"])
                #expect(duel.evil.payloads(of: .message).count == 1)
            } else {
                #expect(duel.cause == .violation(.proofInvalid) && association.isParked)
            }
        }
    }

    @Test(
        "While the controller's RESUME waits, it closes another link that asks for the same (R13.9-7)",
        arguments: [true, false])
    func crossing(isController: Bool) throws {
        let known = try Self.open(isController)
        let asking = try Self.again(known, honest: .initiator)
        let (lesser, greater) = try Peers.seedsByKey()
        let evil = try Peers.key(isController ? greater : lesser)
        asking.honest.link.resume(try #require(known.book.association(known.association, with: evil)))
        try asking.reach(.identified)
        #expect(asking.stage == .resuming)
        let duel = try Self.again(known)
        try duel.reach(.identified)
        try Duels.poke(duel, try Self.resume(known, duel).encoded())
        #expect((duel.stage == .open) == !isController)
        #expect(duel.evil.closeCode == (isController ? .duplicateLink : nil))
        #expect(asking.honest.link.hasLostAssociation == !isController)
    }

    @Test("RESUME elsewhere, and a second one, are unexpected (§17)")
    func places() throws {
        let known = try Self.open(true)
        let initiator = try Self.again(known, honest: .initiator)
        try initiator.reach(.identified)
        try Duels.poke(initiator, try Self.resume(known, initiator).encoded())
        #expect(initiator.cause == unexpected(.resume))
        let duel = try Self.again(known)
        try duel.reach(.identified)
        try Duels.poke(duel, try Self.resume(known, duel).encoded())
        try Duels.poke(duel, try Self.resume(known, duel).encoded())
        #expect(duel.cause == unexpected(.resume))
    }
}
