/// ristretto255 (RFC 9496): a group of prime order, in which every element has one encoding (SPEC §25.5).
public protocol PrimeOrderGroup: Sendable {
    /// Makes a scalar from 32 bytes of `random`, straight into guarded memory. The four highest bits are cleared.
    func makeScalar(random: inout any RandomSource) throws(CryptoFailure) -> GroupScalar

    /// Wraps a given scalar. For test vectors: an attempt takes its scalar from ``makeScalar(random:)``.
    func makeScalar(rawBytes: Span<UInt8>) throws(CryptoFailure) -> GroupScalar

    /// The element derivation of RFC 9496 §4.3.4. The element's encoding is a secret: it shows what it was derived
    /// from.
    /// - Parameter uniform: 64 bytes.
    func deriveElement(from uniform: borrowing Secret) throws(CryptoFailure) -> Secret

    /// The product with a secret element, to be shown to the peer.
    /// - Throws: ``CryptoFailure/malformedKey`` where the product is the identity, as for a scalar of zero.
    func multiply(
        _ scalar: borrowing GroupScalar, bySecret element: borrowing Secret
    ) throws(CryptoFailure) -> GroupElement

    /// The product with an element that the peer showed, 32 bytes. A scalar is used for one peer, so it is consumed.
    /// - Throws: ``CryptoFailure/malformedKey`` for bytes that encode no element, and where the product is the identity.
    func multiply(_ scalar: consuming GroupScalar, by element: GroupElement) throws(CryptoFailure) -> Secret
}

/// A secret scalar, 32 bytes, in guarded memory.
public struct GroupScalar: ~Copyable, Sendable {
    /// The number, little-endian.
    public let number: Secret

    /// Wraps the number. Called by backends.
    public init(number: consuming Secret) {
        self.number = number
    }
}

/// The encoding of an element, 32 bytes. It may come from a peer, so it need not decode.
public struct GroupElement: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 32

    /// Exactly 32 bytes.
    public let rawBytes: [UInt8]

    /// - Throws: ``CryptoFailure/malformedKey`` unless there are 32 bytes.
    public init(rawBytes: [UInt8]) throws(CryptoFailure) {
        guard rawBytes.count == Self.length else { throw .malformedKey }
        self.rawBytes = rawBytes
    }
}
