@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// Frames of the peer's.
extension Script {
    var peerRole: LinkRole { setting.role.peer }

    /// PROOF by the peer's identity, unless a script wants another.
    func proof(
        role: LinkRole? = nil, hash: [UInt8]? = nil, seed: [UInt8]? = nil
    ) throws -> [UInt8] {
        let identity = try samples.crypto.identity(seed: seed ?? peer.seed)
        let message = VectorAccess.proofMessage(
            role: role ?? peerRole, handshakeHash: try Digest(rawBytes: hash ?? handshakeHash),
            identityKey: identity.identityKey)
        return Wire.frame(.proof, identity.identityKey.rawBytes + (try identity.sign(message.span)))
    }

    func peerInfo(maximumMessage: UInt64 = 4_096, fields: [UInt8] = []) -> [UInt8] {
        Wire.frame(
            .peerInfo, Wire.vector(peer.name) + Wire.varint(maximumMessage) + Wire.vector(fields))
    }

    /// INVITE; remembered as the one that stands.
    func invite(
        preference: UInt8 = 1, identityKind: UInt8 = 0, timeout: UInt64 = 30_000, context: String = "play?",
        fields: [UInt8] = [], session: [UInt8]? = nil
    ) -> [UInt8] {
        let frame = Wire.frame(
            .invite,
            (session ?? peer.session) + [preference, identityKind] + Wire.varint(timeout)
                + Wire.vector(Array(context.utf8)) + Wire.vector(fields))
        invite = frame
        return frame
    }

    /// ACCEPT; remembered.
    func accept(
        preference: UInt8 = 1, identityKind: UInt8 = 0, outcome: UInt8 = 1, fields: [UInt8] = []
    ) -> [UInt8] {
        let frame = Wire.frame(.accept, [preference, identityKind, outcome] + Wire.vector(fields))
        accept = frame
        return frame
    }

    var noCertificates: [UInt8] { Wire.frame(.certificates, [0, 0, 0, 0]) }
    var ready: [UInt8] { Wire.frame(.ready) }
    func close(_ code: UInt64 = 0) -> [UInt8] { Wire.frame(.close, Wire.varint(code)) }
    func decline(_ reason: UInt8, _ detail: [UInt8] = []) -> [UInt8] {
        Wire.frame(.decline, [reason] + Wire.vector(detail))
    }
    func cancel(_ reason: UInt8 = 1) -> [UInt8] { Wire.frame(.cancel, [reason]) }
    func message(_ text: String, total: Int? = nil) -> [UInt8] {
        let data = Array(text.utf8)
        return Wire.frame(.message, Wire.varint(UInt64(total ?? data.count)) + data)
    }
    func part(_ text: String) -> [UInt8] { Wire.frame(.messagePart, Array(text.utf8)) }
    func fileOffer(_ id: UInt64 = 0, size: UInt64 = 5, name: String = "hello.txt") -> [UInt8] {
        Wire.frame(.fileOffer, Wire.varint(id) + Wire.varint(size) + Wire.vector(Array(name.utf8)) + [0])
    }
    func fileAccept(_ id: UInt64 = 0) -> [UInt8] { Wire.frame(.fileAccept, Wire.varint(id)) }
    func fileDone(_ id: UInt64 = 0) -> [UInt8] { Wire.frame(.fileDone, Wire.varint(id)) }
    func fileCancel(_ id: UInt64 = 0, _ reason: UInt8 = 0x82) -> [UInt8] {
        Wire.frame(.fileCancel, Wire.varint(id) + [reason])
    }
    func fileData(_ id: UInt64 = 0, at offset: UInt64 = 0, _ text: String = "hello") -> [UInt8] {
        Wire.frame(.fileData, Wire.varint(id) + Wire.varint(offset) + Array(text.utf8))
    }
    func fileEnd(_ id: UInt64 = 0, of text: String = "hello") -> [UInt8] {
        Wire.frame(.fileEnd, Wire.varint(id) + samples.crypto.sha256(Array(text.utf8)))
    }
    func padding(_ count: Int = 3) -> [UInt8] { Wire.frame(.padding, [UInt8](repeating: 0, count: count)) }

    /// What the peer's certificate key signs on this link.
    func bindingMessage(chain: [[UInt8]], signer: LinkRole? = nil, invite: [UInt8]? = nil) throws -> [UInt8] {
        let (initiator, responder) =
            setting.role == .initiator ? (own.key, peer.key) : (peer.key, own.key)
        return BindingAccess(
            handshakeHash: try Digest(rawBytes: handshakeHash), initiator: try IdentityKey(rawBytes: initiator),
            responder: try IdentityKey(rawBytes: responder), inviter: inviterRole, invite: invite ?? self.invite,
            accept: accept, signer: signer ?? peerRole, chain: Certificates.encode(chain: chain),
            hashing: samples.crypto.provider.hashing
        ).message
    }

    /// Who sent the INVITE that stands: the implementation, unless the peer's is remembered.
    var inviterRole: LinkRole { heardInvite == invite ? setting.role : peerRole }
    private var heardInvite: [UInt8]? {
        heard.first { $0.name == "INVITE" }.map { Wire.frame(.invite, $0.payload) }
    }

    /// CERTIFICATES with a key of the material.
    func certificates(
        _ name: String, signer: LinkRole? = nil, algorithm: Int? = nil, invite: [UInt8]? = nil
    ) throws -> [UInt8] {
        let key = try material.key(name)
        let message = try bindingMessage(chain: key.chain, signer: signer, invite: invite)
        let signature = try material.signature(name, message, crypto: samples.crypto)
        return Wire.frame(
            .certificates,
            Wire.vector(Certificates.encode(chain: key.chain))
                + Wire.u16(UInt16(truncatingIfNeeded: algorithm ?? key.algorithm)) + Wire.vector(signature))
    }
}
