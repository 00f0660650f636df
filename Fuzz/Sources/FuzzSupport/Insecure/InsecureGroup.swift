public import MultipeerCrypto

/// A product is the exclusive or of a scalar and an element, so both parties come to the same: quick, reproducible, and
/// readable for anyone. INSECURE, and for fuzzing only.
public struct InsecureGroup: PrimeOrderGroup {
    private let secrets: any SecretAllocator

    /// With secrets from there.
    public init(secrets: any SecretAllocator) { self.secrets = secrets }

    public func makeScalar(random: inout any RandomSource) throws(CryptoFailure) -> GroupScalar {
        let bytes = random.bytes(GroupElement.length)
        return try makeScalar(rawBytes: bytes.span)
    }

    public func makeScalar(rawBytes: Span<UInt8>) throws(CryptoFailure) -> GroupScalar {
        guard rawBytes.count == GroupElement.length else { throw .malformedKey }
        return GroupScalar(number: try secret(rawBytes.indices.map { rawBytes[$0] & ($0 == 31 ? 0x0F : 0xFF) }))
    }

    public func deriveElement(from uniform: borrowing Secret) throws(CryptoFailure) -> Secret {
        try secret(uniform.withBytes { bytes in (0..<32).map { bytes[$0] & ($0 == 31 ? 0x7F : 0xFF) } })
    }

    public func multiply(
        _ scalar: borrowing GroupScalar, bySecret element: borrowing Secret
    ) throws(CryptoFailure) -> GroupElement {
        let element = element.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try GroupElement(rawBytes: try product(scalar, element))
    }

    public func multiply(_ scalar: consuming GroupScalar, by element: GroupElement) throws(CryptoFailure) -> Secret {
        // As in ristretto255, where the highest bit of every encoding is zero.
        guard element.rawBytes[31] & 0x80 == 0 else { throw .malformedKey }
        return try secret(try product(scalar, element.rawBytes))
    }

    private func product(_ scalar: borrowing GroupScalar, _ element: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let bytes = scalar.number.withBytes { number in number.indices.map { number[$0] ^ element[$0] } }
        // Zeros stand for the identity.
        guard bytes.contains(where: { $0 != 0 }) else { throw .malformedKey }
        return bytes
    }

    private func secret(_ bytes: [UInt8]) throws(CryptoFailure) -> Secret {
        try secrets.makeSecret(copying: bytes.span)
    }
}
