import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Invitations, SPEC §8.2 to §8.5")
struct InvitationTests {
    static let roles: [LinkRole] = [.initiator, .responder]
    static let optional = SessionTerms(encryption: .optional)

    static func invitations(_ duel: Duel) -> [ReceivedInvitation] {
        duel.effects.compactMap { effect in
            if case .invited(_, let invitation) = effect { invitation } else { nil }
        }
    }

    @Test("INVITE reaches the app unchanged, at the limits of context and timeout", arguments: roles)
    func edges(role: LinkRole) throws {
        for (context, timeout) in [(0, UInt64(1)), (1, 600_000), (16_384, 30_000)] {
            let duel = try Duels.at(.identified, honest: role)
            let bytes = (0..<context).map { UInt8(truncatingIfNeeded: $0) }
            try duel.evil.send(invite: duel.evil.invitation(.required, timeout: timeout, context: bytes))
            try duel.exchange()
            let invitation = try #require(Self.invitations(duel).first)
            #expect(invitation.context == bytes && invitation.timeout == .milliseconds(timeout))
            #expect(invitation.charter == duel.evil.ownCharter && invitation.isNewSession)
            #expect(invitation.session == SessionID(invitation.charter, hashing: Peers.crypto.hashing))
            #expect(invitation.encryption == .required)
            #expect(!invitation.showsCertificate)
            #expect(duel.deadline == duel.now.advanced(by: .milliseconds(timeout)))
        }
    }

    @Test("INVITE out of range, R8.2-1, R8.2-2", arguments: roles)
    func outOfRange(role: LinkRole) throws {
        let sound = InviteBytes.invite
        var cases: [([UInt8], LinkFailureCause)] = [
            (InviteBytes.invite(timeout: [0x00]), malformed(.valueOutOfRange, .timeout)),
            (InviteBytes.invite(timeout: [0x80, 0x09, 0x27, 0xC1]), malformed(.valueOutOfRange, .timeout)),
            (InviteBytes.invite(timeout: [0x40, 0x01]), malformed(.nonMinimalInteger, .timeout)),
            (InviteBytes.invite(context: [UInt8](repeating: 0, count: 16_385)), malformed(.lengthOutOfRange, .context)),
            (InviteBytes.invite(preference: 3), malformed(.valueOutOfRange, .preference)),
            (
                InviteBytes.invite(kind: 2),
                .incompatible(.unsupportedField(WireError(.unknownCritical, in: .identityKind)))
            ),
            (sound + [0], malformed(.trailingBytes, .framePayload)),
        ]
        for length in 0..<sound.count { cases.append((Array(sound.prefix(length)), .truncated)) }
        for (payload, cause) in cases {
            let duel = try Duels.at(.identified, honest: role)
            try Duels.poke(duel, WireBytes.frame(.invite, payload))
            if cause == .truncated {
                guard case .malformed = duel.cause else {
                    Issue.record("a prefix of INVITE decoded: \(payload.count)")
                    continue
                }
            } else {
                expectFailure(
                    duel, cause, at: .identified,
                    told: LinkFailure(stage: .identified, cause: cause).expectedCode)
            }
            #expect(Self.invitations(duel).isEmpty)
        }
    }

    @Test("An app's own invitation out of range is a misuse, and changes nothing")
    func localMisuse() throws {
        let wrong = [
            OutgoingInvitation(terms: Self.optional, context: [UInt8](repeating: 0, count: 16_385)),
            OutgoingInvitation(terms: Self.optional, charter: Charter(founder: [1, 2, 3], nonce: [1])),
            OutgoingInvitation(terms: Self.optional, timeout: .zero),
            OutgoingInvitation(terms: Self.optional, timeout: .microseconds(999)),
            OutgoingInvitation(terms: Self.optional, timeout: .milliseconds(600_001)),
            OutgoingInvitation(terms: Self.optional, timeout: .seconds(-1)),
        ]
        let duel = try Duels.at(.identified, honest: .initiator)
        for invitation in wrong {
            #expect(throws: RequestError.invalidInvitation) { try duel.honest.link.invite(invitation, at: duel.now) }
        }
        #expect(duel.stage == .identified)
        for timeout in [Duration.milliseconds(1), .seconds(600)] {
            let duel = try Duels.at(.identified, honest: .initiator)
            let context = [UInt8](repeating: 5, count: 16_384)
            try duel.honest.link.invite(
                OutgoingInvitation(terms: Self.optional, context: context, timeout: timeout), at: duel.now)
            try duel.exchange()
            let invite = try Invite(decoding: try #require(duel.evil.payloads(of: .invite).first))
            #expect(invite.context == context && .milliseconds(invite.timeout) == timeout)
        }
    }

    @Test("An initiator that expects its peer sends INVITE with PROOF, R8.2-6", arguments: roles)
    func earlyInvitation(role: LinkRole) throws {
        let duel = try Duels.make(honest: role) { $0.expectedPeer = try? Peers.key(2) }
        try duel.honest.link.invite(OutgoingInvitation(terms: Self.optional), at: duel.now)
        #expect(throws: RequestError.wrongStage(.hello)) {
            try duel.honest.link.invite(OutgoingInvitation(terms: Self.optional), at: duel.now)
        }
        try duel.reach(.info)
        #expect(duel.evil.sentTypes == (role == .initiator ? [.proof, .peerInfo, .invite] : [.proof, .peerInfo]))
        if role == .initiator { #expect(Set(duel.evil.frames.map(\.record)) == [0]) }
        #expect(throws: RequestError.wrongStage(.info)) {
            try duel.honest.link.invite(OutgoingInvitation(terms: Self.optional), at: duel.now)
        }
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        #expect(duel.evil.sentTypes == [.proof, .peerInfo, .invite] && duel.stage == .inviting)
        #expect(throws: RequestError.wrongStage(.inviting)) {
            try duel.honest.link.invite(OutgoingInvitation(terms: Self.optional), at: duel.now)
        }
    }

    @Test("An initiator that expects nobody sends INVITE once it knows the peer, R8.2-6", arguments: roles)
    func invitationOfAnyone(role: LinkRole) throws {
        let duel = try Duels.make(honest: role)
        try duel.honest.link.invite(OutgoingInvitation(terms: Self.optional), at: duel.now)
        try duel.reach(.info)
        #expect(duel.evil.sentTypes == [.proof, .peerInfo])
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        #expect(duel.evil.sentTypes == [.proof, .peerInfo, .invite] && duel.stage == .inviting)
    }

    @Test("A new session of another founder is malformed, R8.2-5", arguments: roles)
    func otherFounder(role: LinkRole) throws {
        let other = Charter(founder: Array(1...32), nonce: Array(1...32))
        for place in [Duel.Place.identified, .inviting] {
            let duel = try Duels.at(place, honest: role)
            try duel.evil.send(duel.evil.invitation(charter: other, sessionKind: .new))
            try duel.exchange()
            expectFailure(
                duel, malformed(.valueOutOfRange, .founder), at: duel.failure?.stage ?? .open, told: .malformed)
        }
    }

    @Test("DECLINE with each reason, R8.4-1", arguments: roles)
    func declineReasons(role: LinkRole) throws {
        let cases: [([UInt8], LinkFailureCause)] = [
            ([1, 0, 0], .invitation(.declinedByPeer)), ([2, 0, 0], .invitation(.peerBusy)),
            ([3, 1, 2, 0], .incompatible(.encryptionPolicy(local: .optional, remote: .required))),
            ([3, 1, 0, 0], .incompatible(.encryptionPolicy(local: .optional, remote: .none))),
            ([4, 0, 0], .invitation(.noAnswer)), ([5, 0, 0], .invitation(.declinedByPeer)),
            ([0, 0, 0], .invitation(.declinedByPeer)), ([99, 3, 1, 2, 3, 0], .invitation(.declinedByPeer)),
            ([1, 1, 0], malformed(.trailingBytes, .detail)), ([3, 0], malformed(.truncated, .preference)),
            ([3, 1, 3], malformed(.valueOutOfRange, .preference)), ([3, 2, 1, 1], malformed(.trailingBytes, .detail)),
            ([1], malformed(.truncated, .detail)), ([], malformed(.truncated, .reason)),
            ([99, 0x40, 0x41] + [UInt8](repeating: 0, count: 65), malformed(.lengthOutOfRange, .detail)),
        ]
        for (payload, cause) in cases {
            let duel = try Duels.at(.inviting, honest: role)
            try Duels.poke(duel, WireBytes.frame(.decline, payload))
            let isMalformed = if case .malformed = cause { true } else { false }
            expectFailure(duel, cause, at: .inviting, told: isMalformed ? .malformed : .noError)
            try Duels.poke(duel, Close(code: .noError).encoded())
            #expect(duel.isFinished)
        }
    }

    @Test("The app declines: DECLINE, then CLOSE with no_error, R8.4-3", arguments: roles)
    func appDeclines(role: LinkRole) throws {
        let cases: [(DeclineReason, [UInt8], InvitationEnd)] = [
            (.declined, [1, 0, 0], .declined), (.busy, [2, 0, 0], .declined),
            (.noAnswer, [4, 0, 0], .noAnswer),
        ]
        for (reason, payload, end) in cases {
            let duel = try Duels.at(.invited, honest: role)
            let token = try #require(duel.invitationToken)
            try duel.honest.link.decline(token, reason, at: duel.now)
            #expect(throws: RequestError.staleToken) { try duel.honest.link.decline(token, reason, at: duel.now) }
            try duel.exchange()
            #expect(duel.evil.payloads(of: .decline) == [payload] && duel.evil.closeCode == .noError)
            #expect(duel.end == nil && duel.isOutputFinished)
            // Whatever crosses it is ignored.
            try Duels.poke(duel, Cancel(.cancelled).encoded() + WireBytes.frame(0x3E))
            try Duels.poke(duel, Close(code: .noError).encoded())
            #expect(duel.failure == LinkFailure(stage: .invited, cause: .invitation(end)))
            expectSoundEnd(duel)
        }
    }

    @Test("The link's owner declines unasked what §11 refuses, and states its preference, R8.2-9, R8.4-2")
    func policyDeclines() throws {
        for role in Self.roles {
            let duel = try Duels.at(.invited, honest: role)
            let token = try #require(duel.invitationToken)
            try duel.honest.link.decline(token, .encryptionPolicy(.none), at: duel.now)
            try duel.exchange()
            #expect(duel.evil.payloads(of: .decline) == [[3, 1, 0, 0]] && duel.evil.closeCode == .noError)
            try Duels.poke(duel, Close(code: .noError).encoded())
            guard case .incompatible(.encryptionPolicy(.none, _)) = duel.failure?.cause else {
                Issue.record("\(String(describing: duel.failure))")
                return
            }
        }
    }

    @Test("CANCEL before an answer, and crossing ACCEPT, R8.5-2", arguments: roles)
    func cancelByPeer(role: LinkRole) throws {
        let reasons: [(UInt8, InvitationEnd)] = [
            (1, .withdrawnByPeer), (2, .noAnswer), (0, .withdrawnByPeer), (77, .withdrawnByPeer),
        ]
        for (place, stage) in [(Duel.Place.invited, LinkStage.invited), (.certificatesInvitee, .certificates)] {
            for (reason, end) in reasons {
                let duel = try Duels.at(place, honest: role)
                let frames = WireBytes.cancel(reason) + Close(code: .noError).encoded()
                try Duels.poke(duel, frames)
                expectFailure(duel, .invitation(end), at: stage, told: .noError)
                #expect(duel.isFinished)
                let token = try #require(duel.invitationToken)
                #expect(throws: RequestError.staleToken) {
                    try duel.honest.link.accept(token, with: Self.optional, at: duel.now)
                }
            }
        }
        // After CERTIFICATES the inviter cannot have thought that nobody answered.
        let late = try Duels.at(.certificatesAsked, honest: role)
        try Duels.poke(late, Cancel(.cancelled).encoded())
        expectFailure(late, unexpected(.cancel), at: .certificates, told: .unexpectedFrame)
    }

    @Test("The app cancels; ACCEPT, DECLINE and INVITE that cross it are ignored", arguments: roles)
    func cancelByApp(role: LinkRole) throws {
        let crossing: [[UInt8]] = [
            Accept(preference: .optional, identityKind: .none, outcome: .encrypted).encoded()
                + Certificates.none.encoded(),
            Decline(.declined).encoded(), Decline(.encryptionPolicy(.none)).encoded(), WireBytes.frame(.invite, [1]),
            [],
        ]
        for frames in crossing {
            let duel = try Duels.at(.inviting, honest: role)
            try duel.honest.link.cancelInvitation(at: duel.now)
            #expect(throws: RequestError.wrongStage(.closing)) { try duel.honest.link.cancelInvitation(at: duel.now) }
            try duel.exchange()
            #expect(duel.evil.payloads(of: .cancel) == [[1, 0]] && duel.evil.closeCode == .noError)
            if !frames.isEmpty { try Duels.poke(duel, frames) }
            try Duels.poke(duel, Close(code: .noError).encoded())
            #expect(duel.failure == LinkFailure(stage: .inviting, cause: .invitation(.withdrawn)))
            expectSoundEnd(duel)
        }
    }

    @Test("Without an answer the inviter sends CANCEL of reason 2, the invitee DECLINE of reason 4", arguments: roles)
    func timeouts(role: LinkRole) throws {
        let inviting = try Duels.at(.inviting, honest: role)
        try inviting.advance(by: .milliseconds(29_999))
        #expect(inviting.stage == .inviting)
        try inviting.advance(by: .milliseconds(1))
        #expect(inviting.evil.payloads(of: .cancel) == [[2, 0]] && inviting.evil.closeCode == .noError)
        try Duels.poke(inviting, Close(code: .noError).encoded())
        #expect(inviting.failure == LinkFailure(stage: .inviting, cause: .invitation(.noAnswer)))

        let invited = try Duels.at(.invited, honest: role)
        try invited.advance(by: .milliseconds(29_999))
        #expect(invited.stage == .invited)
        let token = try #require(invited.invitationToken)
        try invited.advance(by: .milliseconds(1))
        #expect(invited.evil.payloads(of: .decline) == [[4, 0, 0]] && invited.evil.closeCode == .noError)
        #expect(throws: RequestError.staleToken) {
            try invited.honest.link.accept(token, with: Self.optional, at: invited.now)
        }
        // The stream ends without CLOSE: why the invitation ended stays the reason.
        try invited.cut()
        #expect(invited.failure == LinkFailure(stage: .invited, cause: .invitation(.noAnswer)))
        expectSoundEnd(invited)
    }

    @Test("An answer at the deadline is late, even if the timer has not fired", arguments: roles)
    func lateAnswer(role: LinkRole) throws {
        let duel = try Duels.at(.invited, honest: role)
        let token = try #require(duel.invitationToken)
        let late = duel.now.advanced(by: .seconds(30))
        #expect(throws: RequestError.staleToken) { try duel.honest.link.accept(token, with: Self.optional, at: late) }
        try duel.exchange()
        #expect(duel.evil.payloads(of: .decline) == [[4, 0, 0]] && duel.evil.payloads(of: .accept).isEmpty)
    }

    @Test("If nobody is expected, INVITE waits for PEER_INFO, and its time begins then, R8.2-6")
    func timeoutFromIdentified() throws {
        let duel = try Duels.make(honest: .initiator)
        let invitation = OutgoingInvitation(terms: Self.optional, timeout: .seconds(3))
        try duel.honest.link.invite(invitation, at: duel.now)
        try duel.reach(.info)
        try duel.advance(by: .seconds(4))
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        #expect(duel.stage == .inviting && duel.evil.payloads(of: .invite).count == 1)
        try duel.advance(by: .milliseconds(2_999))
        #expect(duel.stage == .inviting)
        try duel.advance(by: .milliseconds(1))
        #expect(duel.stage == .closing && duel.evil.payloads(of: .cancel) == [[2, 0]])
    }

    @Test("The time of an early INVITE counts from its sending, once PEER_INFO has come (§8.2)")
    func timeoutFromSending() throws {
        let peer = try Peers.key(2)
        let duel = try Duels.make(honest: .initiator) { $0.expectedPeer = peer }
        let invitation = OutgoingInvitation(terms: Self.optional, timeout: .seconds(3))
        try duel.honest.link.invite(invitation, at: duel.now)
        try duel.reach(.info)
        try duel.advance(by: .seconds(4))
        #expect(duel.stage == .info)  // the handshake deadline applies
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        // It is over already: no deadline lies in the past.
        #expect(duel.stage == .closing && duel.evil.payloads(of: .cancel) == [[2, 0]])
    }
}

/// Payloads that no writer would write.
enum InviteBytes {
    static let invite = invite()

    static func invite(
        preference: UInt8 = 1, kind: UInt8 = 0, timeout: [UInt8] = [0x01], context: [UInt8] = [1, 2]
    ) -> [UInt8] {
        var writer = Writer()
        writer.raw(Array(1...64) + [0, 0, preference, kind] + timeout)
        writer.vector(context)
        writer.raw([2, 2, 0])
        return writer.bytes
    }
}
