public import Foundation
import Multipeer
import MultipeerCrypto
import MultipeerNIO
import Synchronization

/// Discovery by the app's own means: the data that peers exchange is the link to a peer of SPEC §25.9, which says who it is and where it
/// listens, and holds no secret.
extension SessionEngine {
    func connectionData(_ handler: @escaping (Data?, (any Error)?) -> Void) {
        let handler = Carried(handler)
        let round = currentRound()
        round.run { [queue] in
            do throws(MCDisconnectReason) {
                let data = Data(try await self.connectionLink(in: round).description.utf8)
                queue.async { handler.value(data, nil) }
            } catch {
                let told = MCError(.unavailable, error.description, underlying: error)
                queue.async { handler.value(nil, told) }
            }
        }
    }

    private func connectionLink(in round: Round) async throws(MCDisconnectReason) -> PeerLink {
        let addresses = ListeningPlace.reachable(at: try await round.endpoint())
        return PeerLink(key: local.key, addresses: addresses, name: myPeerID.wireName)
    }

    func connect(_ peer: MCPeerID, _ data: Data) {
        let round = begin(peer)
        guard let link = PeerLink(connectionData: data), Cryptography.tag(of: link.key) == peer.tag,
            peer.key ?? link.key == link.key, link.key != local.key
        else {
            let reason = MCDisconnectReason(
                .invalidParameter, "connecting: this is no connection data of \(peer.displayName)",
                remedy: "Give the data that the peer itself has made")
            return finish(peer, in: round, reason)
        }
        peer.learn(link.key)
        expectations.add(link.key)
        let task = round.run {
            var reason: MCDisconnectReason?
            do throws(MCDisconnectReason) {
                try await self.connect(link, in: round)
            } catch {
                reason = error
            }
            self.expectations.remove(link.key)
            self.state.withLock { $0.connecting[peer] = nil }
            self.finish(peer, in: round, reason)
        }
        state.withLock { state in
            if state.round === round { state.connecting[peer] = task }
        }
    }

    private func connect(_ link: PeerLink, in round: Round) async throws(MCDisconnectReason) {
        let timeout = Self.timeout(0)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let session = try await round.start()
        do throws(ConnectionError) {
            try await session.invite(PeerPlaces(link), context: [], timeout: timeout)
        } catch {
            // The peer connects as well, and what it has begun may succeed: it reaches this side, say, or is in a session with others.
            let (reason, peer) = (MCDisconnectReason(error), PeerID(key: link.key, displayName: nil))
            while reason.maySucceedElsewhere, session.state(of: peer) != .connected, ContinuousClock.now < deadline,
                (try? await Task.sleep(for: .milliseconds(50))) != nil
            {}
            guard session.state(of: peer) == .connected else { throw reason }
        }
    }

    func cancelConnect(_ peer: MCPeerID) {
        state.withLock { $0.connecting.removeValue(forKey: peer) }?.cancel()
    }
}

extension MCDisconnectReason {
    /// Whether the peer may become connected by what it has begun itself.
    fileprivate var maySucceedElsewhere: Bool {
        switch kind {
        case .busy, .unreachable, .timedOut, .closed, .failed: true
        case .left, .leftHere, .lost, .declined, .notTrusted, .encryptionMismatch, .cancelled, .invalidParameter: false
        }
    }
}

extension PeerLink {
    init?(connectionData data: Data) {
        guard let text = String(validating: data, as: UTF8.self), let link = try? PeerLink(text) else { return nil }
        self = link
    }
}

extension MCPeerID {
    /// The peer that has made connection data (``MCSession/nearbyConnectionData(forPeer:withCompletionHandler:)``): with it, nothing else
    /// has to be exchanged. Nil if it is none.
    public convenience init?(nearbyConnectionData data: Data) {
        guard let link = PeerLink(connectionData: data) else { return nil }
        self.init(PeerID(key: link.key, displayName: link.name))
    }
}
