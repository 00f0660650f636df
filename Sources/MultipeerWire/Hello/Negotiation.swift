/// GREASE: reserved values that look random and keep extension points working (SPEC §7.4).
public enum Grease {
    /// The sixteen reserved values of 16 bits.
    public static func value(_ index: UInt8) -> UInt16 { 0x0A0A &+ 0x1010 &* UInt16(index & 0x0F) }

    /// Returns whether a version, suite or extension is one of the reserved values.
    public static func contains(_ value: UInt16) -> Bool {
        value & 0x0F0F == 0x0A0A && value >> 12 == (value >> 4) & 0x0F
    }
}

/// The versions that SPEC §7.2 registers.
public enum ProtocolVersion: UInt16, Sendable, CaseIterable {
    /// Draft 03 of version 1. Every draft has a number of its own (SPEC §1).
    case draft04 = 0xFF04
}

/// The suites that SPEC §7.2 registers and this implementation speaks.
public enum Suite: UInt16, Sendable, CaseIterable {
    /// Noise_NN_25519_ChaChaPoly_SHA256, which every implementation has.
    case chaChaPoly = 0x0001
    /// Noise_NN_25519_AESGCM_SHA256.
    case aesGCM = 0x0002
    /// Noise_NN_25519+MLKEM768_ChaChaPoly_SHA256.
    case hybridChaChaPoly = 0x0003
    /// Noise_NN_25519+MLKEM768_AESGCM_SHA256.
    case hybridAESGCM = 0x0004

    /// The suites whose keys X25519 alone makes.
    public static let classical: [Suite] = [.chaChaPoly, .aesGCM]
    /// The suites of SPEC §7.6.
    public static let hybrid: [Suite] = [.hybridChaChaPoly, .hybridAESGCM]

    /// Whether ML-KEM-768 has a part in the keys, besides X25519 (SPEC §7.6).
    public var isHybrid: Bool { Self.hybrid.contains(self) }
}

/// One extension of a hello (SPEC §7.1).
public struct HelloExtension: Equatable, Sendable {
    /// The greatest length of the data, in bytes.
    public static let maximumLength = 2_048
    /// The greatest length of a list, in bytes.
    public static let maximumListLength = 3_072

    public let type: UInt16
    /// The data, 0–2,048 bytes.
    public let data: [UInt8]

    /// Creates an extension.
    public init(type: UInt16, data: [UInt8]) {
        self.type = type
        self.data = data
    }
}

extension Reader {
    /// Takes a list of 16-bit values without duplicates, as the initiator's hello requires (R7.1-1).
    @_lifetime(self: copy self)
    mutating func distinctValues(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> [UInt16] {
        let values = try values(limits, field)
        for (index, value) in values.enumerated() where values[..<index].contains(value) {
            throw WireError(.notAscending, in: field)
        }
        return values
    }

    /// Takes a list of 16-bit values in strictly ascending order, as the list of features is (R8.1-3).
    @_lifetime(self: copy self)
    mutating func ascendingValues(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> [UInt16] {
        let values = try values(limits, field)
        for (value, next) in zip(values, values.dropFirst()) where next <= value {
            throw WireError(.notAscending, in: field)
        }
        return values
    }

    /// Takes a list of 16-bit values (SPEC §3.3).
    @_lifetime(self: copy self)
    mutating func values(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> [UInt16] {
        var list = Reader(try vector(limits, field))
        guard list.remaining % 2 == 0 else { throw WireError(.lengthOutOfRange, in: field) }
        var values: [UInt16] = []
        while list.remaining > 0 { values.append(try list.u16(field)) }
        return values
    }

    /// Takes a list of extensions in strictly ascending order (R7.1-2).
    @_lifetime(self: copy self)
    mutating func extensions() throws(WireError) -> [HelloExtension] {
        var list = Reader(try vector(0...HelloExtension.maximumListLength, .extensions))
        var extensions: [HelloExtension] = []
        while list.remaining > 0 {
            let type = try list.u16(.extensionType)
            if let last = extensions.last, type <= last.type { throw WireError(.notAscending, in: .extensionType) }
            extensions.append(
                HelloExtension(type: type, data: try list.bytes(0...HelloExtension.maximumLength, .extensions)))
        }
        return extensions
    }
}

extension Writer {
    mutating func values(_ values: [UInt16]) {
        vector { list in
            for value in values { list.u16(value) }
        }
    }

    mutating func extensions(_ extensions: [HelloExtension]) {
        vector { list in
            for entry in extensions {
                list.u16(entry.type)
                list.vector(entry.data)
            }
        }
    }
}
