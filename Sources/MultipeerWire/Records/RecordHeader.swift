/// The eight bytes that begin each direction (SPEC §6.1).
public enum Magic {
    /// "MPEER", carriage return, line feed, zero.
    public static let bytes: [UInt8] = [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]
}

/// What a record is (SPEC §6.2).
public enum RecordKind: UInt8, Sendable {
    case hello = 0x01
    case refusal = 0x02
    case encrypted = 0x10
    case authenticated = 0x11

    /// The lengths of body that SPEC §6.2 allows.
    public var bodyLengths: ClosedRange<Int> {
        switch self {
        case .hello: 39...1_024
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

/// Kind and length of a record: its first three bytes, and the associated data of its protection.
public struct RecordHeader: Equatable, Sendable {
    /// The length of a header, in bytes.
    public static let length = 3
    /// The length of the longest record, header included, in bytes.
    public static let maximumRecordLength = 65_535
    /// The longest plaintext of one protected record, in bytes: what a record has beside header and tag.
    public static let maximumPlaintextLength = 65_516

    /// What it is.
    public let kind: RecordKind
    /// The length of the body, in bytes.
    public let bodyLength: Int

    /// - Precondition: `bodyLength` fits the kind.
    public init(kind: RecordKind, bodyLength: Int) {
        precondition(kind.bodyLengths.contains(bodyLength), "the writer keeps the limits of SPEC §6.2")
        self.kind = kind
        self.bodyLength = bodyLength
    }

    /// Reads a kind and a length; both must be legal (R6.2-1).
    init(kindByte: UInt8, bodyLength: Int) throws(WireError) {
        guard let kind = RecordKind(rawValue: kindByte) else { throw WireError(.valueOutOfRange, in: .recordKind) }
        guard kind.bodyLengths.contains(bodyLength) else { throw WireError(.lengthOutOfRange, in: .recordLength) }
        self.kind = kind
        self.bodyLength = bodyLength
    }

    /// The whole record's length, in bytes.
    public var recordLength: Int { Self.length + bodyLength }

    /// The three bytes.
    public var bytes: [3 of UInt8] {
        [kind.rawValue, UInt8(truncatingIfNeeded: bodyLength >> 8), UInt8(truncatingIfNeeded: bodyLength)]
    }
}
