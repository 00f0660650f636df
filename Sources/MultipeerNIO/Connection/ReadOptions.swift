import NIOCore

/// How a socket is read.
///
/// The receiver's loop bounds the throughput of long messages. A record of full length seldom ends where a read of 64 KiB,
/// NIO's own maximum, ends: nearly all were put together from two, which is one more copy of every byte. Buffers grow to
/// this only on links whose reads fill them; NIO keeps a grown one, of which pages are real as far as they were filled,
/// until the channel closes.
enum ReadOptions {
    /// Four records of full length at once.
    static var allocator: any RecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: 262_144)
    }

    /// How often a loop reads before others have their turn; with the above it bounds what one burst brings.
    static let readsPerTurn: UInt = 2
}
