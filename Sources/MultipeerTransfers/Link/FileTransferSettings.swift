public import MultipeerCore
public import MultipeerCrypto
public import MultipeerStorage

/// How the files of a link are hashed and timed, and how many go at a time.
public struct FileTransferSettings: Sendable {
    /// How many files go over one link at a time in each direction, if nothing else is said.
    public static let usualFilesAtOnce = 4
    /// How many files one peer offers at a time, if nothing else is said: half of what the credit of offers allows at
    /// first (SPEC §13.3), so that an offer never waits for credit. The receiver decides how many of them it takes at a
    /// time.
    public static let usualOffersAtOnce = 16

    /// Hashes what is held of files (`CryptoProvider.bulkDigest`).
    public var digest: any BulkDigest
    /// How many files are offered or sent over one link at a time. The others wait.
    public var sendsAtOnce = usualOffersAtOnce
    /// How many files are received over one link at a time. The others wait: each needs memory and
    /// ``DownloadDirectory/descriptorsPerFile`` descriptors.
    public var receivesAtOnce = usualFilesAtOnce
    /// How much is held of files that do not come to their end (R15.7-5).
    public var heldLimits = HeldLimits()
    /// A monotonic clock, for the rate of transfers.
    public var now: @Sendable () -> Instant = SystemClock.monotonic
    /// The time in seconds since 1970, for the age of what is held.
    public var wallClock: @Sendable () -> Int64 = SystemClock.wall

    /// Creates settings with the system's clocks.
    public init(digest: any BulkDigest) {
        self.digest = digest
    }
}
