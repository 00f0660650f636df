package import MultipeerTransfers

/// The direction of a file or stream.
package enum FileDirection: String, Sendable {
    case sent, received
}

/// The progress of a file.
package struct FileProgress: Sendable {
    package let direction: FileDirection
    /// The name. For a received file it is the one that the peer sent.
    package let name: String
    package let transferred: UInt64
    package let size: UInt64
    /// How many bytes come in a second, if that is known.
    var bytesPerSecond: Double?
    /// How long the rest takes, if that is known.
    var timeLeft: Duration?
}

extension FileProgress {
    package init(_ progress: TransferProgress, _ direction: FileDirection) {
        self.init(
            direction: direction, name: progress.name, transferred: progress.transferred, size: progress.size,
            bytesPerSecond: progress.bytesPerSecond, timeLeft: progress.timeLeft)
    }
}
