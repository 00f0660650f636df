public import MultipeerStorage
public import MultipeerWire

/// What happens to a file on its way.
@nonexhaustive
public enum TransferEvent: Hashable, Sendable {
    /// The local peer has offered the file, and the receiver has not answered yet. It comes again if the file is
    /// offered anew, because the receiver held something else of it.
    case offered
    /// The receiver takes the file. It holds the first `offset` bytes from an earlier link, and these are not sent again
    /// (SPEC §15.7).
    case accepted(offset: UInt64)
    /// How far the file has come: at each per cent, and about twice in a second while bytes flow.
    case progress(TransferProgress)
    /// The local peer sends a folder, and leaves something out: what is neither file nor folder, or cannot be read.
    case leftOut(OmittedMembers)
    /// The receiver has stored what the local peer sent, and called something otherwise (SPEC §15.5).
    case renamed(RenamedNames)
    /// The receiver had the same file under this name already, and has kept that one (SPEC §15.5).
    case kept
}

/// The direction of a file, seen from the local peer.
public enum TransferDirection: Hashable, Sendable {
    /// The local peer sends.
    case outgoing
    /// The peer sends.
    case incoming
}

/// How far a file has come.
public struct TransferProgress: Hashable, Sendable {
    /// Which peer sends.
    public let direction: TransferDirection
    /// The name, as the sender says it. That of a peer may hold anything, so do not show it as it is.
    public let name: String
    /// How many bytes the receiver has, or has been sent, with those that it held before.
    public let transferred: UInt64
    /// The size in bytes; of a folder with its manifest.
    public let size: UInt64
    /// How many bytes the receiver held before; 0 if the file has not been resumed.
    public let resumedAt: UInt64
    /// How many bytes come in a second, over the last seconds. What was held before does not count. Nil while it is too early to
    /// say.
    public let bytesPerSecond: Double?

    /// Describes progress.
    public init(
        direction: TransferDirection, name: String, transferred: UInt64, size: UInt64, resumedAt: UInt64 = 0,
        bytesPerSecond: Double? = nil
    ) {
        self.direction = direction
        self.name = name
        self.transferred = transferred
        self.size = size
        self.resumedAt = resumedAt
        self.bytesPerSecond = bytesPerSecond
    }

    /// The part that has been transferred, from 0 to 1. An empty file is complete at once.
    public var fraction: Double { Self.fraction(transferred, of: size) }

    /// The same from 0 to 100, rounded down.
    public var percent: Int { Self.percent(transferred, of: size) }

    static func percent(_ transferred: UInt64, of size: UInt64) -> Int { Int(fraction(transferred, of: size) * 100) }

    private static func fraction(_ transferred: UInt64, of size: UInt64) -> Double {
        size == 0 ? 1 : min(1, Double(transferred) / Double(size))
    }

    /// How long the rest takes at the present rate. Nil while that is not known, and while nothing comes.
    public var timeLeft: Duration? {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = Double(size - min(transferred, size)) / bytesPerSecond
        // Beyond a hundred years nobody counts.
        return .seconds(min(seconds, 3_155_760_000))
    }
}
