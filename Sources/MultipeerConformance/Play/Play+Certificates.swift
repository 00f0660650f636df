import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// Certificates and their bindings (SPEC §10).
extension Play {
    /// The bytes that a leaf's key signs (SPEC §10.3).
    func bindingMessage(of signer: StreamRole, chain: [[UInt8]], hash: [UInt8]? = nil) -> [UInt8] {
        let (own, other) = (peer.identity.identityKey.rawBytes, peer.peerProof?.identityKey ?? [])
        let keys = role == .initiator ? own + other : other + own
        let transcript = toolbox.sha256(
            (hash ?? peer.handshakeHash) + keys + [(peer.inviter ?? role).byte] + peer.invite + peer.accept)
        return Array("multipeer/1 certificate binding".utf8) + [0, signer.byte] + transcript
            + toolbox.sha256(Craft.chainContent(chain))
    }

    /// The certificate that the tester shows.
    var certificate: LocalCertificate? {
        terms.certificate.flatMap { toolbox.certificates.indices.contains($0) ? toolbox.certificates[$0] : nil }
    }

    /// CERTIFICATES that go with the terms.
    func certificates() throws(Interruption) -> [UInt8] {
        guard terms.certificate != nil else { return Craft.certificates() }
        let (chain, algorithm, signature) = try binding()
        return Craft.certificates(chain: chain, algorithm: algorithm, signature: signature)
    }

    /// Chain, algorithm and signature, right unless said otherwise.
    func binding(
        of signer: StreamRole? = nil, hash: [UInt8]? = nil
    ) throws(Interruption) -> (chain: [[UInt8]], algorithm: UInt16, signature: [UInt8]) {
        guard let certificate else { throw .skipped("the tester has no certificate of this kind") }
        let chain = certificate.chain.certificates.map(\.der)
        let message = bindingMessage(of: signer ?? role, chain: chain, hash: hash)
        let signature = try own { () throws(CryptoFailure) in try certificate.signer.sign(message.span) }
        return (chain, certificate.signer.algorithm.rawValue, signature)
    }

    /// Chooses a certificate by its algorithm.
    func show(_ algorithm: SignatureAlgorithm) throws(Interruption) {
        guard let index = toolbox.certificates.firstIndex(where: { $0.signer.algorithm == algorithm }) else {
            throw .skipped("the tester has no certificate of this kind")
        }
        terms.certificate = index
    }
}
