import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO

/// Codes and short strings (SPEC §25): the node has the rules; here is what waits, and what is remembered.
extension PeerHost {
    func verificationWent(_ event: VerificationEvent, on link: LinkNumber) async {
        if event == .codeAbandoned { return verification.abandoned() }
        guard let peer = registry.peer(on: link) else { return }
        switch event {
        case .codeBurned(.presenter): verification.burn(by: peer, on: link)
        case .codeVerified:
            // A store that cannot be written takes nothing from this link: its verdict has the verification as well.
            try? await remember(peer, by: .oneTimeCode)
            verification.verified(peer, on: link)
        case .comparisonWanted:
            guard let open = registry.openLink(link) else { return }
            open.session.tell(.comparisonWanted(open.member.member))
        case .shortString(let string): verification.compared(string, on: link)
        // The node answers; a typist's code that is burned or void says nothing yet.
        case .codeWanted, .codeBurned(.typist), .codeVoid, .codeAbandoned: break
        }
    }

    private func remember(
        _ peer: PeerID, by verification: KeyVerification
    ) async throws(KnownPeersStoreFailure) {
        // What certificate it shows, trust on first use learns by itself.
        let entry = KnownPeer(name: peer.label, key: peer.key, leafFingerprint: nil)
        try await identity.knownPeers.remember(entry, verifiedBy: verification)
    }

    // MARK: Codes

    func showCode(number: Int) async throws(NodeRequestError) -> DisplayedCode {
        let shown = try await node.perform { (node, now) throws(NodeRequestError) in
            (try node.showCode(number: number, at: now), now)
        }
        let code = DisplayedCode(shown.0, lifetime: shown.0.expiry.duration(since: shown.1), host: self)
        verification.show(code)
        return code
    }

    /// Shows a code no more, unless another one is on the screen by now.
    func hide(_ code: OneTimeCode) async {
        _ = try? await node.perform { (node, now) throws(NodeRequestError) in node.hide(code, at: now) }
    }

    /// Tries a code on a link on which nobody invites, and waits for what comes of it.
    func pair(on link: LinkNumber, with code: OneTimeCode) async throws(MultipeerError) -> PeerID {
        // The presenter may have closed the link before this task hears that the code was right.
        guard let peer = registry.peer(on: link) else { throw .connection(.closed) }
        let outcome = verification.expectTyped(on: link)
        defer { verification.forget(link) }
        do throws(NodeRequestError) {
            try await node.perform { (node, now) throws(NodeRequestError) in
                try node.giveCode(code, on: link, at: now)
            }
        } catch {
            throw .verification(.request(error))
        }
        guard let result = await outcome.next() else { throw .verification(.cancelled) }
        try result.get()
        return peer
    }

    // MARK: Short strings

    func compare(on link: LinkNumber) async throws(MultipeerError) -> ShortAuthenticationString {
        let outcome = verification.expectString(on: link)
        defer { verification.forget(link) }
        do throws(NodeRequestError) {
            try await node.perform { (node, now) throws(NodeRequestError) in
                try node.compareStrings(on: link, at: now)
            }
        } catch {
            throw .verification(.request(error))
        }
        guard let result = await outcome.next() else { throw .verification(.cancelled) }
        return try result.get()
    }

    /// A person has confirmed a short string.
    func confirm(_ peer: PeerID, on link: LinkNumber, in session: SessionCore) async throws(MultipeerError) {
        guard let member = session.member(peer.key), member.link == link else { throw .verification(.notConnected) }
        do throws(KnownPeersStoreFailure) {
            try await remember(peer, by: .shortString)
        } catch {
            throw .verification(.notRemembered(error))
        }
        _ = try? await node.perform { (node, _) throws(NodeRequestError) in node.confirmStrings(on: link) }
        guard let verified = session.verified(peer.key, on: link, by: .shortString) else { return }
        registry.note(verified, on: link)
        await session.takeEvents(of: verified)
        session.tell(.verified(verified.member))
    }
}

extension Node {
    /// Shows a code no more, unless another one is shown by now.
    mutating func hide(_ code: OneTimeCode, at now: Instant) {
        if shownCode?.code == code { hideCode(at: now) }
    }
}
