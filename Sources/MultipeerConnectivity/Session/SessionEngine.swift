import Dispatch
import Foundation
import Multipeer
import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire
import Synchronization

/// The implementation of ``MCSession``: its generations, the states of its peers, and the one queue on which its
/// delegate is called.
///
/// Apple's calls do not wait, and those of `Multipeer` do. So each call notes what it wants, and a task does it.
final class SessionEngine: Sendable {
    let myPeerID: MCPeerID
    let local: LocalPeer
    let certificate: LocalCertificate?
    let encryption: MCEncryptionPreference
    let owner = WeakReference<MCSession>()
    let delegate = WeakReference<any MCSessionDelegate>()
    /// Others that follow the states of peers.
    let watchers = PeerWatchers()
    /// Where the delegate is called.
    let queue = DispatchQueue(label: "MCSession")
    let state = Mutex(State())

    struct State {
        /// From the first use, or the first after ``SessionEngine/disconnect()``, to the next one.
        var generation: SessionGeneration?
        /// The end of the generation before.
        var leaving: Task<Void, Never>?
        var peerStates: [MCPeerID: PeerState] = [:]
        /// What waits until a peer is connected.
        var news = PeerNews()
        /// How many peers have become connected so far.
        var connections = 0
        /// What connects by exchanged data, by number.
        var connecting: [MCPeerID: [Int: Task<Void, Never>]] = [:]
        var lastCall = 0
        /// Streams to peers, which end with the connection.
        var outputs: [MCPeerID: [OutgoingBytes]] = [:]
        var trustPolicy = MCTrustPolicy.acceptNewcomers
        /// Whether the app has set the policy.
        var isPolicyChosen = false
        var maximumNumberOfPeers = kMCSessionMaximumNumberOfPeers
    }

    init(_ myPeerID: MCPeerID, certificate: LocalCertificate?, encryption: MCEncryptionPreference) {
        self.myPeerID = myPeerID
        self.certificate = certificate
        self.encryption = encryption
        local = LocalPeer.of(myPeerID)
    }

    var trustPolicy: MCTrustPolicy {
        get { state.withLock { $0.trustPolicy } }
        set {
            state.withLock { state in
                state.trustPolicy = newValue
                state.isPolicyChosen = true
            }
        }
    }

    var maximumNumberOfPeers: Int {
        get { state.withLock { $0.maximumNumberOfPeers } }
        set { state.withLock { $0.maximumNumberOfPeers = newValue } }
    }

    // MARK: Rounds

    /// The present generation, which begins if there is none.
    func currentGeneration() -> SessionGeneration { state.withLock { currentGeneration(&$0) } }

    func currentGeneration(_ state: inout State) -> SessionGeneration {
        if let generation = state.generation { return generation }
        let generation = SessionGeneration()
        state.generation = generation
        generation.begin(of: self, after: state.leaving)
        return generation
    }

    func isCurrent(_ generation: SessionGeneration) -> Bool { state.withLock { $0.generation === generation } }

    /// A session of `Multipeer` for a new generation.
    func makeSession(of peer: Peer) -> Session {
        let validator = DelegateValidator(engine: self, knownPeers: peer.knownPeers)
        return Session(
            of: peer, trust: .validator(validator), encryption: encryption.preference, certificate: certificate,
            parameters: CharterParameters(maximumMembers: maximumNumberOfPeers), isFoundedFirst: true)
    }

    /// Leaves, and says of every peer that it is not connected any more.
    func disconnect() {
        let ended = state.withLock { state in
            for peerState in state.peerStates.values.sorted(by: { $0.order < $1.order })
            where peerState.state != .notConnected {
                report(peerState.peer, .notConnected, .leftHere)
            }
            return endGeneration(&state)
        }
        ended.end()
    }

    /// Nobody uses the session any more.
    func end() {
        let ended = state.withLock { endGeneration(&$0) }
        ended.end()
    }

    /// What ends with a generation, outside of the lock.
    struct Ended {
        var tasks: [Task<Void, Never>] = []
        var outputs: [OutgoingBytes] = []

        func end() {
            for task in tasks { task.cancel() }
            for output in outputs { output.fail(MCError(.notConnected, "the session was left")) }
        }
    }

    private func endGeneration(_ state: inout State) -> Ended {
        let ended = Ended(
            tasks: state.connecting.values.flatMap(\.values), outputs: Array(state.outputs.values.joined()))
        (state.peerStates, state.connecting, state.outputs) = ([:], [:], [:])
        if let generation = state.generation.take() { state.leaving = generation.leave(after: state.leaving) }
        local.consents.remove(of: self)
        return ended
    }

    // MARK: The delegate

    /// Calls the delegate later, after all earlier calls.
    func tell(_ body: @escaping @Sendable (MCSession, any MCSessionDelegate) -> Void) {
        queue.async { [owner, delegate] in
            guard let session = owner.value, let delegate = delegate.value else { return }
            body(session, delegate)
        }
    }

    /// Calls the delegate, and returns when it has returned: what comes meanwhile waits at its sender. Of a generation
    /// that is over nothing is reported.
    func deliver(
        in generation: SessionGeneration, _ body: @escaping @Sendable (MCSession, any MCSessionDelegate) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            queue.async { [owner, delegate] in
                if self.isCurrent(generation), let session = owner.value, let delegate = delegate.value {
                    body(session, delegate)
                }
                continuation.resume()
            }
        }
    }
}

extension MCEncryptionPreference {
    /// The protocol's own.
    var preference: EncryptionPreference {
        switch self {
        case .optional: .optional
        case .required: .required
        case .none: .none
        }
    }
}
