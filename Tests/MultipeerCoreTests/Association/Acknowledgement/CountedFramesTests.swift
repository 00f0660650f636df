import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// The honest peer has the lesser key, so its numbers are 0, 2, 4 … and the peer's 1, 3, 5 …
@Suite("Counted frames over a link, SPEC §13.6")
struct CountedFramesTests {
    private static func acks(_ duel: Duel) -> [UInt64] { MessageLinkTests.acks(duel) }

    /// A link whose association may outlive it.
    private static func keeping(adjust: (inout LinkConfiguration) -> Void = { _ in }) throws -> Duel {
        let (lesser, greater) = try Peers.seedsByKey()
        let duel = try Duels.make(honest: .responder, honestSeed: lesser, evilSeed: greater, adjust: adjust)
        duel.honest.link.attach(AssociationBook())
        try duel.reach(.open)
        return duel
    }

    /// A link that may send `credit` bytes of messages, to a peer that acknowledges nothing.
    private static func open(credit: UInt64) throws -> Duel {
        let duel = try keeping()
        try Duels.poke(duel, Credit(kind: .messages, limit: credit).encoded())
        return duel
    }

    /// How many counted frames the honest peer has sent.
    private static func counted(_ duel: Duel) -> UInt64 { UInt64(duel.evil.sentTypes.count { $0.isCounted }) }

    @Test("Every counted type counts once, and no other one does (R13.6-1)")
    func types() throws {
        let digest = FileTests.sha256([1])
        let frames: [([UInt8], Bool)] = [
            (WireBytes.message(total: 2, [1]), true), (WireBytes.part([2]), true), (StreamTests.open(1), true),
            (StreamTests.data([1]), true), (StreamTests.end(1), true), (StreamTests.open(3), true),
            (StreamTests.reset(0, 3), true), (StreamTests.stop(0, 1), true),
            (FileOffer(id: 5, size: 1, name: [0x61]).encoded(), true),
            (FileCancel(id: 5, reason: .cancelled).encoded(), true),
            (WireBytes.ping(), false), (WireBytes.frame(.padding, [0]), false),
            (Credit(kind: .offers, limit: 33).encoded(), false),
            (RosterFrame(entries: [Duels.unsignedEntry]).encoded(), false),
            (DigestFrame(digest: digest).encoded(), false),
        ]
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, try Duels.admission(by: duel.evil).encoded())
        var count: UInt64 = 1
        for (frame, isCounted) in frames {
            try Duels.poke(duel, frame)
            try duel.advance(by: .milliseconds(20))
            if isCounted { count += 1 }
            #expect(duel.cause == nil && Self.acks(duel).last == count, "\(frame)")
        }
    }

    @Test("FILE_DATA and FILE_END are not counted; FILE_ACCEPT and FILE_DONE of the answerer are (R13.6-1)")
    func files() throws {
        let duel = try FileTests.receiving(.responder)
        try duel.advance(by: .milliseconds(20))
        #expect(Self.acks(duel) == [1])
        try Duels.poke(duel, FileTests.data(0, FileTests.content) + FileTests.end)
        try duel.advance(by: .milliseconds(20))
        #expect(Self.acks(duel) == [1])
        try duel.honest.link.confirmFile(try FileTests.fileID(duel), at: duel.now)
        try duel.exchange()
        #expect(Self.counted(duel) == 2)
        try Duels.poke(duel, Ack(count: 2).encoded())
        #expect(duel.cause == nil)
        try Duels.poke(duel, Ack(count: 3).encoded())
        #expect(duel.cause == malformed(.valueOutOfRange, .acknowledgedCount))
    }

    @Test("ACK comes with 65,536 bytes of payloads (R13.6-1)")
    func bytes() throws {
        let duel = try StreamTests.opened()
        try duel.advance(by: .milliseconds(20))
        #expect(Self.acks(duel) == [1])
        // The number is one byte of the payload.
        let data = StreamTests.data([UInt8](repeating: 1, count: 16_383))
        for _ in 0..<3 { try Duels.poke(duel, data) }
        #expect(Self.acks(duel) == [1])
        try Duels.poke(duel, data)
        #expect(Self.acks(duel) == [1, 5])
    }

    @Test("A sender keeps 4,096 frames, and then begins nothing; all else goes out, and ACK makes room (R13.9-2)")
    func fullOfFrames() throws {
        let duel = try Self.open(credit: 1_000_000)
        let offered = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
        let stream = try duel.honest.link.openStream(named: "s", credit: 10, at: duel.now)
        for _ in 0..<4_200 { try duel.honest.link.send([7], at: duel.now) }
        try duel.exchange()
        #expect(Self.counted(duel) == 4_096 && duel.evil.payloads(of: .message).count == 4_094)
        // Nothing of these may go out, and what is not counted does.
        try duel.honest.link.write([1, 2, 3], to: stream, at: duel.now)
        let second = try duel.honest.link.openStream(named: "t", credit: 10, at: duel.now)
        try duel.honest.link.write([4], to: second, at: duel.now)
        try duel.honest.link.finishStream(second, at: duel.now)
        try Duels.poke(duel, WireBytes.ping())
        #expect(Self.counted(duel) == 4_096 && duel.evil.payloads(of: .pong).count == 1)
        try duel.honest.link.cancelFile(offered, at: duel.now)
        try duel.exchange()
        #expect(Self.counted(duel) == 4_097 && duel.evil.payloads(of: .fileCancel).count == 1)
        // One more than the bound is kept: with ACK of two there is room for one.
        try Duels.poke(duel, Ack(count: 2).encoded())
        #expect(Self.counted(duel) == 4_098 && duel.evil.payloads(of: .streamOpen).count == 2)
        try Duels.poke(duel, Ack(count: 4_098).encoded())
        #expect(
            duel.evil.payloads(of: .streamData).map(\.last) == [3, 4]
                || duel.evil.payloads(of: .streamData).map(\.last) == [4, 3])
        #expect(duel.evil.payloads(of: .message).count == 4_200)
        #expect(duel.evil.payloads(of: .streamEnd).count == 1 && duel.stage == .open)
        #expect(MessageLinkTests.results(duel) == ["1-4094 delivered"])
    }

    @Test("A sender keeps 1,048,576 bytes: a long message waits for ACK, and continues with it (R13.9-2)")
    func fullOfBytes() throws {
        let duel = try Self.open(credit: 8_000_000)
        try duel.honest.link.send([UInt8](repeating: 7, count: 3_000_000), at: duel.now)
        try duel.exchange()
        func sent() -> Int {
            (duel.evil.payloads(of: .message) + duel.evil.payloads(of: .messagePart)).map(\.count).reduce(0, +)
        }
        #expect(sent() <= 1_048_576 && sent() > 1_000_000)
        for _ in 0..<4 where sent() < 3_000_000 {
            let before = sent()
            try Duels.poke(duel, Ack(count: Self.counted(duel)).encoded())
            #expect(sent() - before <= 1_048_576 && sent() > before)
        }
        #expect(MessageLinkTests.results(duel).isEmpty)
        try Duels.poke(duel, Ack(count: Self.counted(duel)).encoded())
        #expect(MessageLinkTests.results(duel) == ["1-1 delivered"])
    }

    @Test("CREDIT of a stream does not pass its STREAM_OPEN that waits, nor FILE_CANCEL its FILE_OFFER (R13.9-2)")
    func order() throws {
        let duel = try Self.keeping { $0.asksForMemory = true }
        try Duels.poke(duel, Credit(kind: .messages, limit: 1_000_000).encoded())
        for _ in 0..<4_096 { try duel.honest.link.send([], at: duel.now) }
        try duel.exchange()
        #expect(Self.counted(duel) == 4_096)
        _ = try duel.honest.link.openStream(named: "s", credit: 500_000, at: duel.now)
        let file = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
        try duel.exchange()
        while let claim = duel.honest.link.nextBulkClaim() {
            duel.honest.link.grantBulk(claim.count, for: claim, at: duel.now)
        }
        try duel.honest.link.cancelFile(file, at: duel.now)
        try duel.exchange()
        let before = duel.evil.sentTypes.count
        #expect(Self.counted(duel) == 4_096)
        try Duels.poke(duel, Ack(count: 4_096).encoded())
        #expect(Array(duel.evil.sentTypes.dropFirst(before)) == [.streamOpen, .fileOffer, .fileCancel, .credit])
    }

    @Test("A link that drains waits for ACK of what it keeps, and sends all of its messages")
    func draining() throws {
        let duel = try Self.open(credit: 1_000_000)
        for _ in 0..<4_100 { try duel.honest.link.send([], at: duel.now) }
        try duel.exchange()
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.stage == .draining && Self.counted(duel) == 4_096)
        try Duels.poke(duel, Ack(count: 4_096).encoded())
        #expect(duel.stage == .closing && Self.counted(duel) == 4_100 && duel.evil.sentTypes.last == .close)
        try Duels.poke(duel, Ack(count: 4_100).encoded())
        #expect(MessageLinkTests.results(duel) == ["1-4096 delivered", "4097-4100 delivered"])
    }
}
