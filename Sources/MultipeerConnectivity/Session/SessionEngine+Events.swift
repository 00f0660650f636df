import Foundation
import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// What a session of `Multipeer` reports.
extension SessionEngine {
    func take(_ event: SessionEvent, in generation: SessionGeneration) async {
        switch event {
        case .connecting(let peer): linking(peer, in: generation)
        case .connected(let member): connected(member.id, in: generation)
        // Its member is connected all the time, for an app of Apple's framework.
        case .reconnecting: break
        case .disconnected(let member, let reason):
            note(reason.undelivered, to: member.id)
            ended(member.id, in: generation, MCDisconnectReason(reason))
        case .failed(let peer, let reason): ended(peer, in: generation, MCDisconnectReason(reason))
        case .message(let message, let member):
            let (peer, data) = (known(member.id), Data(message.bytes))
            await deliver(in: generation) { session, delegate in
                delegate.session(session, didReceive: data, fromPeer: peer)
            }
        case .file(let offer): receive(offer, in: generation)
        case .stream(let stream): receive(stream, in: generation)
        case .warning(.undelivered(let peer, let undelivered)): note(undelivered, to: peer)
        // What Apple's framework does not know of.
        case .comparisonWanted, .verified, .warning: break
        }
    }

    /// Apple's framework has no way to tell an app that a message did not arrive.
    private func note(_ undelivered: UndeliveredMessages, to peer: PeerID) {
        guard !undelivered.isEmpty else { return }
        Notices.print("the connection to \(known(peer).displayName) has ended; \(undelivered)")
    }

    private func receive(_ stream: PeerStream, in generation: SessionGeneration) {
        let peer = known(stream.member.id)
        let bytes = IncomingBytes(of: stream)
        bytes.begin()
        // Where no delegate hears of it, it is given up with this reference.
        let input = Carried(MCInputStream(bytes))
        tell { session, delegate in
            guard self.isCurrent(generation) else { return }
            delegate.session(session, didReceive: input.value, withName: stream.name, fromPeer: peer)
        }
    }

    // MARK: Messages

    func send(_ data: Data, to peers: [MCPeerID], _ mode: MCSessionSendDataMode) throws(MCError) {
        guard !peers.isEmpty else { throw MCError(.invalidParameter, "sending: nobody is named") }
        let (session, targets) = try connected(peers)
        let bytes = Array(data)
        for target in targets {
            do throws(MultipeerError) {
                switch mode {
                case .reliable: try session.enqueue(bytes, to: target)
                case .unreliable: try session.trySend(unreliable: bytes, to: target)
                }
            } catch {
                throw MCError(error)
            }
        }
    }

    /// The peers, all of which are connected.
    func connected(_ peers: [MCPeerID]) throws(MCError) -> (Session, [PeerID]) {
        let targets = state.withLock { state -> (SessionGeneration, [PeerID])? in
            guard let generation = state.generation else { return nil }
            var targets: [PeerID] = []
            for peer in peers {
                guard let peerState = state.peerStates[peer], peerState.state == .connected,
                    let key = peerState.peer.key
                else { return nil }
                targets.append(PeerID(key: key, displayName: nil))
            }
            return (generation, targets)
        }
        guard let (generation, peers) = targets, let session = generation.session,
            peers.allSatisfy({ [.connected, .reconnecting].contains(session.state(of: $0)) })
        else { throw MCError(.notConnected, "a peer is not connected") }
        return (session, peers)
    }
}
