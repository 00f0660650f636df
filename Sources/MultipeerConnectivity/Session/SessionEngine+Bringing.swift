import Multipeer
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What an app wants when it invites a peer, or connects to it.
struct Call: Sendable {
    let peer: MCPeerID
    let places: PeerPlaces
    let context: [UInt8]
    let deadline: ContinuousClock.Instant
    /// How many peers had become connected when it began (``SessionEngine/connections``).
    let connectionsBefore: Int
    /// Whether the peer connects as well.
    var isMutual = false
}

/// What may still become of a peer after an invitation that has failed.
enum Prospect {
    /// Nothing.
    case none
    /// Another link decides, or there is no room for the moment. The next invitation may succeed.
    case again
    /// The local peer does not reach the remote peer, which may reach the local peer.
    case elsewhere
}

extension SessionEngine {
    /// Invites a peer until it is connected.
    ///
    /// Where both invite, an invitation may fail only because of what becomes of the other one. Both want to be connected still, so the
    /// local peer invites again as long as its time lasts. The peer's app is not asked again (``Consents``).
    func bring(_ call: Call, in generation: SessionGeneration) async throws(MCDisconnectReason) {
        let session = try await generation.start()
        var patience = Patience()
        while true {
            let error: MultipeerError
            do throws(MultipeerError) {
                let timeout = max(local.clock.now.duration(to: call.deadline), .milliseconds(1))
                let member = try await session.invite(call.places, context: call.context, timeout: timeout)
                return call.peer.learn(member.id.key)
            } catch let failure {
                error = failure
            }
            if hasConnected(call.peer, since: call.connectionsBefore) { return }
            guard !Task.isCancelled else { throw MCDisconnectReason(MultipeerError.connection(.cancelled)) }
            let next = try next(after: error, call, &patience)
            if try await connects(call.peer, by: next, in: generation) { return }
            guard local.clock.now < call.deadline else { throw MCDisconnectReason(error) }
        }
    }

    /// When the local peer invites again, unless the remote peer is connected by then.
    private func next(
        after error: MultipeerError, _ call: Call, _ patience: inout Patience
    ) throws(MCDisconnectReason) -> ContinuousClock.Instant {
        switch error.prospect {
        case .again: min(call.deadline, local.clock.now.advanced(by: patience.next()))
        case .elsewhere where call.isMutual: call.deadline
        case .elsewhere, .none: throw MCDisconnectReason(error)
        }
    }
}

/// How long to wait before the next invitation: longer each time, and not the same for two that began at once.
private struct Patience {
    private static let longest = 4_000
    private var milliseconds = 50

    mutating func next() -> Duration {
        defer { milliseconds = min(2 * milliseconds, Self.longest) }
        return .milliseconds(Int.random(in: milliseconds / 2...milliseconds))
    }
}

extension MultipeerError {
    var prospect: Prospect {
        switch cause {
        // The peer's own invitation decides, or the session was not there any more.
        case .closed, .request(.alreadyLinked), .request(.mayNotAdmit), .request(.unknownLink),
            .request(.unknownSession), .request(.link(.wrongStage)):
            .again
        case .unreachable: .elsewhere
        case .link(let failure): failure.cause.prospect
        default: .none
        }
    }
}

extension LinkFailureCause {
    fileprivate var prospect: Prospect {
        switch self {
        case .invitation(.superseded), .invitation(.withdrawn), .invitation(.withdrawnByPeer), .invitation(.peerBusy):
            .again
        case .peerClosed(.noError), .peerClosed(.duplicateLink): .again
        case .invitation(.sessionFull), .invitation(.noAnswer), .timedOut, .silent, .truncated, .limit: .elsewhere
        case .peerClosed(let code): code == .shuttingDown ? .elsewhere : .none
        case .invitation, .certificate, .malformed, .violation, .incompatible, .verification, .crypto: .none
        }
    }
}
