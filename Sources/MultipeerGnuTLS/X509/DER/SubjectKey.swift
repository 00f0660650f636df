import MultipeerCertificates

/// The type of a public key, as its SubjectPublicKeyInfo shows it.
enum SubjectKey: Equatable {
    /// rsaEncryption, with the length of the modulus in bits.
    case rsa(bits: Int)
    case p256
    case p384
    case p521
    case ed25519
    /// A type, curve or explicit parameters that nothing here uses.
    case other

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1, RFC 3279 §2.3.1, RFC 5480 §2.1.1, RFC 8410 §4).
    static func read(subjectPublicKeyInfo: [UInt8]) throws(CertificateRejection) -> SubjectKey {
        var outer = DERReader(subjectPublicKeyInfo)
        var info = try outer.enter(DERTag.sequence)
        try outer.finish()
        var algorithm = try info.enter(DERTag.sequence)
        let identifier = try algorithm.objectIdentifier()
        let key = try info.octetAlignedBits()
        try info.finish()
        switch identifier {
        case .rsaEncryption:
            // The parameters MUST be NULL.
            guard try algorithm.next(DERTag.null).content.isEmpty else { throw .malformed }
            try algorithm.finish()
            return try rsa(Array(key))
        case .ecPublicKey:
            // implicitCurve and specifiedCurve MUST NOT be used (RFC 5480 §2.1.1).
            guard algorithm.nextTag == DERTag.objectIdentifier else { return .other }
            let curve = try algorithm.objectIdentifier()
            try algorithm.finish()
            return try ellipticCurve(curve, point: key)
        case .ed25519:
            guard algorithm.isAtEnd, key.count == 32 else { throw .malformed }
            return .ed25519
        default:
            return .other
        }
    }

    /// RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }
    private static func rsa(_ key: [UInt8]) throws(CertificateRejection) -> SubjectKey {
        var outer = DERReader(key)
        var fields = try outer.enter(DERTag.sequence)
        try outer.finish()
        let modulus = try fields.integerBytes()
        let exponent = try fields.integerBytes()
        try fields.finish()
        // Positive, and odd as every RSA modulus and exponent is; an exponent of 1 encrypts nothing.
        guard modulus[0] < 0x80, exponent[0] < 0x80, exponent != [1], (modulus.last ?? 0) & 1 == 1,
            (exponent.last ?? 0) & 1 == 1
        else { throw .malformed }
        // An exponent as long as the modulus makes one verification as dear as a signature, for any peer that asks.
        guard exponent.count <= 5 else { return .other }
        let digits = modulus.drop { $0 == 0 }
        guard let top = digits.first else { throw .malformed }
        return .rsa(bits: digits.count * 8 - top.leadingZeroBitCount)
    }

    private static func ellipticCurve(
        _ curve: ObjectIdentifier, point: ArraySlice<UInt8>
    ) throws(CertificateRejection) -> SubjectKey {
        let (key, size): (SubjectKey, Int)
        switch curve {
        case .p256: (key, size) = (.p256, 32)
        case .p384: (key, size) = (.p384, 48)
        case .p521: (key, size) = (.p521, 66)
        default: return .other
        }
        // Uncompressed points only: GnuTLS and every certificate in use write these.
        guard point.first == 0x04, point.count == 1 + 2 * size else { throw .malformed }
        return key
    }
}
