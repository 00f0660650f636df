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

    /// Returns the CERTIFICATES frame that the terms ask for.
    func certificates() throws(Interruption) -> [UInt8] {
        guard terms.certificate != nil else { return WireBytes.certificates() }
        return try binding().frame
    }

    /// Returns chain, algorithm and signature. They are right by default.
    func binding(
        of signer: StreamRole? = nil, hash: [UInt8]? = nil
    ) throws(Interruption) -> Binding {
        guard let certificate else { throw .skipped("the tester has no certificate of this kind") }
        let chain = certificate.chain.certificates.map(\.der)
        let message = peer.script.bindingMessage(of: signer ?? role, hash: hash, chain: chain)
        let signature = try own { () throws(CryptoFailure) in try certificate.signer.sign(message.span) }
        return Binding(chain: chain, algorithm: certificate.signer.algorithm.rawValue, signature: signature)
    }

    /// Chooses a certificate by its algorithm.
    func show(_ algorithm: SignatureAlgorithm) throws(Interruption) {
        guard let index = cryptography.certificates.firstIndex(where: { $0.signer.algorithm == algorithm }) else {
            throw .skipped("the tester has no certificate of this kind")
        }
        terms.certificate = index
    }
}

/// What CERTIFICATES holds.
struct Binding {
    var chain: [[UInt8]]
    var algorithm: UInt16
    var signature: [UInt8]

    var frame: [UInt8] { WireBytes.certificates(chain: chain, algorithm: algorithm, signature: signature) }
}
