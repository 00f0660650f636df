/// What has passed between the local peer and a member over the present connection.
public struct PeerStatistics: Hashable, Sendable {
    /// Messages that were given to the connection.
    public internal(set) var messagesSent: UInt64 = 0
    /// Their bytes.
    public internal(set) var messageBytesSent: UInt64 = 0
    /// Messages that came.
    public internal(set) var messagesReceived: UInt64 = 0
    /// Their bytes.
    public internal(set) var messageBytesReceived: UInt64 = 0
    /// Bytes of messages that wait to be sent.
    public internal(set) var queuedBytes = 0
    /// The time of the last probe and its answer (SPEC §13.7); nil before there was one.
    public internal(set) var roundTrip: Duration?
}
