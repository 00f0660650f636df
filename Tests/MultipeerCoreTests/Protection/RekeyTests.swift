import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("REKEY, SPEC §12.6")
struct RekeyTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("The next key is used after REKEY, in either direction alone, R12.6-1", arguments: roles)
    func nextKey(role: LinkRole) throws {
        for preference in [EncryptionPreference.none, .required] {
            let kind: RecordKind = preference == .none ? .authenticated : .encrypted
            let duel = try Duels.at(.open, honest: role, preference: preference)
            for number in 0..<3 as Range<UInt8> {
                try duel.evil.sendRekey()
                try Duels.poke(duel, WireBytes.message([number]), as: kind)
                try duel.honest.link.rekey(at: duel.now)
                try duel.honest.link.send([number], at: duel.now)
                try duel.exchange()
            }
            #expect(duel.messages == [[0], [1], [2]] && duel.stage == .open)
            #expect(duel.evil.sentTypes.suffix(6) == [.rekey, .message, .rekey, .message, .rekey, .message])
        }
    }

    @Test("The old key opens nothing after REKEY, R12.6-1", arguments: roles)
    func oldKey(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try duel.evil.send(Rekey())
        try Duels.poke(duel, WireBytes.message([1]))
        expectFailure(duel, .violation(.decryptFailed), at: .open, told: .decryptFailed)
    }

    @Test("A frame after REKEY in its record is unexpected, whatever it is, R12.6-2", arguments: roles)
    func behind(role: LinkRole) throws {
        for (frame, type) in [
            (WireBytes.message([1]), FrameType.message.rawValue), (WireBytes.padding(), 1),
            (WireBytes.even, WireBytes.unknownEven),
            (WireBytes.rekey, FrameType.rekey.rawValue), (WireBytes.close(), 0), (WireBytes.frame(.message, []), 0x40),
        ] {
            let duel = try Duels.at(.open, honest: role)
            try Duels.poke(duel, WireBytes.message([7]) + WireBytes.rekey + frame)
            #expect(duel.messages == [[7]])
            expectFailure(duel, .violation(.unexpectedFrame(type)), at: .open, told: .unexpectedFrame)
        }
    }

    @Test("REKEY is not allowed on a link that is not open, R12.6-3", arguments: roles)
    func early(role: LinkRole) throws {
        for place in [
            Duel.Place.proof, .info, .identified, .invited, .inviting, .certificatesInvitee, .certificatesAsked,
            .certificatesNoted, .certificatesAccepted,
        ] {
            let duel = try Duels.at(place, honest: role)
            #expect(throws: RequestError.wrongStage(duel.stage)) { try duel.honest.link.rekey(at: duel.now) }
            try Duels.poke(duel, WireBytes.rekey)
            #expect(duel.cause == unexpected(.rekey), "\(place)")
        }
    }

    @Test("A closing link obeys the first REKEY of a record, whatever else it holds, R12.6-4")
    func whileClosing() throws {
        let frames = [
            WireBytes.rekey, WireBytes.rekey + WireBytes.rekey, WireBytes.frame(.rekey, [9, 9]),
            WireBytes.message([1]) + WireBytes.rekey + WireBytes.padding(),
        ]
        for place in [Duel.Place.closingSession, .closingFailed] {
            for frame in frames {
                let duel = try Duels.at(place, honest: .initiator)
                try Duels.poke(duel, frame)
                try duel.evil.rekeySending()
                try Duels.poke(duel, WireBytes.close())
                #expect(duel.stage == .closed, "\(place)")
                // A link that did not obey would fail here, for want of the key.
                if place == .closingSession { #expect(duel.failure == nil) }
            }
        }
    }

    @Test("REKEY and READY never share a record, because that one is padded, R6.5-1, R12.6-2", arguments: roles)
    func behindReady(role: LinkRole) throws {
        let duel = try Duels.at(.certificatesNoted, honest: role)
        try duel.honest.link.submitVerdict(
            .accepted(.application), for: try #require(duel.judgementToken), at: duel.now)
        try duel.honest.link.rekey(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.suffix(2) == [.ready, .rekey])
        let records = duel.evil.frames.filter { $0.known == .ready || $0.known == .rekey }.map(\.record)
        #expect(records.count == 2 && records[0] != records[1])
        #expect(duel.evil.frames.last?.known == .rekey, "no PADDING after it")
        try Duels.poke(duel, WireBytes.message([1]))
        #expect(duel.messages == [[1]] && duel.stage == .open)
    }

    @Test("A link that opens after ten minutes sends its READY alone, R12.6-5", arguments: roles)
    func lateReady(role: LinkRole) throws {
        let duel = try Duels.at(.identified, honest: role)
        try duel.advance(by: .seconds(50))
        try duel.evil.send(invite: duel.evil.invitation(timeout: 600_000))
        try duel.exchange()
        try duel.advance(by: .seconds(560))
        try duel.honest.link.accept(
            try #require(duel.invitationToken), with: SessionTerms(encryption: .optional), at: duel.now)
        try duel.exchange()
        try Duels.poke(duel, Certificates.none.encoded() + Ready().encoded())
        try duel.honest.link.submitVerdict(
            .accepted(.application), for: try #require(duel.judgementToken), at: duel.now)
        try duel.exchange()
        #expect(duel.stage == .open && duel.evil.sentTypes.last == .ready)
        try duel.honest.link.send([1], at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.suffix(3) == [.ready, .rekey, .message])
    }

    @Test(
        "After ten minutes with one key, REKEY comes before the next frame, and never alone, R12.6-5", arguments: roles)
    func due(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        func send() throws -> [FrameType] {
            let before = duel.evil.sentTypes.count
            try duel.honest.link.send([1], at: duel.now)
            try duel.exchange()
            return Array(duel.evil.sentTypes.dropFirst(before))
        }
        try duel.advance(by: .seconds(599))
        #expect(try send() == [.message])
        try duel.advance(by: .seconds(3_600))
        try duel.exchange()
        #expect(duel.evil.sentTypes.last == .message, "an idle link needs none")
        #expect(try send() == [.rekey, .message] && send() == [.message])
        try duel.advance(by: .seconds(599))
        try duel.honest.link.rekey(at: duel.now)
        try duel.exchange()
        try duel.advance(by: .seconds(599))
        #expect(try send() == [.message], "counted from the last local REKEY")
        try duel.advance(by: .seconds(1))
        let before = duel.evil.sentTypes.count
        _ = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.dropFirst(before) == [.rekey, .fileOffer])
        #expect(duel.evil.frames.suffix(2).map(\.record).max() != duel.evil.frames.suffix(2).map(\.record).min())
    }

    @Test(
        "Frames of a close come before CLOSE, and after REKEY if the key is old, R12.6-5",
        arguments: roles)
    func closing(role: LinkRole) throws {
        for (age, expected): (Int, [FrameType]) in [(599, []), (600, [.rekey])] {
            let duel = try Duels.at(.open, honest: role)
            _ = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
            try duel.exchange()
            try duel.advance(by: .seconds(age))
            let before = duel.evil.sentTypes.count
            duel.honest.link.close(at: duel.now)
            try duel.exchange()
            #expect(Array(duel.evil.sentTypes.dropFirst(before)) == expected + [.fileCancel, .close])
        }
        // Without such a frame CLOSE goes alone.
        let duel = try Duels.at(.open, honest: role)
        try duel.advance(by: .seconds(600))
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.last == .close && !duel.evil.sentTypes.contains(.rekey))
    }
}
