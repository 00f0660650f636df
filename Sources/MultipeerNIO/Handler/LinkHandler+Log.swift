import Logging
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import NIOCore

extension LinkHandler {
    /// Logs at debug level, without names, payload or secrets.
    func log(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]) {
        logger?.debug(message, metadata: metadata())
    }

    /// Logs the link's progress, and notifies the observer.
    func note(_ event: LinkEvent) {
        switch event {
        case .identified(let peer):
            log("peer identified")
            observer?.linkIdentified(peer)
        case .opened:
            log("session open")
            observer?.linkOpened()
        case .closed(.finished): log("link finished")
        case .closed(.failed(let failure)): log("link failed", ["failure": .string("\(failure)")])
        case .verification(.codeVerified): log("peer verified by a code")
        case .invited, .invitationAccepted, .probeAnswered, .datagramPath, .datagram, .verify, .verification, .message,
            .incomingFile,
            .outgoingFile, .trace,
            .stream, .messages, .memoryWanted, .memoryReturned, .messageStalled:
            break
        }
    }
}

/// An observer of one link, called on its event loop.
protocol LinkObserver: AnyObject {
    /// The peer has been identified, so the handshake is no longer half-open.
    func linkIdentified(_ peer: PeerID)
    /// The session is open.
    func linkOpened()
    /// The handler has left its pipeline.
    func linkEnded()
}
