/// A stream's number on a link, whichever peer opened it (SPEC §13.2).
public struct StreamID: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64
}

/// How one direction of a stream ended (R15.6-7).
@nonexhaustive
public enum StreamEnding: Hashable, Sendable {
    /// All of it has come.
    case complete
    /// Its sender gave it up, with a code of SPEC §15.6.
    case reset(UInt64)
    /// The link ended before.
    case linkEnded
}

/// What happens to streams.
@nonexhaustive
public enum StreamEvent: Hashable, Sendable {
    /// The peer opened a stream. Its name says what it is for.
    case opened(StreamID, name: String)
    /// The next bytes. Say so by `Link.releaseCredit(_:of:at:)` once the app has taken them, or the stream stops.
    case data(StreamID, [UInt8])
    /// The peer's direction has ended, after its last byte. Say so by `Link.tookEnd(of:at:)` once the app has taken it
    /// and all bytes, or the peer can open fewer streams.
    case ended(StreamID, StreamEnding)
    /// The local direction has ended before its time: the peer wants no more of it, with a code of SPEC §15.6, or the
    /// link has ended. What waited to be sent is dropped.
    case stopped(StreamID, code: UInt64?)
    /// Little waits to be sent: the app may write on.
    case writable(StreamID)
    /// The peer takes more streams.
    case mayOpen
}
