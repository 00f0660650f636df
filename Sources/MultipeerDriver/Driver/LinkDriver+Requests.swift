public import MultipeerCore
public import MultipeerWire

/// What the app asks for, on the driver's thread. Drain the driver afterwards.
extension LinkDriver {
    /// Runs a request on the link, after the messages that were sent before it.
    public func perform<Result>(
        at now: Instant, _ request: (inout Link, Instant) throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        queueAcceptedMessages(at: now)
        return try request(&link, now)
    }

    /// Ends the link in good order (`Link.close(at:)`). Messages that were sent before go out first; later ones are refused.
    public func close(at now: Instant) {
        queueLastMessages(at: now)
        link.close(at: now)
        deliverEvents()
    }

    /// Ends the link at once with a code that says why (`Link.close(_:at:)`).
    public func close(_ code: CloseCode, at now: Instant) {
        queueLastMessages(at: now)
        link.close(code, at: now)
        deliverEvents()
    }

    /// Ends an open session in good order. A link that is no session yet tells the peer that the program ends.
    public func shutDown(at now: Instant) {
        switch link.stage {
        case .open: close(at: now)
        case .hello, .proof, .info, .identified, .inviting, .invited, .certificates: close(.shuttingDown, at: now)
        case .draining, .closing, .closed: break
        }
    }

    /// Closes the transport at once, and leaves the rest to the peer. The link is truncated on both sides.
    public func abort(at now: Instant) {
        receiveEnd(at: now)
        transport.abort()
    }
}
