import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium
import MultipeerWire

/// The standard provider, one for all tests, as an app has one in a process.
enum TestProvider {
    static let sodium: SodiumProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    static let all: CryptoProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    /// Guarded memory with a copy of `bytes`.
    static func secret(_ bytes: [UInt8]) throws -> Secret {
        try sodium.secrets.makeSecret(copying: bytes.span)
    }
}

extension Secret {
    /// A copy in ordinary memory, to compare with a known answer.
    var exposed: [UInt8] { withBytes { [UInt8](copying: $0) } }
}

/// A generator whose bytes follow from its seed (SplitMix64). For tests only.
struct SeededRandom: RandomSource {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: next() >> 56) }
    }
}

/// A random source that gives out prepared bytes. Asking for more is a fault of the test.
struct FixedRandom: RandomSource {
    private var remaining: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { remaining = bytes[...] }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = remaining.removeFirst() }
    }
}
