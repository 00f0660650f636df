import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Sessions of many, as far as one link shows them: the peer may be a member or a guest.
enum Section14 {
    static let cases: [ConformanceCase] = parameters + malformed + places + guests

    // MARK: Parameters of a charter

    private static func parameter(
        _ topic: String, _ title: String, _ parameters: [UInt8], _ code: CloseCode = .malformed
    ) -> ConformanceCase {
        Section8.badInvite(topic, "whose charter has \(title)", "R14.1-1", code, section: "14.1") { play in
            play.invite(
                charter: WireBytes.charter(founder: play.peer.identity.identityKey.rawBytes, parameters: parameters))
        }
    }

    private static let parameters: [ConformanceCase] = [
        parameter("admission-2", "an unknown admission", WireBytes.field(0x02, [2]), .unsupported),
        parameter("admission-empty", "an admission of no bytes", WireBytes.field(0x02, [])),
        parameter("admission-long", "an admission of two bytes", WireBytes.field(0x02, [0, 0])),
        parameter("maximum-1", "maximumMembers 1", WireBytes.field(0x04, [1])),
        parameter("maximum-257", "maximumMembers 257", WireBytes.field(0x04, WireBytes.varint(257))),
        parameter("maximum-trailing", "maximumMembers and a byte behind it", WireBytes.field(0x04, [5, 0])),
        ConformanceCase(
            "14.1-parameters", "INVITE whose charter has both parameters", "R14.1-1", expects: "ACCEPT, and a session",
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            let parameters = WireBytes.field(0x02, [1]) + WireBytes.field(0x04, [2])
            return try play.join(try play.membership(length: 0, parameters: parameters)).and(try play.expectAlive())
        },
    ]

    // MARK: Frames that do not decode

    private static func faulty(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode = .malformed,
        _ frame: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        .poke("14.5-\(topic)", title, requirements, at: .open, code, frame)
    }

    private static let key = [UInt8](repeating: 7, count: 32)

    private static let malformed: [ConformanceCase] = [
        faulty("roster-trailing", "ROSTER with a byte behind its list", "R3.3-2 R14.5-3") {
            (play) throws(Interruption) in
            let entry = try play.entry(play.ownMembership)
            return WireBytes.frame(.roster, WireBytes.vector(entry) + [0])
        },
        faulty("roster-cut", "ROSTER whose entry lacks its last byte", "R14.5-3 R3.3-1") {
            (play) throws(Interruption) in
            WireBytes.roster([Array(try play.entry(play.ownMembership).dropLast())])
        },
        faulty("roster-twice", "ROSTER with two entries of one member", "R14.5-2") { (play) throws(Interruption) in
            let membership = play.ownMembership
            return WireBytes.roster([
                try play.entry(membership), try play.entry(membership, instance: 2),
            ])
        },
        faulty("roster-empty", "ROSTER without entries", "R3.3-1") { _ in WireBytes.roster([]) },
        faulty("roster-presence", "ROSTER whose entry has presence 2", "R14.3-1") { _ in
            WireBytes.roster([
                WireBytes.entryContent(key, presence: 2) + [UInt8](repeating: 0, count: 64)
            ])
        },
        faulty("roster-address", "ROSTER whose entry has an IPv4 address of 5 bytes", "R14.3-1") { _ in
            let address = [1] + WireBytes.vector([UInt8](repeating: 127, count: 5))
            return WireBytes.roster([
                WireBytes.entryContent(key, addresses: address) + [UInt8](repeating: 0, count: 64)
            ])
        },
        faulty("roster-even-field", "ROSTER whose entry has a field of even type", "R14.3-1") { _ in
            WireBytes.roster([
                WireBytes.entryContent(key, fields: WireBytes.evenField) + [UInt8](repeating: 0, count: 64)
            ])
        },
        faulty("summary-twice", "SUMMARY with two items of one member: its fields come first", "R14.5-2 R18-1") { _ in
            let item = key + [1, 0] + key
            return WireBytes.summary(item + item)
        },
        faulty("want-empty", "WANT of nobody: its fields come first", "R3.3-1 R18-1") { _ in WireBytes.want([]) },
        faulty("digest-short", "DIGEST of 31 bytes", "R3.3-1") { _ in WireBytes.frame(.digest, Array(key.dropLast())) },
        faulty(
            "digest-even-field", "DIGEST with an unknown field of even type: its fields come first", "R3.4-3 R18-1",
            .unsupported
        ) { _ in WireBytes.digest(key, fields: WireBytes.evenField) },
        faulty("unite-admission", "UNITE with an admission of 63 bytes", "R14.11-2") { _ in
            WireBytes.unite(WireBytes.charter(founder: key), [], admission: [UInt8](repeating: 1, count: 63))
        },
        faulty("enter-short", "ENTER of 31 bytes", "R3.3-1") { _ in WireBytes.frame(.enter, Array(key.dropLast())) },
    ]

    // MARK: Frames in the wrong place

    private static let places: [ConformanceCase] = [
        .poke(
            "14.5-summary-unasked", "SUMMARY that nobody asked for", "R14.5-4", at: .open, .unexpectedFrame,
            WireBytes.summary()),
        .poke(
            "14.5-want-unasked", "WANT without a SUMMARY of the peer's", "R14.5-4", at: .open, .unexpectedFrame,
            WireBytes.want([key])),
        .poke(
            "14.11-enter-unoffered", "ENTER for which there was no UNITE", "R14.11-6", at: .open, .unexpectedFrame,
            WireBytes.enter(key)),
        .poke(
            "14.5-admit-by-invitee", "ADMIT from the invitee", "R14.5-1", at: .open, .unexpectedFrame, peer: .invites,
            WireBytes.admit([])),
        .poke(
            "14.5-admit-twice", "ADMIT twice", "R14.5-1", at: .open, .unexpectedFrame, peer: .accepts
        ) { (play) throws(Interruption) in
            let admit = try play.admit(play.ownMembership)
            return admit + admit
        },
        .poke("14.5-admit-cut", "ADMIT with a chain of 97 bytes", "R3.3-1", at: .open, .malformed, peer: .accepts) {
            _ in
            WireBytes.admit([UInt8](repeating: 1, count: 97))
        },
        .poke(
            "14.5-admit-even-field", "ADMIT with an unknown field of even type", "R3.4-3", at: .open, .unsupported,
            peer: .accepts
        ) { (play) throws(Interruption) in
            let admission = try play.admission(of: play.peer.script.peerKey ?? [], to: play.ownCharter)
            return WireBytes.admit(admission, fields: WireBytes.evenField)
        },
    ]

    // MARK: Guests

    private static let guests: [ConformanceCase] = [
        ConformanceCase(
            "14.5-member", "The tester is a member: ADMIT, ROSTER with its entry, and DIGEST",
            "R14.5-1 R14.5-4 R14.5-5 R14.6-1", expects: "the frames are acted on, or passed over: the link continues",
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let membership = play.ownMembership
            try play.introduce(membership)
            try play.peer.send(WireBytes.digest(key))
            try play.roundTrip()
            // The greatest entry counts, and one that is not greater is dropped (R14.4-1).
            let newer = try play.entry(membership, instance: 9)
            let older = try play.entry(membership, instance: 8)
            try play.peer.send(WireBytes.roster([newer]) + WireBytes.roster([older]))
            try play.roundTrip()
            return try play.expectAlive()
        },
        ConformanceCase(
            "14.5-message-first", "MESSAGE without a frame of §14 before it", "R14.5-6",
            expects: "it is taken: ACK counts it", peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload(WireBytes.message(Array("no roster yet".utf8)))
            return try play.expectAllAcknowledged()
        },
    ]
}

extension Play {
    /// The session that the tester has founded for its invitation. Only its inviter is a founder, but guests do not judge that.
    var ownMembership: Membership { Membership(charter: ownCharter, chain: []) }

    /// Closes, and expects ACK of all counted frames before the peer's CLOSE (R13.6-1).
    func expectAllAcknowledged() throws(Interruption) -> Evidence {
        let end = try expectAlive()
        return Evidence("ACK \(ledger.acknowledged)").and(try requireAllAcknowledged(end))
    }

    /// Expects that the peer has acknowledged all counted frames.
    func requireAllAcknowledged(_ end: Evidence) throws(Interruption) -> Evidence {
        guard ledger.acknowledged == ledger.framesSent else {
            throw .failed(
                "ACK \(ledger.acknowledged) is the last one before CLOSE, in place of \(ledger.framesSent)")
        }
        return end
    }
}
