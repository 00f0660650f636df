public import MultipeerCore
public import MultipeerDriver

/// Why a connection to a member has ended, or was not made (SPEC §14.9).
public struct DisconnectReason: Hashable, Sendable {
    /// What it means: whether the peer has left, closed, was lost, refused, or misbehaved.
    public let departure: Departure
    /// What ended the connection itself.
    public let end: LinkEnd
    /// How many messages to the peer did not arrive for certain.
    public let undelivered: UndeliveredMessages

    init(departure: Departure, end: LinkEnd, undelivered: UndeliveredMessages = UndeliveredMessages()) {
        (self.departure, self.end, self.undelivered) = (departure, end, undelivered)
    }

    /// Whether a connection is made again by itself as soon as that is possible.
    public var isRetried: Bool { departure == .lost }
}

extension DisconnectReason: CustomStringConvertible {
    /// What happened, in a sentence without a full stop.
    public var description: String {
        let what =
            switch departure {
            case .left: "left the session"
            case .closed: "closed the connection"
            case .lost: "connection lost"
            case .refused: "refused"
            case .failed: "failed"
            case .misbehaved: "broke the protocol"
            case .replaced: "connected anew"
            }
        guard case .failed(let failure) = end, departure != .left else { return what }
        return "\(what) (\(failure))"
    }

    /// What a person can do about it, in a sentence without a full stop; nil if there is nothing to be done.
    public var remedy: String? {
        guard departure != .left, case .failed(let failure) = end else { return nil }
        return failure.remedy
    }
}
