public import MultipeerCrypto
public import MultipeerWire

/// Frames as an honest peer makes them, with every part open to change.
extension ScriptedPeer {
    /// PROOF (SPEC §9.5), an honest one unless said otherwise.
    public func proof(
        role: StreamRole? = nil, by signer: (any IdentitySigner)? = nil, showing key: [UInt8]? = nil,
        hash: [UInt8]? = nil, label: String = "multipeer/1 identity proof"
    ) throws(ScriptedPeerError) -> Proof {
        guard suite != nil else { throw .noKeys }
        let signer = signer ?? identity
        let key = key ?? signer.identityKey.rawBytes
        let message = SignedBytes.proof(role: role ?? self.role, hash: hash ?? handshakeHash, key: key, label: label)
        let signature = try attempt { () throws(CryptoFailure) in try signer.sign(message.span) }
        return Proof(identityKey: key, signature: signature)
    }

    /// Whether the other side's PROOF verifies (R9.5-2), for one of these roles.
    public func isValid(_ proof: Proof, of roles: [StreamRole]? = nil) -> Bool {
        guard let key = try? IdentityKey(rawBytes: proof.identityKey) else { return false }
        return (roles ?? [role.other]).contains { signer in
            let message = SignedBytes.proof(role: signer, hash: handshakeHash, key: proof.identityKey)
            return crypto.signatures.isValid(proof.signature.span, of: message.span, by: key)
        }
    }

    public func peerInfo(name: String = "Eve", maximumMessage: UInt64 = 16_777_216) -> PeerInfo {
        PeerInfo(displayName: Array(name.utf8), maximumMessage: maximumMessage)
    }

    public func invitation(
        _ preference: EncryptionPreference = .optional, kind: IdentityKind = .none, timeout: UInt64 = 30_000,
        context: [UInt8] = [], session: [UInt8] = Array(1...16)
    ) -> Invite {
        Invite(session: session, preference: preference, identityKind: kind, timeout: timeout, context: context)
    }

    /// Sends INVITE and remembers it for the binding.
    public func send(invite frame: Invite) throws(ScriptedPeerError) {
        (invite, inviter) = (frame.encoded(), role)
        try send(frame)
    }

    /// Sends ACCEPT and remembers it for the binding.
    public func send(accept frame: Accept) throws(ScriptedPeerError) {
        accept = frame.encoded()
        try send(frame)
    }

    /// What a leaf's key signs (SPEC §10.3): this side's, or another role's. Needs the other side's PROOF.
    public func bindingMessage(
        of signer: StreamRole? = nil, inviter: StreamRole? = nil, hash: [UInt8]? = nil, chain: [[UInt8]]
    ) -> [UInt8] {
        let (own, theirs) = (identity.identityKey.rawBytes, peerKey ?? [])
        return SignedBytes.Binding(
            hash: hash ?? handshakeHash, initiator: role == .initiator ? own : theirs,
            responder: role == .initiator ? theirs : own, inviter: inviter ?? self.inviter ?? role, invite: invite,
            accept: accept
        ).bytes(signer: signer ?? role, chain: chain, sha256: sha256)
    }

    public func sha256(_ bytes: [UInt8]) -> [UInt8] { NoiseSteps(crypto: crypto).sha256(bytes) }

    // MARK: What the other side sent

    /// The types of all frames that the other side sent.
    public var sentTypes: [FrameType] { frames.compactMap(\.known) }

    /// The payloads of the other side's frames of one type.
    public func payloads(of type: FrameType) -> [[UInt8]] { frames.filter { $0.known == type }.map(\.payload) }

    /// The code of the other side's CLOSE, if it came.
    public var closeCode: CloseCode? {
        guard let payload = payloads(of: .close).first else { return nil }
        return try? Close(payload: payload.span).code
    }
}
