public import Foundation
import Multipeer
import MultipeerClock
import MultipeerCrypto
import MultipeerNIO
import Synchronization

/// Discovery by the app's own means: the data that peers exchange is the link to a peer of SPEC §25.9, which says its
/// key and where it listens, and holds no secret.
extension SessionEngine {
    func connectionData(_ handler: @escaping (Data?, (any Error)?) -> Void) {
        let handler = Carried(handler)
        let generation = currentGeneration()
        generation.run { [queue] in
            do throws(MCDisconnectReason) {
                let data = Data(try await self.connectionLink(in: generation).description.utf8)
                queue.async { handler.value(data, nil) }
            } catch {
                let told = MCError(.unavailable, error.description, underlying: error)
                queue.async { handler.value(nil, told) }
            }
        }
    }

    private func connectionLink(in generation: SessionGeneration) async throws(MCDisconnectReason) -> PeerLink {
        let addresses = ListeningPlace.reachable(at: try await generation.endpoint())
        return PeerLink(key: local.key, addresses: addresses, name: myPeerID.wireName)
    }

    func connect(_ peer: MCPeerID, _ data: Data) {
        let generation = begin(peer, by: .thisSide, for: Self.timeout(0))
        guard let link = PeerLink(connectionData: data), Cryptography.tag(of: link.key) == peer.tag,
            peer.key ?? link.key == link.key, link.key != local.key
        else {
            let reason = MCDisconnectReason(
                .invalidParameter, "connecting: this is no connection data of \(peer.displayName)",
                remedy: "Give the data that the peer itself has made")
            return finish(peer, by: .thisSide, in: generation, reason)
        }
        peer.learn(link.key)
        generation.expectations.add(link.key)
        let call = Call(
            peer: peer, places: PeerPlaces(link), context: [],
            deadline: local.clock.now.advanced(by: Self.timeout(0)), connectionsBefore: connections, isMutual: true)
        state.withLock { state in
            state.lastCall += 1
            let number = state.lastCall
            let task = generation.run {
                var reason: MCDisconnectReason?
                do throws(MCDisconnectReason) {
                    try await self.bring(call, in: generation)
                } catch {
                    reason = error
                }
                generation.expectations.remove(link.key)
                self.state.withLock { $0.endCall(number, to: peer) }
                self.finish(peer, by: .thisSide, in: generation, reason)
            }
            if state.generation === generation { state.connecting[peer, default: [:]][number] = task }
        }
    }

    func cancelConnect(_ peer: MCPeerID) {
        let calls = state.withLock { $0.connecting.removeValue(forKey: peer) } ?? [:]
        for task in calls.values { task.cancel() }
    }
}

extension SessionEngine.State {
    fileprivate mutating func endCall(_ number: Int, to peer: MCPeerID) {
        connecting[peer]?[number] = nil
        if connecting[peer]?.isEmpty ?? false { connecting[peer] = nil }
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
