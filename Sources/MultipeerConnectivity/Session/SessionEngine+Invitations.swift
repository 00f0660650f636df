import Foundation
import Multipeer
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
        let round = begin(peer)
        round.run {
            var reason: MCDisconnectReason?
            do throws(MCDisconnectReason) {
                guard let places else { throw Self.unknown(peer) }
                let time = Self.timeout(timeout)
                let member = try await self.invite(at: places, Array(context ?? Data()), time, in: round)
                peer.learn(member.id.key)
            } catch {
                reason = error
            }
            self.finish(peer, in: round, reason)
        }
    }

    private static func unknown(_ peer: MCPeerID) -> MCDisconnectReason {
        MCDisconnectReason(
            .unreachable, "invitation: \(peer.displayName) was not found by this browser",
            remedy: "Invite a peer that was found")
    }

    private func invite(
        at places: PeerPlaces, _ context: [UInt8], _ timeout: Duration, in round: Round
    ) async throws(MCDisconnectReason) -> Member {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let session = try await round.start()
        do throws(ConnectionError) {
            return try await session.invite(places, context: context, timeout: timeout)
        } catch {
            // It is among others. Its app may have accepted all the same: then this side comes to them.
            guard error.isBusy, session.connectedPeers.isEmpty else { throw MCDisconnectReason(error) }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, let member = await Self.join(session, places, within: left) else {
                throw MCDisconnectReason(error)
            }
            return member
        }
    }

    private static func join(_ session: Session, _ places: PeerPlaces, within time: Duration) async -> Member? {
        await withTaskGroup(of: Member?.self) { group in
            group.addTask { try? await session.join(places, timeout: time) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// Accepts an invitation to an advertiser.
    func accept(_ incoming: IncomingInvitation, of peer: MCPeerID) {
        let round = begin(peer)
        round.run {
            var reason: MCDisconnectReason?
            do throws(MCDisconnectReason) {
                let session = try await round.start()
                do throws(ConnectionError) {
                    try await incoming.join(session)
                } catch {
                    throw MCDisconnectReason(error)
                }
            } catch {
                incoming.decline()
                reason = error
            }
            self.finish(peer, in: round, reason)
        }
    }
}

extension ConnectionError {
    /// Whether the peer is in another session with others.
    fileprivate var isBusy: Bool {
        if case .failed(let failure) = self { failure.cause == .invitation(.peerBusy) } else { false }
    }
}
