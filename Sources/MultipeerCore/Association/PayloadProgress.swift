/// What an open link waits for, and how far its payload has come in each direction.
///
/// A link has no deadline while it is open (SPEC §17). A driver that wants one compares two of these.
public struct PayloadProgress: Hashable, Sendable {
    /// How far one direction has come. Both numbers only grow.
    public struct Mark: Hashable, Sendable {
        /// Bytes of payload frames.
        public internal(set) var bytes: UInt64 = 0
        /// The peer's answers to local files.
        public internal(set) var steps: UInt64 = 0

        init() {}
    }

    /// Whether something that the local peer sends waits for the transport or the peer: a message that has credit, or
    /// supplied bytes of a file. A file that was sent whole does not: the peer may take its time to store it, and
    /// keep-alive notices one that is gone.
    public let isSending: Bool
    /// Whether local messages wait for the transport or for the peer's credit.
    public let hasUnsentMessages: Bool
    /// How far the local peer's payload has come.
    public let sent: Mark
    /// Whether the peer has begun something that it must continue: the bytes of a file.
    public let isReceiving: Bool
    /// How far the peer's payload has come.
    public let received: Mark
}

extension Link {
    /// The progress of payload. Nil before the link is open, and after the app has closed it.
    public var progress: PayloadProgress? {
        stage == .open ? state.payload?.progress : nil
    }
}
