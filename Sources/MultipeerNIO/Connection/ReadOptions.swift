import NIOCore

/// Options for reading a socket.
///
/// The receiver's loop bounds the throughput of long messages. With reads of 64 KiB, NIO's own maximum, a record of
/// full length seldom ends where a read ends. Nearly all records were assembled from two reads, with one more copy of
/// every byte. Buffers grow to this size only on links whose reads fill them. NIO keeps a grown buffer until the
/// channel closes, and only pages that have been filled take memory.
enum ReadOptions {
    /// Reads up to four records of full length at once.
    static var allocator: any RecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: 262_144)
    }

    /// How many reads a channel makes before other channels on the loop have their turn. With the size above, this
    /// bounds one burst.
    static let readsPerTurn: UInt = 2
}
