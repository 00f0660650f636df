internal import MultipeerWire

/// A secret that several values refer to, because they are copied. When the last of them goes, the storage is wiped.
public final class SharedSecret: Sendable {
    private let secret: Secret

    /// Takes a secret over.
    public init(_ secret: consuming Secret) { self.secret = secret }

    /// Guarded memory with a copy of `bytes`: for what is in ordinary memory already, such as known answers.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public convenience init(copying bytes: [UInt8], in memory: any SecretAllocator) throws(CryptoFailure) {
        self.init(try memory.makeSecret(copying: bytes.span))
    }

    /// Size in bytes.
    public var count: Int { secret.count }

    /// Lends the bytes for reading. The body must not keep a copy.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// Lends the secret as a key. The body must not keep a copy.
    package func withSecret<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Secret) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(secret)
    }
}

/// Puts bytes one after the other into guarded memory, because some of them are secret.
struct SecretWriter: ~Copyable {
    private var secret: Secret
    private var position = 0

    /// - Parameter count: How many bytes will be put.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    init(count: Int, in memory: any SecretAllocator) throws(CryptoFailure) {
        secret = try memory.makeSecret(count: count)
    }

    mutating func put(_ bytes: Span<UInt8>) {
        let start = position
        secret.withMutableBytes { copy in
            for index in bytes.indices { copy[start + index] = bytes[index] }
        }
        position += bytes.count
    }

    mutating func put(_ bytes: [UInt8]) { put(bytes.span) }

    mutating func put(_ shared: SharedSecret) {
        // One slot is read while another one is written.
        let start = position
        shared.withBytes { bytes in
            secret.withMutableBytes { copy in
                for index in bytes.indices { copy[start + index] = bytes[index] }
            }
        }
        position += shared.count
    }

    /// All that was put.
    /// - Precondition: As many bytes as were announced.
    consuming func finish() -> Secret {
        precondition(position == secret.count, "a secret of another length was announced")
        return secret
    }
}
