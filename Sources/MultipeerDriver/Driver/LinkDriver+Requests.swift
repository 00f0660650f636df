public import MultipeerCore
public import MultipeerWire

/// The requests of the app, on the driver's thread. Drain the driver after each of them.
extension LinkDriver {
    /// Runs a request on the link, after the messages that were sent earlier.
    public func perform<Result>(
        at now: Instant, _ request: (inout Link, Instant) throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        queueAcceptedMessages(at: now)
        return try request(&link, now)
    }

    /// Closes the link properly (`Link.close(at:)`). Messages that were sent earlier leave first, and later ones are
    /// refused.
    public func close(at now: Instant) {
        close(.noError, at: now) { $0.close(at: now) }
    }

    /// Closes the link at once with a code that gives the reason (`Link.close(_:at:)`).
    public func close(_ code: CloseCode, at now: Instant) {
        close(code, at: now) { $0.close(code, at: now) }
    }

    private func close(_ code: CloseCode, at now: Instant, _ closeOwn: (inout Link) -> Void) {
        queueLastMessages(at: now)
        if let node, let number { return node.closeLink(number, code, at: now) }
        closeOwn(&link)
        deliverEvents(at: now)
    }

    /// Ends the link because the local peer's own limits do not let it continue. The app gets the reason.
    public func fail(_ limit: LocalLimit, at now: Instant) {
        link.fail(limit, at: now)
        deliverEvents(at: now)
    }

    /// Closes an open session properly. Tells the peer of any other link that the program ends.
    public func shutDown(at now: Instant) {
        switch link.stage {
        case .open: close(at: now)
        case .hello, .proof, .info, .identified, .pairing, .resuming, .inviting, .invited, .certificates:
            close(.shuttingDown, at: now)
        case .draining, .closing: break
        case .closed: if isReconnecting { close(.shuttingDown, at: now) }
        }
    }

    /// Closes the transport at once. Both peers report the link as truncated.
    public func abort(at now: Instant) {
        if isReconnecting { close(at: now) }
        receiveEnd(at: now)
        transport.abort()
    }
}
