internal import MultipeerWire

/// Derives further keys of a link (SPEC §9.8). Both peers get the same bytes for the same label, context and length.
public struct Exporter: ~Copyable, Sendable {
    /// The lengths that a label may have, in bytes.
    public static let labelLengths = 1...255
    /// The lengths that a context may have, in bytes.
    public static let contextLengths = 0...1_024
    /// How many bytes an export may have.
    public static let lengths = 1...8_160

    private let secret: Secret
    private let hashing: any Hashing

    /// Makes the exporter secret. x, the third output of Split(), is consumed and wiped (R9.8-2).
    /// - Parameters:
    ///   - material: x.
    ///   - handshakeHash: h.
    ///   - initiator: The initiator's identity key.
    ///   - responder: The responder's identity key.
    ///   - hashing: HMAC-SHA256.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public init(
        material: consuming Secret, handshakeHash: Digest, initiator: IdentityKey, responder: IdentityKey,
        hashing: any Hashing
    ) throws(CryptoFailure) {
        let label = Array("multipeer/1 exporter".utf8) + [0]
        let bound = handshakeHash.rawBytes + initiator.rawBytes + responder.rawBytes
        secret = try hashing.authenticate(label.span, bound.span, key: material)
        self.hashing = hashing
    }

    /// An exporter secret that is known, for test vectors.
    package init(secret: consuming Secret, hashing: any Hashing) {
        self.secret = secret
        self.hashing = hashing
    }

    /// Whether an app may ask for a label: those that begin so are this document's (SPEC §9.8).
    public static func isForApps(label: [UInt8]) -> Bool { !label.starts(with: "multipeer/".utf8) }

    /// Whether all three are within their ranges (R9.8-1).
    public static func accepts(label: [UInt8], context: [UInt8], length: Int) -> Bool {
        labelLengths.contains(label.count) && contextLengths.contains(context.count) && lengths.contains(length)
    }

    /// The bytes for a label and a context. The result is a secret in ordinary memory.
    /// - Precondition: ``accepts(label:context:length:)``.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public borrowing func export(
        label: [UInt8], context: [UInt8], length: Int
    ) throws(CryptoFailure) -> [UInt8] {
        precondition(Self.accepts(label: label, context: context, length: length))
        let info = Self.info(label, context, length)
        // HKDF-Expand (RFC 5869 §2.3): T(i) = HMAC(secret, T(i − 1) ‖ info ‖ i).
        // Blocks stay in guarded memory, and the output never moves: no other copy of it is left in memory that nobody wipes.
        var output: [UInt8] = []
        output.reserveCapacity(length)
        let (nothing, first): ([UInt8], [UInt8]) = ([], info + [1])
        var block = try hashing.authenticate(nothing.span, first.span, key: secret)
        var number: UInt8 = 1
        while true {
            block.withBytes { bytes in
                for index in 0..<min(Digest.length, length - output.count) { output.append(bytes[index]) }
            }
            guard output.count < length else { return output }
            number += 1  // 255 blocks at most
            let rest = info + [number]
            let next = try block.withBytes { previous throws(CryptoFailure) in
                try hashing.authenticate(previous, rest.span, key: secret)
            }
            block = next
        }
    }

    /// The 32 bytes for a label and a context, which never leave guarded memory.
    /// - Precondition: ``accepts(label:context:length:)``.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public borrowing func secret(label: [UInt8], context: [UInt8]) throws(CryptoFailure) -> Secret {
        precondition(Self.accepts(label: label, context: context, length: Digest.length))
        // One block of HKDF-Expand is all of it.
        let (nothing, info): ([UInt8], [UInt8]) = ([], Self.info(label, context, Digest.length) + [1])
        return try hashing.authenticate(nothing.span, info.span, key: secret)
    }

    private static func info(_ label: [UInt8], _ context: [UInt8], _ length: Int) -> [UInt8] {
        var writer = Writer()
        writer.u16(UInt16(length))
        writer.vector(label)
        writer.vector(context)
        return writer.bytes
    }
}
