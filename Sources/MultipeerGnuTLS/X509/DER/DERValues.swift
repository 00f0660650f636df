import MultipeerCertificates

/// Universal tags, and the context tags that X.509 uses.
enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let printableString: UInt8 = 0x13
    static let teletexString: UInt8 = 0x14
    static let ia5String: UInt8 = 0x16
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// `[number]` of a primitive type.
    static func context(_ number: UInt8) -> UInt8 { 0x80 | number }
    /// `[number]` of a constructed type.
    static func constructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

extension DERReader {
    /// BOOLEAN: DER knows only 0x00 and 0xFF.
    mutating func boolean() throws(CertificateRejection) -> Bool {
        let value = slice(try next(DERTag.boolean))
        guard value.count == 1, let octet = value.first else { throw .malformed }
        switch octet {
        case 0xFF: return true
        case 0x00: return false
        default: throw .malformed
        }
    }

    /// The content bytes of an INTEGER in its shortest form.
    mutating func integerBytes() throws(CertificateRejection) -> [UInt8] {
        let value = content(try next(DERTag.integer))
        guard let first = value.first else { throw .malformed }
        if value.count > 1 {
            let second = value[1]
            guard !(first == 0x00 && second < 0x80), !(first == 0xFF && second >= 0x80) else { throw .malformed }
        }
        return value
    }

    /// An INTEGER from 0 to 255: versions and path lengths. A larger one is cut to 255, a negative one malformed.
    mutating func smallInteger() throws(CertificateRejection) -> Int {
        let value = try integerBytes()
        guard value[0] < 0x80 else { throw .malformed }
        let digits = value.drop { $0 == 0 }
        return digits.count > 1 ? 255 : Int(digits.first ?? 0)
    }

    /// The content bytes of an OBJECT IDENTIFIER.
    mutating func objectIdentifier() throws(CertificateRejection) -> ObjectIdentifier {
        let value = slice(try next(DERTag.objectIdentifier))
        // Each arc ends with a byte below 0x80, and none begins with 0x80 (X.690 §8.19.2).
        guard let last = value.last, last < 0x80 else { throw .malformed }
        var isFirstOfArc = true
        for byte in value {
            guard !(isFirstOfArc && byte == 0x80) else { throw .malformed }
            isFirstOfArc = byte < 0x80
        }
        return ObjectIdentifier(value)
    }

    /// A BIT STRING of whole bytes: keys and signatures.
    mutating func octetAlignedBits() throws(CertificateRejection) -> ArraySlice<UInt8> {
        let value = slice(try next(DERTag.bitString))
        guard value.first == 0 else { throw .malformed }
        return value.dropFirst()
    }

    /// A BIT STRING of named bits, bit 0 first; DER cuts trailing zeros (X.690 §11.2.2).
    mutating func namedBits() throws(CertificateRejection) -> Set<Int> {
        let value = content(try next(DERTag.bitString))
        guard let unused = value.first, unused < 8 else { throw .malformed }
        let octets = value.dropFirst()
        guard let last = octets.last else {
            guard unused == 0 else { throw .malformed }
            return []
        }
        guard last & UInt8((1 << Int(unused)) - 1) == 0, last & UInt8(1 << Int(unused)) != 0 else { throw .malformed }
        var bits: Set<Int> = []
        for (index, octet) in octets.enumerated() {
            for bit in 0..<8 where octet & (0x80 >> UInt8(bit)) != 0 { bits.insert(index * 8 + bit) }
        }
        return bits
    }
}
