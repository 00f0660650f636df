public import MultipeerCore

/// What waits where on a link.
public struct LinkStatus: Hashable, Sendable {
    /// How far the link has come.
    public let stage: LinkStage
    /// Bytes of messages that wait to be sealed.
    public let queuedByteCount: Int
    /// Calls of ``SendQueue/send(_:isolation:)`` that are suspended.
    public let suspendedSends: Int
    /// What undelivered events cost (``DriverOptions/events``).
    public let undeliveredEventCost: Int
    /// Whether reading waits for the app to take events.
    public let isReadingPaused: Bool
}
