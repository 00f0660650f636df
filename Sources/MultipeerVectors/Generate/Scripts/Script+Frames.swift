@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerTesting
internal import MultipeerWire

/// Frames of the peer's.
extension Script {
    var peerRole: LinkRole { setting.role.peer }

    /// PROOF by the peer's identity, unless a script wants another.
    func proof(
        role: LinkRole? = nil, hash: [UInt8]? = nil, seed: [UInt8]? = nil
    ) throws -> [UInt8] {
        let identity = try samples.crypto.identity(seed: seed ?? peer.seed)
        let key = identity.identityKey.rawBytes
        let message = SignedBytes.proof(
            role: (role ?? peerRole).stream, hash: hash ?? handshakeHash, key: key, peer: own.key)
        return WireBytes.proof(key, try identity.sign(message.span))
    }

    /// PEER_INFO; remembered for the binding.
    func peerInfo(
        name: [UInt8]? = nil, maximumMessage: UInt64 = 4_096, features: [UInt16]? = nil, fields: [UInt8] = []
    ) -> [UInt8] {
        peersInfo = WireBytes.peerInfo(
            name: name ?? peer.name, maximumMessage: maximumMessage, features: features ?? setting.peersFeatures,
            fields: fields)
        return peersInfo
    }

    /// A session that the peer founded.
    var peersCharter: [UInt8] { WireBytes.charter(founder: peer.key, nonce: peer.nonce) }

    /// A session of somebody else, and the chain of a key in it, which the founder has admitted.
    func session(of founder: String = "a founder", parameters: [UInt8] = []) throws -> Community {
        try Community(samples: samples, founder: founder, parameters: parameters)
    }

    /// INVITE of the peer to a session that exists, with its chain.
    func invite(to session: Community, sessionKind: UInt8 = 0, timeout: UInt64 = 30_000) throws -> [UInt8] {
        invite(
            timeout: timeout, fields: WireBytes.chainField(try session.chain(of: peer.key, [])),
            charter: session.charter, sessionKind: sessionKind)
    }

    /// INVITE; remembered as the one that wins.
    func invite(
        preference: UInt8 = 1, identityKind: UInt8 = 0, timeout: UInt64 = 30_000, context: String = "play?",
        fields: [UInt8] = [], charter: [UInt8]? = nil, sessionKind: UInt8 = 1
    ) -> [UInt8] {
        invite = WireBytes.invite(
            charter: charter ?? peersCharter, sessionKind: sessionKind, preference: preference,
            identityKind: identityKind, timeout: timeout, context: Array(context.utf8), fields: fields)
        return invite
    }

    /// ACCEPT; remembered.
    func accept(
        preference: UInt8 = 1, identityKind: UInt8 = 0, outcome: UInt8 = 1, fields: [UInt8] = []
    ) -> [UInt8] {
        accept = WireBytes.accept(
            preference: preference, identityKind: identityKind, outcome: outcome, fields: fields)
        return accept
    }

    var noCertificates: [UInt8] { WireBytes.certificates() }
    var ready: [UInt8] { WireBytes.ready }
    var rekey: [UInt8] { WireBytes.rekey }
    func close(_ code: UInt64 = 0) -> [UInt8] { WireBytes.close(code) }
    func decline(_ reason: UInt8, _ detail: [UInt8] = []) -> [UInt8] { WireBytes.decline(reason, detail: detail) }
    func cancel(_ reason: UInt8 = 1) -> [UInt8] { WireBytes.cancel(reason) }
    func message(_ text: String, total: Int? = nil) -> [UInt8] {
        WireBytes.message(Array(text.utf8), total: total.map(UInt64.init))
    }
    func part(_ text: String) -> [UInt8] { WireBytes.part(Array(text.utf8)) }

    /// The number of the peer's file with this index: 0, 1, 2 … in the order of its offers (SPEC §15.3).
    func peersFile(_ index: UInt64) -> UInt64 { 2 * index + (setting.ownKeyIsLesser ? 1 : 0) }
    /// The same for the implementation's files.
    func ownFile(_ index: UInt64) -> UInt64 { 2 * index + (setting.ownKeyIsLesser ? 0 : 1) }

    func fileOffer(_ index: UInt64 = 0, size: UInt64 = 5, name: String = "hello.txt") -> [UInt8] {
        WireBytes.fileOffer(peersFile(index), size: size, name: Array(name.utf8))
    }
    func fileAccept(_ index: UInt64 = 0) -> [UInt8] { WireBytes.fileAccept(ownFile(index)) }
    func fileDone(_ index: UInt64 = 0) -> [UInt8] { WireBytes.fileDone(ownFile(index)) }
    /// Of a file of the peer's.
    func fileCancel(_ index: UInt64 = 0, _ reason: UInt8 = 2) -> [UInt8] {
        WireBytes.fileCancel(peersFile(index), reason: reason)
    }
    /// Of a file of the implementation's.
    func fileRefused(_ index: UInt64 = 0, _ reason: UInt8 = 1) -> [UInt8] {
        WireBytes.fileCancel(ownFile(index), reason: reason)
    }
    func fileData(_ index: UInt64 = 0, at offset: UInt64 = 0, _ text: String = "hello") -> [UInt8] {
        WireBytes.fileData(peersFile(index), offset: offset, Array(text.utf8))
    }
    func fileEnd(_ index: UInt64 = 0, of text: String = "hello") -> [UInt8] {
        WireBytes.fileEnd(peersFile(index), digest: samples.crypto.sha256(Array(text.utf8)))
    }
    func padding(_ count: Int = 3) -> [UInt8] { WireBytes.padding(count, 0) }

    /// What the peer's certificate key signs on this link.
    func bindingMessage(chain: [[UInt8]], signer: LinkRole? = nil, invite: [UInt8]? = nil) -> [UInt8] {
        let keys = setting.role == .initiator ? (own.key, peer.key) : (peer.key, own.key)
        let infos = setting.role == .initiator ? (ownInfo, peersInfo) : (peersInfo, ownInfo)
        return SignedBytes.Binding(
            hash: handshakeHash, initiator: keys.0, responder: keys.1, initiatorInfo: infos.0,
            responderInfo: infos.1, inviter: inviterRole.stream,
            invite: invite ?? self.invite, accept: accept
        ).bytes(signer: (signer ?? peerRole).stream, chain: chain, sha256: samples.crypto.sha256)
    }

    /// The sender of the INVITE that wins: the implementation, unless the peer's is remembered.
    var inviterRole: LinkRole { heardInvite == invite ? setting.role : peerRole }
    private var heardInvite: [UInt8]? {
        heard.first { $0.name == "INVITE" }.map { WireBytes.frame(.invite, $0.payload) }
    }

    /// CERTIFICATES with a key of the material.
    func certificates(
        _ name: String, signer: LinkRole? = nil, algorithm: Int? = nil, invite: [UInt8]? = nil
    ) throws -> [UInt8] {
        let key = try material.key(name)
        let message = bindingMessage(chain: key.chain, signer: signer, invite: invite)
        let signature = try material.signature(name, message, crypto: samples.crypto)
        return WireBytes.certificates(
            chain: key.chain, algorithm: UInt16(truncatingIfNeeded: algorithm ?? key.algorithm), signature: signature)
    }
}
