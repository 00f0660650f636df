public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// Frames as an honest peer would make them, with every part open to change.
extension EvilPeer {
    /// Any frame: a type and a payload.
    public static func frame(_ type: UInt64, _ payload: [UInt8] = []) -> [UInt8] {
        var writer = Writer()
        writer.varint(type)
        writer.vector(payload)
        return writer.bytes
    }

    /// Any frame of a registered type.
    public static func frame(_ type: FrameType, _ payload: [UInt8] = []) -> [UInt8] { frame(type.rawValue, payload) }

    /// MESSAGE with any total.
    public static func message(total: UInt64, _ data: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.varint(total)
        writer.raw(data)
        return frame(.message, writer.bytes)
    }

    /// FILE_DATA with any place.
    public static func fileData(id: UInt64, offset: UInt64, _ data: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.varint(id)
        writer.varint(offset)
        writer.raw(data)
        return frame(.fileData, writer.bytes)
    }

    /// PROOF (SPEC §9.5). Unless a test says otherwise it is an honest one.
    public func proof(
        role: LinkRole? = nil, by signer: (any IdentitySigner)? = nil, showing key: IdentityKey? = nil,
        hash: [UInt8]? = nil, label: String = "multipeer/1 identity proof"
    ) throws -> Proof {
        guard let handshakeHash else { throw Trouble.noChannel }
        let signer = signer ?? identity
        let key = (key ?? signer.identityKey).rawBytes
        let message =
            Array(label.utf8) + [0, (role ?? self.role).byte] + (hash ?? handshakeHash.rawBytes) + key
        return Proof(identityKey: key, signature: try signer.sign(message.span))
    }

    /// PEER_INFO.
    public func peerInfo(name: String = "Eve", maximumMessage: UInt64 = 16_777_216) -> PeerInfo {
        PeerInfo(displayName: Array(name.utf8), maximumMessage: maximumMessage)
    }

    /// INVITE.
    public func invitation(
        _ preference: EncryptionPreference = .optional, kind: IdentityKind = .none, timeout: UInt64 = 30_000,
        context: [UInt8] = [], session: [UInt8] = Array(1...16)
    ) -> Invite {
        Invite(session: session, preference: preference, identityKind: kind, timeout: timeout, context: context)
    }

    /// Sends INVITE and remembers it for the binding.
    public func send(invite frame: Invite) throws {
        invite = frame.encoded()
        try send(frame)
    }

    /// Sends ACCEPT and remembers it for the binding.
    public func send(accept frame: Accept) throws {
        accept = frame.encoded()
        try send(frame)
    }

    /// What a leaf's key signs (SPEC §10.3), for either side. `peer` is the honest side's identity key.
    public func bindingMessage(
        of signer: LinkRole, inviter: LinkRole, peer: IdentityKey, chain: [[UInt8]]
    ) throws -> [UInt8] {
        guard let handshakeHash else { throw Trouble.noChannel }
        let (own, other) = (identity.identityKey.rawBytes, peer.rawBytes)
        let keys = role == .initiator ? own + other : other + own
        let transcript = sha256(handshakeHash.rawBytes + keys + [inviter.byte] + invite + accept)
        let encoded = chain.flatMap { der in
            var writer = Writer()
            writer.vector(der)
            return writer.bytes
        }
        return Array("multipeer/1 certificate binding".utf8) + [0, signer.byte] + transcript + sha256(encoded)
    }

    private func sha256(_ bytes: [UInt8]) -> [UInt8] {
        crypto.hashing.hash(bytes.span, [UInt8]().span).rawBytes
    }

    /// The types of all frames that the honest side sent.
    public var sentTypes: [FrameType] { frames.compactMap { FrameType(rawValue: $0.type) } }

    /// The payloads of the honest side's frames of one type.
    public func payloads(of type: FrameType) -> [[UInt8]] {
        frames.filter { $0.type == type.rawValue }.map(\.payload)
    }

    /// The code of the honest side's CLOSE, if it came.
    public var closeCode: CloseCode? {
        guard let payload = payloads(of: .close).first else { return nil }
        return try? Close(payload: payload.span).code
    }
}
