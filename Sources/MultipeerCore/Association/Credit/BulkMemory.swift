/// What one stream or file of the peer, or its messages, could use beyond what each has by right (SPEC §13.5).
public struct BulkClaim: Hashable, Sendable {
    /// The number of the stream or file, or ``messages``.
    let id: UInt64
    /// How many bytes.
    public let count: UInt64

    /// Stands for all messages: no number is so high (SPEC §3).
    static let messages = UInt64.max
}

/// Memory for streams, files and messages beyond what each has by right: what is asked for, and what this link has (R13.5-4).
struct BulkMemory: Sendable {
    /// What a peer may send of each of its streams and files before the app takes anything.
    static let base: UInt64 = 32_768
    /// What a fast one is granted at most, in all.
    static let most: UInt64 = 1_048_576

    private var claims: [BulkClaim] = []
    private var granted: [UInt64: UInt64] = [:]
    /// How many bytes this link has.
    private(set) var held: UInt64 = 0

    mutating func claim(_ count: UInt64, for id: UInt64) {
        if count > 0 { claims.append(BulkClaim(id: id, count: count)) }
    }

    /// The next claim that nobody has looked at.
    mutating func next() -> BulkClaim? { claims.isEmpty ? nil : claims.removeFirst() }

    mutating func grant(_ count: UInt64, for id: UInt64) {
        held += count
        granted[id, default: 0] += count
    }

    /// The number has ended, and holds nothing.
    mutating func release(_ id: UInt64) {
        if !claims.isEmpty { claims.removeAll { $0.id == id } }
        if let count = granted.removeValue(forKey: id) { held -= count }
    }
}
