/// The initiator's hello (SPEC §7.1).
public struct InitiatorHello: Equatable, Sendable {
    /// The length of Noise message 1, which ends the body and is not part of the prologue.
    public static let noiseLength = 32

    /// The versions, in order of preference.
    public let versions: [UInt16]
    /// The suites, in order of preference.
    public let suites: [UInt16]
    /// The extensions, ascending by type.
    public let extensions: [HelloExtension]
    /// Noise message 1: the initiator's ephemeral X25519 public key, 32 bytes.
    public let ephemeral: [UInt8]

    /// Creates a hello from values that must be in range.
    public init(versions: [UInt16], suites: [UInt16], extensions: [HelloExtension], ephemeral: [UInt8]) {
        self.versions = versions
        self.suites = suites
        self.extensions = extensions
        self.ephemeral = ephemeral
    }

    /// Decodes the body of a HELLO record.
    public init(body: Span<UInt8>) throws(WireError) {
        var reader = Reader(body)
        versions = try reader.distinctValues(2...64, .versions)
        suites = try reader.distinctValues(2...64, .suites)
        extensions = try reader.extensions()
        ephemeral = try reader.bytes(exactly: 32, .ephemeral)
        try reader.finish(.ephemeral)
    }

    /// Encodes the body of a HELLO record.
    public func body() -> [UInt8] {
        var writer = Writer()
        writer.values(versions)
        writer.values(suites)
        writer.extensions(extensions)
        writer.raw(ephemeral)
        return writer.bytes
    }
}

/// The responder's hello (SPEC §7.3).
public struct ResponderHello: Equatable, Sendable {
    /// The length of Noise message 2, which ends the body and is not part of the prologue.
    public static let noiseLength = 48

    public let version: UInt16
    public let suite: UInt16
    /// The extensions, ascending by type. They include only types that the initiator offered.
    public let extensions: [HelloExtension]
    /// The responder's ephemeral X25519 public key, 32 bytes.
    public let ephemeral: [UInt8]
    /// The tag of the empty payload of Noise message 2, 16 bytes.
    public let confirmation: [UInt8]

    /// Creates a hello from values that must be in range.
    public init(
        version: UInt16, suite: UInt16, extensions: [HelloExtension], ephemeral: [UInt8], confirmation: [UInt8]
    ) {
        self.version = version
        self.suite = suite
        self.extensions = extensions
        self.ephemeral = ephemeral
        self.confirmation = confirmation
    }

    /// Decodes the body of a HELLO record.
    public init(body: Span<UInt8>) throws(WireError) {
        var reader = Reader(body)
        version = try reader.u16(.version)
        suite = try reader.u16(.suite)
        extensions = try reader.extensions()
        ephemeral = try reader.bytes(exactly: 32, .ephemeral)
        confirmation = try reader.bytes(exactly: 16, .confirmation)
        try reader.finish(.confirmation)
    }

    /// Encodes the body of a HELLO record.
    public func body() -> [UInt8] {
        var writer = Writer()
        writer.u16(version)
        writer.u16(suite)
        writer.extensions(extensions)
        writer.raw(ephemeral)
        writer.raw(confirmation)
        return writer.bytes
    }
}

/// REFUSAL (SPEC §7.5): the responder's unauthenticated statement that there will be no handshake.
public struct Refusal: Equatable, Sendable {
    /// The reason. An unknown code is a valid value (R7.5-3).
    public struct Code: Hashable, Sendable {
        public let rawValue: UInt8

        /// Creates a code from any byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let unsupportedVersion = Code(rawValue: 1)
        public static let unsupportedSuite = Code(rawValue: 2)
        public static let busy = Code(rawValue: 3)
        public static let malformedHello = Code(rawValue: 4)
    }

    public let code: Code
    /// The versions that the responder supports.
    public let versions: [UInt16]
    /// The suites that the responder supports.
    public let suites: [UInt16]

    /// Creates a refusal.
    public init(code: Code, versions: [UInt16] = [], suites: [UInt16] = []) {
        self.code = code
        self.versions = versions
        self.suites = suites
    }

    /// Decodes the body of a REFUSAL record.
    public init(body: Span<UInt8>) throws(WireError) {
        var reader = Reader(body)
        code = Code(rawValue: try reader.u8(.refusalCode))
        versions = try reader.values(0...64, .versions)
        suites = try reader.values(0...64, .suites)
        try reader.finish(.suites)
    }

    /// Encodes the body of a REFUSAL record.
    public func body() -> [UInt8] {
        var writer = Writer()
        writer.u8(code.rawValue)
        writer.values(versions)
        writer.values(suites)
        return writer.bytes
    }
}

/// Records without protection, with the magic in front.
public enum ClearRecord {
    /// Returns the beginning of a direction: magic, record header, `body`.
    public static func opening(_ kind: RecordKind, body: [UInt8]) -> [UInt8] {
        let header = RecordHeader(kind: kind, bodyLength: body.count).bytes
        return Magic.bytes + [header[0], header[1], header[2]] + body
    }
}
