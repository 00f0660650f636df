internal import CSodium
public import MultipeerCrypto

/// The operating system's random generator (on Linux `getrandom`), by way of libsodium.
public struct SystemRandomSource: RandomSource, Sendable {
    public mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            // SAFETY: writes `count` bytes. An empty buffer may have no address, and randombytes_buf wants one.
            guard let start = bytes.baseAddress else { return }
            unsafe randombytes_buf(start, bytes.count)
        }
    }
}
