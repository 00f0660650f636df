import MultipeerCore
import MultipeerWire
import NIOCore

/// What the connection asks for, on the event loop.
extension LinkHandler {
    func perform<Result>(
        _ request: (inout Link, Instant) throws(Misuse) -> Result
    ) -> Swift.Result<Result, Misuse> {
        defer { settle() }
        do throws(Misuse) {
            return .success(try request(&link, now))
        } catch {
            return .failure(error)
        }
    }

    func close() {
        link.close(at: now)
        settle()
    }

    func close(_ code: CloseCode) {
        link.close(code, at: now)
        settle()
    }

    /// A session ends in good order; what is no session yet is told that the program ends.
    /// Returns the end of the transport.
    func shutDown() -> EventLoopFuture<Void> {
        guard let context else { return eventLoop.makeSucceededVoidFuture() }
        let end = context.channel.closeFuture
        if link.stage == .open { close() } else { close(.shuttingDown) }
        return end
    }

    var status: LinkStatus {
        LinkStatus(
            stage: link.stage, queuedByteCount: link.queuedByteCount, suspendedSends: waitingSends.count,
            undeliveredEventCost: events.cost, isReadingPaused: !mayRead)
    }
}
