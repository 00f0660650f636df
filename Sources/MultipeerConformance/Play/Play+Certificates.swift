import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Certificates and their bindings (SPEC §10).
extension Play {
    /// The certificate that the tester shows.
    var certificate: LocalCertificate? {
        terms.certificate.flatMap {
            cryptography.certificates.indices.contains($0) ? cryptography.certificates[$0] : nil
        }
    }

    /// CERTIFICATES that go with the terms.
    func certificates() throws(Interruption) -> [UInt8] {
        guard terms.certificate != nil else { return WireBytes.certificates() }
        let (chain, algorithm, signature) = try binding()
        return WireBytes.certificates(chain: chain, algorithm: algorithm, signature: signature)
    }

    /// Chain, algorithm and signature, right unless said otherwise.
    func binding(
        of signer: StreamRole? = nil, hash: [UInt8]? = nil
    ) throws(Interruption) -> (chain: [[UInt8]], algorithm: UInt16, signature: [UInt8]) {
        guard let certificate else { throw .skipped("the tester has no certificate of this kind") }
        let chain = certificate.chain.certificates.map(\.der)
        let message = peer.script.bindingMessage(of: signer ?? role, hash: hash, chain: chain)
        let signature = try own { () throws(CryptoFailure) in try certificate.signer.sign(message.span) }
        return (chain, certificate.signer.algorithm.rawValue, signature)
    }

    /// Chooses a certificate by its algorithm.
    func show(_ algorithm: SignatureAlgorithm) throws(Interruption) {
        guard let index = cryptography.certificates.firstIndex(where: { $0.signer.algorithm == algorithm }) else {
            throw .skipped("the tester has no certificate of this kind")
        }
        terms.certificate = index
    }
}
