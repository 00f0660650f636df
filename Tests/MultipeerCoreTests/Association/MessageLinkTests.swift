import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Messages, credit, ACK and keep-alive over a link, SPEC §13, §15.1, §16")
struct MessageLinkTests {
    static func message(_ bytes: [UInt8]) -> [UInt8] { WireBytes.message(total: UInt64(bytes.count), bytes) }

    /// What the honest peer has said of its messages.
    static func results(_ duel: Duel) -> [String] {
        duel.effects.compactMap { effect in
            guard case .messages(let range, let result) = effect else { return nil }
            return "\(range.first.number)-\(range.last.number) \(result)"
        }
    }

    static func acks(_ duel: Duel) -> [UInt64] {
        duel.evil.payloads(of: .ack).compactMap { try? Ack(payload: $0.span).count }
    }

    static func credits(_ duel: Duel) -> [Credit] {
        duel.evil.payloads(of: .credit).compactMap { try? Credit(payload: $0.span) }
    }

    @Test("ACK is sent 20 ms after the first frame, with 64 of them, and with 65,536 bytes (R13.6-1)")
    func acknowledging() throws {
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, Self.message([1]))
        try duel.advance(by: .milliseconds(19))
        try Duels.poke(duel, Self.message([2]))
        #expect(Self.acks(duel).isEmpty)
        try duel.advance(by: .milliseconds(1))
        #expect(Self.acks(duel) == [2])
        for index in 0..<64 { try Duels.poke(duel, Self.message([UInt8(index)])) }
        #expect(Self.acks(duel) == [2, 66])
        // The lengths of the messages are 4 and 2 bytes of the payloads.
        try Duels.poke(duel, Self.message([UInt8](repeating: 1, count: 65_000)))
        #expect(Self.acks(duel) == [2, 66])
        try Duels.poke(duel, Self.message([UInt8](repeating: 1, count: 530)))
        #expect(Self.acks(duel) == [2, 66, 68])
        // A part counts as well.
        try Duels.poke(duel, WireBytes.message(total: 3, [1]))
        try duel.advance(by: .seconds(1))
        #expect(Self.acks(duel) == [2, 66, 68, 69])
    }

    @Test("ACK comes before the answering CLOSE, if it acknowledges anything (R13.6-1, R16.1-2)")
    func beforeClose() throws {
        for hasNews in [true, false] {
            let duel = try Duels.at(.open, honest: .responder)
            if hasNews { try Duels.poke(duel, Self.message([1])) }
            let before = duel.evil.sentTypes.count
            try duel.evil.send(Close(code: .noError))
            try duel.exchange()
            #expect(Array(duel.evil.sentTypes.dropFirst(before)) == (hasNews ? [.ack, .close] : [.close]))
        }
        // The app closes: what came is acknowledged as well.
        let duel = try Duels.at(.open, honest: .initiator)
        try Duels.poke(duel, Self.message([1]))
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.suffix(2) == [.ack, .close])
    }

    @Test("Results: delivered by ACK, in doubt without it, not sent without credit (R13.6-3)")
    func results() throws {
        let duel = try Duels.at(.open, honest: .responder)
        for count in [10, 10, 100_000, 200_000, 10] {
            try duel.honest.link.send([UInt8](repeating: 1, count: count), at: duel.now)
        }
        try duel.exchange()
        try Duels.poke(duel, Ack(count: 1).encoded())
        #expect(Self.results(duel) == ["1-1 delivered"])
        try duel.cut()
        #expect(Self.results(duel) == ["1-1 delivered", "2-3 inDoubt", "4-5 notSent"])
        #expect(duel.failure?.cause == .truncated)
        if case .closed = duel.effects.last {} else { Issue.record("the end is not last") }
    }

    @Test("An ACK that does not grow, or exceeds the sent frames, is malformed (R13.6-2)")
    func wrongAcks() throws {
        for acks in [[0], [3], [1, 1], [2, 1]] as [[UInt64]] {
            let duel = try Duels.at(.open, honest: .responder)
            try duel.honest.link.send([1], at: duel.now)
            try duel.honest.link.send([2], at: duel.now)
            try duel.exchange()
            try Duels.poke(duel, acks.flatMap { Ack(count: $0).encoded() })
            expectFailure(
                duel, malformed(.valueOutOfRange, .acknowledgedCount), at: .open, told: .malformed)
        }
    }

    @Test("An overdraft is credit_exceeded, to the byte; the faults of its frame come first (R13.3-1, R18-1)")
    func overdraft() throws {
        let first = Self.message([UInt8](repeating: 1, count: 65_400))
        let fills = [first, first, first].map { $0 }
        let left = 262_144 - 3 * 65_464
        for (excess, isFault) in [(0, false), (1, true)] {
            let duel = try Duels.at(.open, honest: .responder)
            duel.honest.script.takesMessages = false
            for fill in fills { try Duels.poke(duel, fill) }
            let total = left - 64 - 500 + excess
            try Duels.poke(duel, WireBytes.message(total: UInt64(total), [UInt8](repeating: 1, count: total - 1)))
            try Duels.poke(duel, WireBytes.frame(.messagePart, [1]) + Self.message([UInt8](repeating: 1, count: 436)))
            if isFault {
                expectFailure(duel, .violation(.creditExceeded), at: .open, told: .creditExceeded)
            } else {
                #expect(duel.stage == .open && duel.messages.count == 5)
            }
        }
        let duel = try Duels.at(.open, honest: .responder) { $0.maximumMessage = 1_000_000 }
        duel.honest.script.takesMessages = false
        for fill in fills { try Duels.poke(duel, fill) }
        try Duels.poke(duel, Self.message([UInt8](repeating: 1, count: 65_400)) + [])
        #expect(duel.stage == .open)
        try Duels.poke(duel, WireBytes.message(total: 1_000_001, [UInt8](repeating: 1, count: 60_000)))
        expectFailure(duel, .violation(.limitExceeded), at: .open, told: .limitExceeded)
    }

    @Test("The limit rises as the app takes messages, and for a long message in steps (R13.5-2, R13.5-3)")
    func granting() throws {
        let duel = try Duels.at(.open, honest: .responder)
        for _ in 0..<2 { try Duels.poke(duel, Self.message([UInt8](repeating: 1, count: 65_000))) }
        #expect(Self.credits(duel).isEmpty)
        try Duels.poke(duel, Self.message([UInt8](repeating: 1, count: 1_000)))
        #expect(Self.credits(duel) == [Credit(kind: .messages, limit: 262_144 + 2 * 65_064 + 1_064)])
        // 131,192 are used. A message of a million begins.
        try Duels.poke(duel, WireBytes.message(total: 1_000_000, [1]))
        #expect(Self.credits(duel).last?.limit == 131_192 + 64 + 1_000_000)
    }

    @Test("A wider window opens once the app has taken something, and not before (R13.3-1, R13.5-1)")
    func wide() throws {
        let message = Self.message([UInt8](repeating: 1, count: 65_000))
        let duel = try Duels.at(.open, honest: .responder) { $0.messageWindow = 786_432 }
        // Of the wide window less than half is unused at once.
        for _ in 0..<2 { try Duels.poke(duel, message) }
        #expect(Self.credits(duel) == [Credit(kind: .messages, limit: 786_432 + 65_064)])
        // Its app takes nothing: the peer has what is its own by right, and no more.
        let other = try Duels.at(.open, honest: .responder) { $0.messageWindow = 786_432 }
        other.honest.script.takesMessages = false
        for _ in 0..<4 { try Duels.poke(other, message) }
        #expect(Self.credits(other).isEmpty && other.stage == .open)
        try Duels.poke(other, message)
        expectFailure(other, .violation(.creditExceeded), at: .open, told: .creditExceeded)
        // Nobody's window is narrower than the peer may count on.
        let narrow = try Duels.at(.open, honest: .responder) { $0.messageWindow = 0 }
        for _ in 0..<3 { try Duels.poke(narrow, message) }
        #expect(Self.credits(narrow).last?.limit == 262_144 + 3 * 65_064)
    }

    @Test("If the link asks for memory, a fast app's wider window is claimed once (R13.5-4)")
    func claimed() throws {
        let message = Self.message([UInt8](repeating: 1, count: 65_000))
        let duel = try Duels.at(.open, honest: .responder) { ($0.asksForMemory, $0.messageWindow) = (true, 786_432) }
        for _ in 0..<2 { try Duels.poke(duel, message) }
        #expect(Self.claims(duel).isEmpty)
        try Duels.poke(duel, message)
        #expect(Self.credits(duel).last?.limit == 262_144 + 3 * 65_064)
        let claims = Self.claims(duel)
        #expect(claims.map(\.count) == [524_288])
        let claim = try #require(claims.first)
        // There is memory for a part of it.
        duel.honest.link.grantBulk(100_000, for: claim, at: duel.now)
        #expect(duel.honest.link.heldBulkMemory == 100_000)
        // With the second of these half of the window is used.
        for _ in 0..<2 { try Duels.poke(duel, message) }
        #expect(Self.credits(duel).last?.limit == 362_144 + 5 * 65_064)
        #expect(Self.claims(duel).isEmpty)
    }

    /// What the honest link claims of memory beyond what is the peer's by right.
    private static func claims(_ duel: Duel) -> [BulkClaim] {
        var claims: [BulkClaim] = []
        while let claim = duel.honest.link.nextBulkClaim() { claims.append(claim) }
        return claims
    }

    @Test("CREDIT of messages that does not rise is malformed; messages that it allows are sent (R13.4-2)")
    func taking() throws {
        let duel = try Duels.at(.open, honest: .responder)
        try duel.honest.link.send([UInt8](repeating: 1, count: 300_000), at: duel.now)
        try duel.exchange()
        let sent = duel.evil.payloads(of: .messagePart).map(\.count).reduce(0, +)
        try Duels.poke(duel, Credit(kind: .messages, limit: 262_145).encoded())
        #expect(duel.evil.payloads(of: .messagePart).map(\.count).reduce(0, +) == sent + 1)
        try Duels.poke(duel, Credit(kind: .messages, limit: 262_145).encoded())
        expectFailure(duel, malformed(.valueOutOfRange, .creditLimit), at: .open, told: .malformed)
    }

    @Test("A draining link waits for credit as long as anything moves, and reports unsent messages (SPEC §16.4)")
    func draining() throws {
        for credit in [true, false] {
            let duel = try Duels.at(.open, honest: .responder)
            try duel.honest.link.send([UInt8](repeating: 1, count: 300_000), at: duel.now)
            try duel.exchange()
            duel.honest.link.close(at: duel.now)
            try duel.exchange()
            #expect(duel.stage == .draining)
            if credit {
                try duel.advance(by: .seconds(4))
                try Duels.poke(duel, Credit(kind: .messages, limit: 400_000).encoded())
                #expect(duel.stage == .closing && duel.evil.sentTypes.last == .close)
                // ACK still comes while the link closes (R16.1-3).
                let frames = UInt64(duel.evil.sentTypes.count { $0.isCounted })
                try Duels.poke(duel, Ack(count: frames - 1).encoded())
                #expect(Self.results(duel).isEmpty)
                try Duels.poke(duel, Ack(count: frames).encoded())
                #expect(Self.results(duel) == ["1-1 delivered"])
                try Duels.poke(duel, Close(code: .noError).encoded())
                #expect(duel.end == .finished(unsentMessages: 0))
            } else {
                try duel.advance(by: .seconds(6))
                #expect(duel.evil.sentTypes.last == .close)
                try Duels.poke(duel, Close(code: .noError).encoded())
                #expect(duel.end == .finished(unsentMessages: 1) && Self.results(duel) == ["1-1 notSent"])
            }
        }
    }

    @Test("PING is answered; a PONG without a PING is ignored (R13.7-1, R13.7-2)")
    func ping() throws {
        let duel = try Duels.at(.open, honest: .initiator)
        try Duels.poke(duel, Ping(data: Array(1...8)).encoded() + Ping(data: Array(2...9)).encoded())
        #expect(duel.evil.payloads(of: .pong) == [Array(2...9)])
        try Duels.poke(duel, Pong(data: Array(1...8)).encoded())
        #expect(duel.stage == .open && duel.honest.link.roundTrip == nil)
    }

    @Test("A silent peer gets PING after 5 s and fails after 15 s; any record shows life (R13.7-3)")
    func silence() throws {
        let duel = try Duels.at(.open, honest: .responder) { $0.timeouts.keepAlive = KeepAliveTimes() }
        try duel.advance(by: .seconds(9))
        #expect(duel.evil.payloads(of: .ping).count == 1)
        try Duels.poke(duel, WireBytes.frame(.padding, [0]))
        try duel.advance(by: .milliseconds(14_999))
        #expect(duel.stage == .open && duel.evil.payloads(of: .ping).count == 3)
        try duel.advance(by: .milliseconds(1))
        expectFailure(duel, .silent, at: .open, told: .silent)

        let pair = TestPair(
            try Peers.pair(
                adjustInitiator: { $0.timeouts.keepAlive = KeepAliveTimes() },
                adjustResponder: { $0.timeouts.keepAlive = KeepAliveTimes() }))
        pair.pair.run()
        pair.pair.advance(by: .seconds(600))
        #expect(pair.stages.initiator == .open && pair.stages.responder == .open)
        #expect(pair.pair.initiator.link.roundTrip == .zero)
    }

    @Test("On a readable link control frames of the association are encrypted, and messages are not (R11-1)")
    func readable() throws {
        let pair = TestPair(try Peers.openPair(encryption: .none))
        for _ in 0..<100 { try pair.pair.initiator.link.send([UInt8](repeating: 1, count: 5_000), at: pair.pair.now) }
        pair.pair.run()
        #expect(pair.messages(of: .responder).count == 100)
        let delivered = pair.effects(of: .initiator).contains { effect in
            if case .messages(_, .delivered) = effect { true } else { false }
        }
        #expect(delivered)
    }
}

@Suite("Frames of a session on a link without one, SPEC §14.5")
struct GuestTests {
    @Test("ADMIT comes once, from the peer whose INVITE won, and its chain must be valid (R14.5-1)")
    func admit() throws {
        let duel = try Duels.at(.open, honest: .responder)
        let admit = try Duels.admission(by: duel.evil)
        try Duels.poke(duel, admit.encoded())
        #expect(duel.stage == .open)
        try Duels.poke(duel, admit.encoded())
        expectFailure(duel, unexpected(.admit), at: .open, told: .unexpectedFrame)

        let forged = try Duels.at(.open, honest: .responder)
        try Duels.poke(forged, Admit(chain: []).encoded())
        expectFailure(forged, .violation(.entryInvalid), at: .open, told: .entryInvalid)

        // The honest peer invited.
        let invited = try Duels.at(.certificatesInviter, honest: .responder)
        try invited.evil.send(Certificates.none)
        try invited.exchange()
        try invited.evil.send(Ready())
        let token = try #require(invited.judgementToken)
        try invited.honest.link.submitVerdict(.accepted(.unverified), for: token, at: invited.now)
        try invited.exchange()
        #expect(invited.stage == .open)
        try Duels.poke(invited, try Duels.admission(by: invited.evil).encoded())
        expectFailure(invited, unexpected(.admit), at: .open, told: .unexpectedFrame)
    }

    @Test("A guest ignores ROSTER and DIGEST once they are decoded; it requested nothing (R14.5-4, R14.5-5)")
    func ignored() throws {
        let duel = try Duels.at(.open, honest: .initiator)
        try Duels.poke(duel, RosterFrame(entries: [Duels.unsignedEntry]).encoded())
        try Duels.poke(duel, DigestFrame(digest: [UInt8](repeating: 3, count: 32)).encoded())
        #expect(duel.stage == .open && duel.evil.payloads(of: .summary).isEmpty)
        try Duels.poke(duel, WireBytes.frame(.roster, [0]))
        expectFailure(duel, malformed(.lengthOutOfRange, .entries), at: .open, told: .malformed)
        for (frame, type) in [
            (Summary(items: []).encoded(), FrameType.summary),
            (Want(members: [[UInt8](repeating: 1, count: 32)]).encoded(), .want),
        ] {
            let duel = try Duels.at(.open, honest: .responder)
            try Duels.poke(duel, frame)
            expectFailure(duel, unexpected(type), at: .open, told: .unexpectedFrame)
        }
    }
}
