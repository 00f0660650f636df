import Foundation
import Multipeer
import MultipeerClock
import MultipeerCore
import MultipeerCrypto

/// Invitations in both directions.
extension SessionEngine {
    /// How long an invitation may take, in seconds: Apple's default, and the most that the protocol allows.
    static let defaultTimeout: TimeInterval = 30
    static let longestTimeout: TimeInterval = 600

    static func timeout(_ seconds: TimeInterval) -> Duration {
        guard seconds > 0 else { return .seconds(defaultTimeout) }
        return .seconds(min(max(seconds, 0.001), longestTimeout))
    }

    /// Invites a peer that was found; nil if it is not known where it is.
    func invite(_ peer: MCPeerID, at places: PeerPlaces?, _ context: Data?, _ timeout: TimeInterval) {
        let timeout = Self.timeout(timeout)
        let (generation, before) = (begin(peer, by: .thisSide, for: timeout), connections)
        generation.run {
            var reason: MCDisconnectReason?
            do throws(MCDisconnectReason) {
                guard let places else { throw Self.unknown(peer) }
                let deadline = self.local.clock.now.advanced(by: timeout)
                try await self.bring(
                    Call(
                        peer: peer, places: places, context: Array(context ?? Data()), deadline: deadline,
                        connectionsBefore: before), in: generation)
            } catch {
                reason = error
            }
            self.finish(peer, by: .thisSide, in: generation, reason)
        }
    }

    private static func unknown(_ peer: MCPeerID) -> MCDisconnectReason {
        MCDisconnectReason(
            .unreachable, "invitation: \(peer.displayName) was not found by this browser",
            remedy: "Invite a peer that was found")
    }

    /// Accepts an invitation to an advertiser.
    func accept(_ incoming: Invitation, of peer: MCPeerID) {
        let generation = begin(peer, by: .peer, for: incoming.timeout)
        generation.run {
            var reason: MCDisconnectReason?
            do throws(MCDisconnectReason) {
                try await self.accept(incoming, of: peer, in: generation)
            } catch {
                incoming.decline()
                reason = error
            }
            self.finish(peer, by: .peer, in: generation, reason)
        }
    }

    private func accept(
        _ incoming: Invitation, of peer: MCPeerID, in generation: SessionGeneration
    ) async throws(MCDisconnectReason) {
        let session = try await generation.start()
        do throws(MultipeerError) {
            try await incoming.join(session)
        } catch {
            // Another link to the peer decides, or its next invitation, which needs no answer of the app.
            guard error.prospect == .again, local.consents.isWelcome(peer.tag),
                try await connects(peer, by: local.clock.now.advanced(by: Self.grace), in: generation)
            else {
                if error.prospect != .again { local.consents.remove(peer.tag, of: self) }
                throw MCDisconnectReason(error)
            }
        }
    }

    /// How long a peer whose invitation was accepted, and failed because of others, may take for the next one.
    private static let grace: Duration = .seconds(5)
}
