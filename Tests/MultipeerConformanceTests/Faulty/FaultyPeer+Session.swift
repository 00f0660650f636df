import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// A guest (R14.5-5), which takes no chain; and the chain of the inviter (R14.2-1).
extension FaultyPeer {
    func takeSession(_ type: FrameType, _ payload: [UInt8]) throws {
        switch type {
        case .admit:
            _ = try decode(Admit.self, payload)
            guard script.inviter != role, !association.isAdmitted || has(.takesSecondAdmit) else {
                if has(.takesAnyAdmit) { return }
                throw Failure(code: .unexpectedFrame)
            }
            association.isAdmitted = true
        case .roster:
            if has(.ignoresRosterUnread) { return }
            _ = try decode(RosterFrame.self, payload)
            if has(.refusesRoster) { throw Failure(code: .unexpectedFrame) }
        case .digest: _ = try decode(DigestFrame.self, payload)
        case .summary:
            _ = try decode(Summary.self, payload)
            if !has(.takesSummaryUnasked) { throw Failure(code: .unexpectedFrame) }
        case .unite: _ = try decode(Unite.self, payload)
        case .enter:
            _ = try decode(Enter.self, payload)
            if !has(.takesAnyEnter) { throw Failure(code: .unexpectedFrame) }
        default:
            _ = try decode(Want.self, payload)
            throw Failure(code: .unexpectedFrame)
        }
    }

    /// What is judged of INVITE after its fields (SPEC §8.2). Returns whether it is answered by DECLINE of reason 6.
    func judge(_ invite: Invite) throws -> Bool {
        if invite.sessionKind == .new {
            guard invite.charter.founder == script.peerKey || has(.takesAnyFounder) else {
                throw Failure(code: .malformed)
            }
            return false
        }
        let isMembers = invite.sessionKind == .members && !has(.takesMemberInvite)
        if isMembers, role == .initiator { throw Failure(code: .unexpectedFrame) }
        guard isValid(invite.chain ?? [], in: invite.charter) || has(.takesAnyChain) else {
            throw Failure(code: .entryInvalid)
        }
        return isMembers
    }

    private func isValid(_ chain: [Admission], in charter: Charter) -> Bool {
        guard script.peerKey != charter.founder else { return chain.isEmpty }
        guard let parameters = try? CharterParameters(charter),
            (1...(parameters.admitters == .founder ? 1 : 8)).contains(chain.count),
            chain.last?.admitter == charter.founder
        else { return false }
        let session = script.session(charter.encoded)
        var admitted = script.peerKey ?? []
        for admission in chain {
            let message = SignedBytes.member("multipeer/1 admission", session: session, admitted)
            guard let key = try? IdentityKey(rawBytes: admission.admitter),
                script.crypto.signatures.isValid(admission.signature.span, of: message.span, by: key)
            else { return false }
            admitted = admission.admitter
        }
        return true
    }
}
