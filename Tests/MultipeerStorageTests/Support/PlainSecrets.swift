import MultipeerCrypto
import Synchronization

/// Secrets in ordinary memory. NO SECURITY: for tests of targets that must not depend on a backend.
struct PlainSecrets: SecretAllocator {
    func makeSecret(count: Int) throws(CryptoFailure) -> Secret { Secret(owning: Storage(count: count)) }

    private final class Storage: SecretStorage {
        let count: Int
        private let bytes: Mutex<[UInt8]>

        init(count: Int) {
            self.count = count
            bytes = Mutex([UInt8](repeating: 0, count: count))
        }

        func withBytes<Result, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let copy = bytes.withLock { $0 }
            return try body(copy.span)
        }

        func withMutableBytes<Result, Failure: Error>(
            _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            var copy = bytes.withLock { $0 }
            defer { bytes.withLock { [copy] in $0 = copy } }
            var span = copy.mutableSpan
            return try body(&span)
        }
    }
}

extension Secret {
    /// A copy of the bytes, for a test to look at.
    borrowing func copied() -> [UInt8] {
        withBytes { span in (0..<span.count).map { span[$0] } }
    }
}
