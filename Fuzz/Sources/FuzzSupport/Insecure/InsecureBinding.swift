public import MultipeerCertificates
import MultipeerCrypto

/// Signs and checks bindings by a sum over the message and the leaf, which is any bytes. INSECURE, and for fuzzing only.
public final class InsecureBinding: BindingSigner, BindingVerifier {
    public let algorithm = SignatureAlgorithm.ed25519
    private let leaf: [UInt8]

    /// For a leaf; a verifier needs none.
    public init(leaf: [UInt8] = []) {
        self.leaf = leaf
    }

    public func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        Self.signature(message, leaf)
    }

    public func verifyBinding(
        _ signature: Span<UInt8>, algorithm: SignatureAlgorithm, over message: Span<UInt8>,
        by chain: UnverifiedCertificateChain
    ) throws(CertificateRejection) -> KeyFingerprint {
        guard algorithm == self.algorithm else { throw .unsupportedKey }
        let expected = Self.signature(message, chain.leaf.der)
        guard signature.count == expected.count, signature.indices.allSatisfy({ signature[$0] == expected[$0] }) else {
            throw .bindingInvalid
        }
        return Self.fingerprint(of: chain.leaf.der)
    }

    /// What ``verifyBinding(_:algorithm:over:by:)`` returns for a leaf.
    public static func fingerprint(of leaf: [UInt8]) -> KeyFingerprint {
        let sum = InsecureSum(of: leaf.span).bytes(Digest.length)
        do { return KeyFingerprint(digest: try Digest(rawBytes: sum)) } catch { fatalError("\(error)") }
    }

    private static func signature(_ message: Span<UInt8>, _ leaf: [UInt8]) -> [UInt8] {
        var sum = InsecureSum(of: message)
        sum.add(leaf.span)
        return sum.bytes(64)
    }
}
