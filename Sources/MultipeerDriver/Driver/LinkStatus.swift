public import MultipeerCore

/// A snapshot of a link's queues.
public struct LinkStatus: Hashable, Sendable {
    /// The stage of the link.
    public let stage: LinkStage
    /// The number of bytes of messages that wait to be sealed.
    public let queuedByteCount: Int
    /// The number of suspended calls of ``SendQueue/send(_:isolation:)``.
    public let suspendedSends: Int
    /// The cost of undelivered events (``DriverOptions/events``).
    public let undeliveredEventCost: Int
    /// Whether reading is paused until the app takes events.
    public let isReadingPaused: Bool
    /// Whether messages that may be lost go as datagrams beside the link (SPEC §26).
    public let hasDatagramPath: Bool
}
