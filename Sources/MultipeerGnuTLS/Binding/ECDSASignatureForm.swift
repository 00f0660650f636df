import MultipeerCertificates

/// Whether a signature is an ECDSA-Sig-Value in DER (RFC 3279 §2.2.3, SPEC §10.3).
///
/// GnuTLS also takes numbers with zeros in front, which are BER. Then one signature would have many forms, and a peer on
/// another library would close a link that this one keeps.
enum ECDSASignatureForm {
    static func isDER(_ signature: Span<UInt8>) -> Bool {
        var file = DERReader(signature.indices.map { signature[$0] })
        do throws(CertificateRejection) {
            var numbers = try file.enter(DERTag.sequence)
            try file.finish()
            for _ in 0..<2 {
                guard try numbers.integerBytes()[0] < 0x80 else { return false }
            }
            try numbers.finish()
            return true
        } catch {
            return false
        }
    }
}
