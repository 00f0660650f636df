/// An object identifier by its DER content bytes.
///
/// All that matter here are short, so their bytes lie in one number, and comparing them allocates nothing.
struct ObjectIdentifier: Hashable {
    /// Up to 15 bytes after a 1, the last byte lowest; 0 for a longer identifier.
    private let short: UInt128
    /// The bytes of a longer identifier.
    private let long: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        let isShort = bytes.count <= 15
        short = isShort ? bytes.reduce(1) { $0 << 8 | UInt128($1) } : 0
        long = isShort ? [] : Array(bytes)
    }
}

/// Key types and curves (RFC 3279, 5480, 8410).
extension ObjectIdentifier {
    static let rsaEncryption = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
    static let ecPublicKey = ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
    static let ed25519 = ObjectIdentifier([0x2B, 0x65, 0x70])
    static let p256 = ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
    static let p384 = ObjectIdentifier([0x2B, 0x81, 0x04, 0x00, 0x22])
    static let p521 = ObjectIdentifier([0x2B, 0x81, 0x04, 0x00, 0x23])
}

/// Signature algorithms that a certificate may be signed with (RFC 4055, 5758, 8410).
extension ObjectIdentifier {
    static let rsaPSS = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A])
    static let sha256WithRSA = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B])
    static let sha384WithRSA = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0C])
    static let sha512WithRSA = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0D])
    static let ecdsaWithSHA256 = ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
    static let ecdsaWithSHA384 = ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])
    static let ecdsaWithSHA512 = ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04])
}

/// Extensions (RFC 5280 §4.2).
extension ObjectIdentifier {
    static let subjectKeyIdentifier = ObjectIdentifier([0x55, 0x1D, 0x0E])
    static let keyUsage = ObjectIdentifier([0x55, 0x1D, 0x0F])
    static let subjectAltName = ObjectIdentifier([0x55, 0x1D, 0x11])
    static let basicConstraints = ObjectIdentifier([0x55, 0x1D, 0x13])
    static let nameConstraints = ObjectIdentifier([0x55, 0x1D, 0x1E])
    static let certificatePolicies = ObjectIdentifier([0x55, 0x1D, 0x20])
    static let policyConstraints = ObjectIdentifier([0x55, 0x1D, 0x24])
    static let inhibitAnyPolicy = ObjectIdentifier([0x55, 0x1D, 0x36])
    static let authorityKeyIdentifier = ObjectIdentifier([0x55, 0x1D, 0x23])
    static let extendedKeyUsage = ObjectIdentifier([0x55, 0x1D, 0x25])
}

/// Key purposes (RFC 5280 §4.2.1.12) and attributes of names.
extension ObjectIdentifier {
    static let anyExtendedKeyUsage = ObjectIdentifier([0x55, 0x1D, 0x25, 0x00])
    static let serverAuth = ObjectIdentifier([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])
    static let clientAuth = ObjectIdentifier([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02])
    static let emailAddress = ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01])
}
