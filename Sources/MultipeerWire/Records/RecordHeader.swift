/// The eight bytes that begin each direction (SPEC §6.1).
public enum Magic {
    /// The bytes: "MPEER", carriage return, line feed, zero.
    public static let bytes: [UInt8] = [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]

    /// How many they are.
    static let length = 8
}

/// The kind of a record (SPEC §6.2).
public enum RecordKind: UInt8, Sendable {
    case hello = 0x01
    case refusal = 0x02
    case encrypted = 0x10
    case authenticated = 0x11

    /// The range of body lengths that SPEC §6.2 allows.
    public var bodyLengths: ClosedRange<Int> {
        switch self {
        case .hello: 39...4_096
        case .refusal: 3...256
        case .encrypted, .authenticated: 18...65_532
        }
    }

    /// The name in SPEC §6.2.
    public var name: String {
        switch self {
        case .hello: "HELLO"
        case .refusal: "REFUSAL"
        case .encrypted: "ENCRYPTED"
        case .authenticated: "AUTHENTICATED"
        }
    }
}

/// The kind and length of a record: its first three bytes, which are also the associated data of its protection.
public struct RecordHeader: Equatable, Sendable {
    /// The length of a header, in bytes.
    public static let length = 3
    /// The length of the longest record, header included, in bytes.
    public static let maximumRecordLength = 65_535
    /// The length of the longest plaintext of one protected record, in bytes: a whole record without header and tag.
    public static let maximumPlaintextLength = 65_516

    /// The kind of the record.
    public let kind: RecordKind
    /// The length of the body, in bytes.
    public let bodyLength: Int

    /// - Precondition: `bodyLength` fits the kind.
    public init(kind: RecordKind, bodyLength: Int) {
        precondition(kind.bodyLengths.contains(bodyLength), "the writer keeps the limits of SPEC §6.2")
        self.kind = kind
        self.bodyLength = bodyLength
    }

    /// Reads a kind and a length, which must both be legal (R6.2-1).
    init(kindByte: UInt8, bodyLength: Int) throws(WireError) {
        guard let kind = RecordKind(rawValue: kindByte) else { throw WireError(.valueOutOfRange, in: .recordKind) }
        guard kind.bodyLengths.contains(bodyLength) else { throw WireError(.lengthOutOfRange, in: .recordLength) }
        self.kind = kind
        self.bodyLength = bodyLength
    }

    /// Reads the header of a protected record; nil if it is another one, or not legal.
    @inline(__always)
    init?(protected kindByte: UInt8, _ high: UInt8, _ low: UInt8) {
        let bodyLength = Int(high) << 8 | Int(low)
        switch kindByte {
        case RecordKind.encrypted.rawValue: kind = .encrypted
        case RecordKind.authenticated.rawValue: kind = .authenticated
        default: return nil
        }
        guard kind.bodyLengths.contains(bodyLength) else { return nil }
        self.bodyLength = bodyLength
    }

    /// The length of the whole record, in bytes.
    public var recordLength: Int { Self.length + bodyLength }

    /// The three bytes of the header.
    public var bytes: [3 of UInt8] {
        [kind.rawValue, UInt8(truncatingIfNeeded: bodyLength >> 8), UInt8(truncatingIfNeeded: bodyLength)]
    }
}
