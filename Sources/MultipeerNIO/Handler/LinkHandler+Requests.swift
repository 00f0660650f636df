import MultipeerCore
import MultipeerWire
import NIOCore

/// What the connection asks for, on the event loop.
extension LinkHandler {
    func perform<Result>(
        _ request: (inout Link, Instant) throws(RequestError) -> Result
    ) -> Swift.Result<Result, RequestError> {
        defer { settle() }
        takeMail()  // what was sent before comes before
        do throws(RequestError) {
            return .success(try request(&link, now))
        } catch {
            return .failure(error)
        }
    }

    func close() {
        // What was sent before is queued before; what is sent from now on is refused.
        takeMail()
        link.close(at: now)
        _ = gate.stop(.wrongStage(link.stage))
        settle()
    }

    func close(_ code: CloseCode) {
        takeMail()
        link.close(code, at: now)
        settle()
    }

    /// A session ends in good order; what is no session yet is told that the program ends.
    /// Returns the end of the transport.
    func shutDown() -> EventLoopFuture<Void> {
        guard let context else { return eventLoop.makeSucceededVoidFuture() }
        let end = context.channel.closeFuture
        if link.stage == .open || link.stage == .draining { close() } else { close(.shuttingDown) }
        return end
    }

    var status: LinkStatus {
        LinkStatus(
            stage: link.stage, queuedByteCount: link.queuedByteCount + gate.status.mailBytes,
            suspendedSends: gate.status.suspended, undeliveredEventCost: events.cost, isReadingPaused: !mayRead)
    }
}
