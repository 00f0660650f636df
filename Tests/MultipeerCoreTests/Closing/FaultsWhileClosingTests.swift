import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Faults of a peer while the local peer closes, SPEC §16.3 and R12.4-2")
struct FaultsWhileClosingTests {
    static let critical = WireBytes.frame(0x3E)
    static let closed = Close(code: .noError).encoded()

    @Test(
        "After a sent error no second one closes the stream, so that CLOSE survives on its way",
        arguments: [LinkRole.initiator, .responder], [Duel.Place.identified, .certificatesAsked, .open])
    func secondFault(role: LinkRole, place: Duel.Place) throws {
        let duel = try Duels.at(place, honest: role)
        let ready = WireBytes.frame(.ready, [1])
        try Duels.poke(duel, Self.critical + ready + [0x40])
        try Duels.poke(duel, Self.critical)
        #expect(duel.stage == .closing && duel.evil.closeCode == .unsupported)
        // A record that is not allowed: from now on only the end of the stream is awaited.
        try Duels.poke(duel, WireBytes.message(total: 1, [1]), as: .authenticated)
        try Duels.poke(duel, Self.closed)
        #expect(duel.stage == .closing && duel.deadline != nil)
        try duel.advance(by: .seconds(5))
        #expect(duel.isFinished && duel.evil.sentTypes.filter { $0 == .close }.count == 1)
        expectSoundEnd(duel)
    }

    @Test("CLOSE is found after a fault in the same record", arguments: Duels.faults)
    func closeBehindFault(fault: [UInt8]) throws {
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, fault + Self.closed)
        #expect(duel.isFinished)
        expectSoundEnd(duel)
    }

    @Test(
        "On a readable link the kinds of records count after the local CLOSE, R12.4-2",
        arguments: [
            (RecordKind.encrypted, WireBytes.message(total: 1, [1])), (.authenticated, closed),
            (.authenticated, WireBytes.frame(.fileAccept, [0])), (.authenticated, WireBytes.frame(0x3F)),
        ])
    func protection(kind: RecordKind, frame: [UInt8]) throws {
        let duel = try Duels.at(.closingSession, honest: .initiator, preference: .none)
        try Duels.poke(duel, frame, as: kind)
        #expect(duel.failure == LinkFailure(stage: .closing, cause: .violation(.wrongProtection)))
        #expect(duel.isFinished && duel.messages.isEmpty)
    }

    @Test("Frames under the right protection are delivered or ignored, as before")
    func honest() throws {
        let duel = try Duels.at(.closingSession, honest: .initiator, preference: .none)
        try Duels.poke(duel, WireBytes.message(total: 1, [1]), as: .authenticated)
        try Duels.poke(duel, WireBytes.frame(.fileAccept, [0]) + WireBytes.frame(0x3F) + Self.critical + Self.closed)
        #expect(duel.messages == [[1]] && duel.end == .finished(unsentMessages: 0))
    }

    @Test("CLOSE in a record of the wrong kind does not end the wait after an error")
    func closeInTheWrongKind() throws {
        let duel = try Duels.at(.open, honest: .responder, preference: .none)
        try Duels.poke(duel, Self.critical)
        try Duels.poke(duel, Self.closed, as: .authenticated)
        #expect(duel.stage == .closing)
        try Duels.poke(duel, Self.closed)
        #expect(duel.isFinished)
    }
}

extension Duels {
    /// Frames that an open link refuses, each by another of its checks.
    fileprivate static let faults = [
        WireBytes.frame(0x3E), WireBytes.frame(.ready), WireBytes.frame(.message), WireBytes.frame(.fileEnd, [0]),
        WireBytes.frame(.close, []),
    ]
}
