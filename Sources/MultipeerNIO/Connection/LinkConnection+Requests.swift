public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto

/// The requests and answers of the app; see ``MultipeerCore/Link``. A request that throws changes nothing.
extension LinkConnection {
    // MARK: Invitations

    /// Invites the peer. If the peer is not identified yet, the invitation waits until it is.
    public func invite(_ invitation: OutgoingInvitation) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.invite(invitation, at: now) }
    }

    /// Withdraws the invitation. The link ends.
    public func cancelInvitation() async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.cancelInvitation(at: now) }
    }

    /// Accepts an invitation.
    public func accept(_ token: LinkToken, with terms: SessionTerms) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.accept(token, with: terms, at: now) }
    }

    /// Declines an invitation. The link ends.
    public func decline(_ token: LinkToken, _ reason: DeclineReason = .declined) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.decline(token, reason, at: now) }
    }

    /// Submits the verdict on the peer.
    public func submitVerdict(_ verdict: Verdict, for token: LinkToken) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.submitVerdict(verdict, for: token, at: now) }
    }

    // MARK: Verification

    /// Tries a one-time code that the peer's person has told (`Link.giveCode(_:at:)`). A caller that has several links
    /// burns it for all of them; for the links of a node the node does (`Node.giveCode(_:on:at:)`).
    public func giveCode(_ code: OneTimeCode) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.giveCode(code, at: now) }
    }

    /// Answers the peer's code (`Link.answerCode(_:with:at:)`).
    public func answerCode(_ token: LinkToken, with code: PresentedCode?) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.answerCode(token, with: code, at: now) }
    }

    /// Says that the local person wants to compare short strings (`Link.compareStrings(at:)`).
    public func compareStrings() async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
    }

    // MARK: Keys

    /// Derives bytes that both peers of this link can compute and nobody else
    /// (`Link.export(label:context:length:at:)`). The result is a secret.
    public func export(
        label: [UInt8], context: [UInt8] = [], length: Int
    ) async throws(RequestError) -> [UInt8] {
        try await perform { (link, now) throws(RequestError) in
            try link.export(label: label, context: context, length: length, at: now)
        }
    }

    /// Replaces the key of what the local peer sends (`Link.rekey(at:)`).
    public func rekey() async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.rekey(at: now) }
    }
}
