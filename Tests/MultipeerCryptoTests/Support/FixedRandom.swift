import MultipeerCrypto

/// A random source that gives out prepared bytes. Asking for more is a fault of the test.
struct FixedRandom: RandomSource {
    private var remaining: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { remaining = bytes[...] }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = remaining.removeFirst() }
    }
}
