public import MultipeerCertificates
public import MultipeerCrypto
import Synchronization

/// Signs bindings with a leaf's private key, held by GnuTLS.
///
/// GnuTLS keeps the key in ordinary memory (not locked against swapping) and wipes it when this object goes.
public final class GnuTLSBindingSigner: BindingSigner {
    public let algorithm: SignatureAlgorithm
    /// GnuTLS does not promise that two threads may sign with one key.
    private let key: Mutex<NativePrivateKey>

    init(_ key: consuming sending NativePrivateKey, algorithm: SignatureAlgorithm) {
        self.algorithm = algorithm
        self.key = Mutex(key)
    }

    /// SPEC §10.3
    public func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        try key.withLock { (key) throws(CryptoFailure) in try key.sign(message, algorithm: algorithm) }
    }
}
