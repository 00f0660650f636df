import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Encryption policy, SPEC §11")
struct PolicyTests {
    static let preferences = EncryptionPreference.allCases

    /// The table of SPEC §11, by hand.
    static func table(_ inviter: EncryptionPreference, _ invitee: EncryptionPreference) -> EncryptionOutcome? {
        switch (inviter.rawValue, invitee.rawValue) {
        case (0, 0), (0, 1), (1, 0): .readable
        case (1, 1), (1, 2), (2, 1), (2, 2): .encrypted
        default: nil
        }
    }

    @Test("3 × 3, both directions, both suites", arguments: preferences, preferences)
    func everyPair(inviter: EncryptionPreference, invitee: EncryptionPreference) throws {
        for suite in Suite.classical {
            for inviterRole in [LinkRole.initiator, .responder] {
                let terms = SessionTerms(encryption: inviter)
                let pair = TestPair(
                    try Peers.pair(
                        suites: [suite],
                        invitation: inviterRole == .initiator ? OutgoingInvitation(terms: terms) : nil,
                        initiatorScript: .init(terms: SessionTerms(encryption: invitee)),
                        responderScript: .init(terms: SessionTerms(encryption: invitee))))
                if inviterRole == .responder {
                    try pair.pair.responder.link.invite(OutgoingInvitation(terms: terms), at: pair.pair.now)
                }
                pair.pair.run()
                if let outcome = Self.table(inviter, invitee) {
                    #expect(pair.summaries.initiator?.encryption == outcome)
                    #expect(pair.summaries.responder?.encryption == outcome)
                    try Self.checkWire(pair, outcome)
                } else {
                    Self.expectRefused(pair, inviterRole, inviter, invitee)
                }
            }
        }
    }

    private static func expectRefused(
        _ pair: TestPair, _ role: LinkRole, _ inviter: EncryptionPreference, _ invitee: EncryptionPreference
    ) {
        #expect(
            pair.failure(of: role)
                == LinkFailure(
                    stage: .inviting, cause: .incompatible(.encryptionPolicy(local: inviter, remote: invitee))))
        #expect(
            pair.failure(of: role.peer)
                == LinkFailure(
                    stage: .invited, cause: .incompatible(.encryptionPolicy(local: invitee, remote: inviter))))
        #expect(pair.stages == (.closed, .closed))
    }

    /// Payload is on the wire as it is exactly when it is readable; names and file names never are.
    private static func checkWire(_ pair: TestPair, _ outcome: EncryptionOutcome) throws {
        let text = Array("nothing to see here, move along".utf8)
        let (name, content) = (Array("secret-name.txt".utf8), Array("content of the file, forty bytes or so..".utf8))
        try pair.pair.initiator.link.send(text, at: pair.pair.now)
        pair.pair.responder.script.file = content
        _ = try pair.pair.responder.link.offerFile(
            name: "secret-name.txt", size: UInt64(content.count), at: pair.pair.now)
        pair.pair.run()
        #expect(pair.messages(of: .responder) == [text])
        let files = pair.pair.initiator.files
        #expect(files == [content])
        let (sent, received) = (pair.sent(by: .initiator), pair.sent(by: .responder))
        #expect(sent.contains(text) == (outcome == .readable))
        #expect(received.contains(content) == (outcome == .readable))
        for bytes in [sent, received] {
            #expect(!bytes.contains(name) && !bytes.contains(Array("Anna".utf8)) && !bytes.contains(Array("Ben".utf8)))
            #expect(WirePart.parts(of: bytes).contains { $0.kind == .authenticated } == (outcome == .readable))
        }
    }

    @Test("A forged outcome is policy_violation, also if §11 refuses, R8.3-1", arguments: preferences, preferences)
    func forgedOutcome(own: EncryptionPreference, claimed: EncryptionPreference) throws {
        for outcome in EncryptionOutcome.allCases where outcome != Self.table(own, claimed) {
            let duel = try Duels.at(.inviting, honest: .initiator, preference: own)
            try duel.evil.send(accept: Accept(preference: claimed, identityKind: .none, outcome: outcome))
            try duel.exchange()
            expectFailure(duel, .violation(.policyViolation), at: .inviting, told: .policyViolation)
            #expect(duel.evil.payloads(of: .certificates).isEmpty)
        }
    }

    @Test("ACCEPT out of range, R8.3-2")
    func malformedAccept() throws {
        let cases: [([UInt8], LinkFailureCause)] = [
            ([3, 0, 1, 0], malformed(.valueOutOfRange, .preference)),
            ([1, 0, 2, 0], malformed(.valueOutOfRange, .outcome)),
            ([1, 2, 1, 0], .incompatible(.unsupportedField(WireError(.unknownCritical, in: .identityKind)))),
            ([1, 0, 1], malformed(.truncated, .fields)), ([1, 0, 1, 0, 0], malformed(.trailingBytes, .framePayload)),
            ([], malformed(.truncated, .preference)),
        ]
        for (payload, cause) in cases {
            let duel = try Duels.at(.inviting, honest: .responder)
            try Duels.poke(duel, WireBytes.frame(.accept, payload))
            expectFailure(
                duel, cause, at: .inviting, told: LinkFailure(stage: .inviting, cause: cause).expectedCode)
        }
    }

    @Test("The wrong protection on open links, R11-1, R11-2, R12.4-2", arguments: [LinkRole.initiator, .responder])
    func wrongProtection(role: LinkRole) throws {
        let data = WireBytes.message(total: 1, [1])
        let readable: [([UInt8], RecordKind)] = [
            (data, .encrypted), (WireBytes.fileData(1, offset: 0, [1]), .encrypted),
            (WireBytes.frame(.messagePart, [1]), .encrypted), (Close(code: .noError).encoded(), .authenticated),
            (FileOffer(id: 1, size: 1, name: [0x61]).encoded(), .authenticated),
            (WireBytes.frame(.padding), .authenticated), (WireBytes.frame(0x3F), .authenticated),
            (Ready().encoded(), .authenticated), (data + WireBytes.frame(.padding), .authenticated),
        ]
        for (frames, kind) in readable {
            let duel = try Duels.at(.open, honest: role, preference: .none)
            try Duels.poke(duel, frames, as: kind)
            expectFailure(duel, .violation(.wrongProtection), at: .open, told: .wrongProtection)
        }
        // An unknown critical frame is unsupported whatever its record (R6.4-2).
        for kind in [RecordKind.encrypted, .authenticated] {
            let duel = try Duels.at(.open, honest: role, preference: .none)
            try Duels.poke(duel, WireBytes.frame(0x44), as: kind)
            expectFailure(duel, .incompatible(.unsupportedFrame(0x44)), at: .open, told: .unsupported)
        }
        let sound = try Duels.at(.open, honest: role, preference: .none)
        try Duels.poke(sound, data, as: .authenticated)
        try Duels.poke(sound, WireBytes.frame(.padding) + WireBytes.frame(0x3F))
        #expect(sound.messages == [[1]] && sound.stage == .open)
    }

    @Test("A readable record is authenticated: no byte of it can be changed", arguments: Suite.classical)
    func readableTamper(suite: Suite) throws {
        let length = WireBytes.message(total: 9, Array("authentic".utf8)).count + 19
        for offset in 3..<length {
            let pair = TestPair(
                try Peers.openPair(suites: [suite], encryption: .none))
            pair.tamper(with: .initiator) { bytes, start in
                if start == 0, bytes.count == length { bytes[offset] ^= 1 << (offset % 8) }
            }
            try pair.pair.initiator.link.send(Array("authentic".utf8), at: pair.pair.now)
            pair.pair.run()
            #expect(pair.messages(of: .responder).isEmpty)
            #expect(pair.failures.responder?.cause == .violation(.decryptFailed), "\(offset)")
        }
    }

    @Test("Readable payload that crosses an error is no second error, §16.3")
    func readableInFlight() throws {
        let duel = try Duels.at(.open, honest: .responder, preference: .none)
        try duel.evil.send(WireBytes.frame(0x3E))
        try duel.evil.send(WireBytes.message(total: 1, [1]), as: .authenticated)
        try duel.exchange()
        expectFailure(duel, .incompatible(.unsupportedFrame(0x3E)), at: .open, told: .unsupported)
        #expect(duel.stage == .closing && duel.messages.isEmpty)
        let closing = try Duels.at(.open, honest: .responder, preference: .none)
        closing.honest.link.close(.shuttingDown, at: closing.now)
        try Duels.poke(closing, WireBytes.message(total: 1, [1]), as: .authenticated)
        #expect(closing.stage == .closing && closing.end == .finished(unsentMessages: 0))
        try Duels.poke(closing, Close(code: .noError).encoded())
        #expect(closing.isFinished)
    }
}
