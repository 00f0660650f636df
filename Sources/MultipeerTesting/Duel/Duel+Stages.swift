import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
public import MultipeerWire

extension Duel {
    /// A place that an honest link can be brought to: the states of SPEC §17, parted where what came before matters.
    public enum Place: String, Sendable, CaseIterable {
        /// Nothing has come.
        case hello
        /// Keys exist.
        case proof
        /// The evil peer proved its key.
        case info
        /// The evil peer said its name.
        case identified
        /// The evil peer invited; the app has the word.
        case invited
        /// The honest peer invited.
        case inviting
        /// Both invited, and the honest peer's invitation wins.
        case invitingCrossed
        /// The honest peer accepted; no CERTIFICATES came.
        case certificatesInvitee
        /// The evil peer accepted; no CERTIFICATES came.
        case certificatesInviter
        /// CERTIFICATES came; no verdict.
        case certificatesAsked
        /// As before, and the evil peer's READY came.
        case certificatesNoted
        /// The honest app accepted; no READY came.
        case certificatesAccepted
        /// The session is open.
        case open
        /// The honest app closed the session.
        case closingSession
        /// The honest peer found an error.
        case closingFailed
        /// CLOSE has come.
        case closed
    }

    /// Brings the honest link to a place, by a peer that behaves so far. Asks nothing of the script: answers are given here.
    public func reach(_ place: Place, preference: EncryptionPreference = .optional) throws {
        let terms = SessionTerms(encryption: preference)
        if place == .hello { return try exchange() }
        try shakeHands()
        if place == .proof { return }
        try evil.send(try evil.proof())
        try exchange()
        if place == .info { return }
        try evil.send(evil.peerInfo())
        try exchange()
        switch place {
        case .hello, .proof, .info, .identified: return
        case .inviting, .invitingCrossed, .certificatesInviter:
            try reachInviting(place, terms)
        case .invited, .certificatesInvitee, .certificatesAsked, .certificatesNoted, .certificatesAccepted, .open,
            .closingSession, .closingFailed, .closed:
            try reachInvited(place, terms)
        }
    }

    /// Hellos of both peers, so that both have keys.
    public func shakeHands(suite: Suite = .chaChaPoly) throws {
        if evil.role == .initiator {
            try evil.sendHello(ScriptedPeer.Offer(suites: [suite.rawValue]))
            try exchange()
        } else {
            try exchange()
            try evil.sendAnswer(ScriptedPeer.Answer(suite: suite.rawValue))
            try exchange()
        }
    }

    private func reachInviting(_ place: Place, _ terms: SessionTerms) throws {
        try honest.link.invite(OutgoingInvitation(terms: terms), at: now)
        try exchange()
        if place == .invitingCrossed {
            let own = evil.invite
            let charter = try evil.ownCharter(winning: false, against: own)
            try evil.send(evil.invitation(charter: charter, sessionKind: .new))
            evil.invite = own
        }
        if place == .certificatesInviter { try accept(terms.encryption) }
        try exchange()
    }

    private func reachInvited(_ place: Place, _ terms: SessionTerms) throws {
        try evil.send(invite: evil.invitation(terms.encryption))
        try exchange()
        guard place != .invited, let token = invitationToken else { return }
        try honest.link.accept(token, with: terms, at: now)
        try exchange()
        if place == .certificatesInvitee { return }
        try evil.send(Certificates.none)
        try exchange()
        if place == .certificatesAsked { return }
        if place != .certificatesAccepted { try evil.send(Ready()) }
        try exchange()
        guard place != .certificatesNoted, let token = judgementToken else { return }
        try honest.link.submitVerdict(.accepted(.unverified), for: token, at: now)
        try exchange()
        switch place {
        case .closingSession: honest.link.close(at: now)
        case .closingFailed: try evil.send(WireBytes.frame(0x3E))
        case .closed: try evil.send(Close(code: .noError))
        default: break
        }
        try exchange()
    }

    /// The evil peer accepts the honest peer's invitation with the same preference.
    public func accept(_ preference: EncryptionPreference, kind: IdentityKind = .none) throws {
        let outcome: EncryptionOutcome = preference == .none ? .readable : .encrypted
        try evil.send(accept: Accept(preference: preference, identityKind: kind, outcome: outcome))
        try exchange()
    }
}
