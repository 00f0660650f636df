public import MultipeerCrypto
public import MultipeerWire

/// Frames as an honest peer makes them, with every part open to change.
extension ScriptedPeer {
    /// PROOF (SPEC §9.5), an honest one unless said otherwise.
    public func proof(
        role: StreamRole? = nil, by signer: (any IdentitySigner)? = nil, showing key: [UInt8]? = nil,
        peer: [UInt8]? = nil, hash: [UInt8]? = nil, label: String = "multipeer/1 identity proof"
    ) throws(ScriptedPeerError) -> Proof {
        guard suite != nil else { throw .noKeys }
        let signer = signer ?? identity
        let key = key ?? signer.identityKey.rawBytes
        let message = SignedBytes.proof(
            role: role ?? self.role, hash: hash ?? handshakeHash, key: key, peer: peer ?? peerKey ?? [], label: label)
        let signature = try attempt { () throws(CryptoFailure) in try signer.sign(message.span) }
        return Proof(identityKey: key, signature: signature)
    }

    /// Whether the remote peer's PROOF verifies (R9.5-2), for one of these roles.
    public func isValid(_ proof: Proof, of roles: [StreamRole]? = nil) -> Bool {
        guard let key = try? IdentityKey(rawBytes: proof.identityKey) else { return false }
        return (roles ?? [role.other]).contains { signer in
            let message = SignedBytes.proof(
                role: signer, hash: handshakeHash, key: proof.identityKey, peer: identity.identityKey.rawBytes)
            return crypto.signatures.isValid(proof.signature.span, of: message.span, by: key)
        }
    }

    public func peerInfo(name: String = "Eve", maximumMessage: UInt64 = 16_777_216) -> PeerInfo {
        PeerInfo(displayName: Array(name.utf8), maximumMessage: maximumMessage, features: features)
    }

    /// INVITE, to a new session unless there is a charter. Another kind than a new one has a chain, the founder's empty one
    /// unless said otherwise (R8.2-7).
    public func invitation(
        _ preference: EncryptionPreference = .optional, kind: IdentityKind = .none, timeout: UInt64 = 30_000,
        context: [UInt8] = [], charter: Charter? = nil, sessionKind: SessionKind? = nil, chain: [Admission]? = nil
    ) -> Invite {
        let sessionKind = sessionKind ?? (charter == nil ? .new : .existing)
        return Invite(
            charter: charter ?? ownCharter, sessionKind: sessionKind, preference: preference, identityKind: kind,
            timeout: timeout, context: context, chain: chain ?? (sessionKind == .new ? nil : []))
    }

    /// A session that the scripted peer founded.
    public var ownCharter: Charter { Charter(founder: identity.identityKey.rawBytes, nonce: Array(1...32)) }

    /// REKEY in a record of its own; what follows goes under the next key (SPEC §12.6).
    public func sendRekey() throws(ScriptedPeerError) {
        try send(Rekey())
        try rekeySending()
    }

    /// Replaces the key of what the scripted peer sends.
    public func rekeySending() throws(ScriptedPeerError) {
        guard var cipher = sending else { throw .noKeys }
        try attempt { () throws(CryptoFailure) in try cipher.rekey() }
        sending = cipher
    }

    /// Whether frames that the remote peer sent replace its key.
    func holdsRekey(_ plaintext: [UInt8]) -> Bool {
        var cursor = FrameCursor(plaintext.span)
        do throws(WireError) {
            while let frame = try cursor.next() {
                if frame.type == .rekey { return true }
            }
        } catch {
            // There are no frames after the fault.
        }
        return false
    }

    /// An export of this link (SPEC §9.8). Needs the remote peer's PROOF.
    public func export(label: [UInt8], context: [UInt8], length: Int) throws(ScriptedPeerError) -> [UInt8] {
        let (own, theirs) = (identity.identityKey.rawBytes, peerKey ?? [])
        let (steps, key, hash, role) = (NoiseSteps(crypto: crypto), exporterKey, handshakeHash, role)
        return try attempt { () throws(CryptoFailure) in
            try steps.export(
                key: key, hash: hash, initiator: role == .initiator ? own : theirs,
                responder: role == .initiator ? theirs : own, label: label, context: context, length: length
            ).bytes
        }
    }

    /// What a link that has opened by READY gives for continuing its association over another one (SPEC §13.9). Needs the remote
    /// peer's PROOF.
    public func resumption() throws(ScriptedPeerError) -> (association: [UInt8], secret: [UInt8]) {
        (
            try export(label: Array("multipeer/1 association".utf8), context: [], length: 16),
            try export(label: Array("multipeer/1 resume".utf8), context: [], length: 32)
        )
    }

    /// The proof of RESUME or RESUMED on this link, by one of its peers.
    public func resumeProof(of said: [UInt8], by role: StreamRole, secret: [UInt8]) throws(ScriptedPeerError) -> [UInt8]
    {
        let (steps, hash) = (NoiseSteps(crypto: crypto), handshakeHash)
        return try attempt { () throws(CryptoFailure) in
            try steps.resumeProof(of: said, by: role, hash: hash, secret: secret)
        }
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

    /// What a leaf's key signs (SPEC §10.3): the scripted peer's, or another role's. Needs the remote peer's PROOF.
    public func bindingMessage(
        of signer: StreamRole? = nil, inviter: StreamRole? = nil, hash: [UInt8]? = nil, chain: [[UInt8]]
    ) -> [UInt8] {
        let (own, theirs) = (identity.identityKey.rawBytes, peerKey ?? [])
        return SignedBytes.Binding(
            hash: hash ?? handshakeHash, initiator: role == .initiator ? own : theirs,
            responder: role == .initiator ? theirs : own, initiatorInfo: role == .initiator ? ownInfo : theirInfo,
            responderInfo: role == .initiator ? theirInfo : ownInfo, inviter: inviter ?? self.inviter ?? role,
            invite: invite, accept: accept
        ).bytes(signer: signer ?? role, chain: chain, sha256: sha256)
    }

    public func sha256(_ bytes: [UInt8]) -> [UInt8] { NoiseSteps(crypto: crypto).sha256(bytes) }

    // MARK: What the remote peer sent

    /// The types of all frames that the remote peer sent, PADDING apart.
    public var sentTypes: [FrameType] { frames.compactMap(\.known).filter { $0 != .padding } }

    /// The payloads of the remote peer's frames of one type.
    public func payloads(of type: FrameType) -> [[UInt8]] { frames.filter { $0.known == type }.map(\.payload) }

    /// The code of the remote peer's CLOSE, if it came.
    public var closeCode: CloseCode? {
        guard let payload = payloads(of: .close).first else { return nil }
        return try? Close(payload: payload.span).code
    }
}
