import Dispatch
import Foundation
import Multipeer
import MultipeerClock
import MultipeerCrypto
package import MultipeerDiscovery
import Synchronization

/// How this module finds peers. Tests put a network of the memory in the place of the real one.
package enum NearbyDiscovery {
    private static let chosen = Mutex<(any ServiceDiscovery)?>(nil)

    /// What advertisers and browsers use that begin from now on; nil for the network.
    package static func use(_ discovery: (any ServiceDiscovery)?) { chosen.withLock { $0 = discovery } }

    static var current: (any ServiceDiscovery)? { chosen.withLock { $0 } }
}

/// The implementation of ``MCNearbyServiceAdvertiser``.
final class AdvertiserEngine: Sendable {
    let myPeerID: MCPeerID
    let service: ServiceType
    /// As the app has written them.
    let serviceType: String
    let info: [String: String]?
    let owner = WeakReference<MCNearbyServiceAdvertiser>()
    let delegate = WeakReference<any MCNearbyServiceAdvertiserDelegate>()
    private let local: LocalPeer
    private let advertised: DiscoveryInfo
    private let queue = DispatchQueue(label: "MCNearbyServiceAdvertiser")
    private let state = Mutex(State())

    private struct State {
        /// From a start to the next stop.
        var run: Run?
        /// The run before, whose name is free when it has ended.
        var last: Task<Void, Never>?
        var lastNumber = 0
    }

    private struct Run {
        let number: Int
        let task: Task<Void, Never>
    }

    init(_ myPeerID: MCPeerID, _ info: [String: String]?, _ serviceType: String) {
        self.myPeerID = myPeerID
        self.info = info
        self.serviceType = serviceType
        service = AppArgument.service(serviceType)
        advertised = AppArgument.info(info ?? [:])
        local = LocalPeer.of(myPeerID)
    }

    func start() {
        state.withLock { state in
            guard state.run == nil else { return }
            state.lastNumber += 1
            let (number, last) = (state.lastNumber, state.last)
            let task = Task { [weak self, local, service, advertised] in
                await last?.value
                await Self.advertise(local, service, advertised) { incoming in
                    self?.ask(incoming)
                } failing: { error in
                    self?.fail(number, error)
                }
            }
            (state.run, state.last) = (Run(number: number, task: task), task)
            Farewells.add(task)
        }
    }

    func stop() { state.withLock { $0.run.take() }?.task.cancel() }

    /// Advertises until the task is cancelled.
    private static func advertise(
        _ local: LocalPeer, _ service: ServiceType, _ info: DiscoveryInfo,
        _ invited: (Invitation) -> Void, failing fail: (any Error) -> Void
    ) async {
        do {
            let peer = try await local.start().get()
            try Task.checkCancellation()
            let advertiser = Advertiser(
                of: peer, for: service, info: info, at: ListeningPlace.forAdvertiser, by: NearbyDiscovery.current)
            try await advertiser.start()
            for await incoming in advertiser.invitations { invited(incoming) }
            await advertiser.stop()
        } catch {
            fail(error)
        }
    }

    private func fail(_ number: Int, _ error: any Error) {
        let isCurrent = state.withLock { state in
            guard state.run?.number == number else { return false }
            state.run = nil
            return true
        }
        guard isCurrent else { return }
        let told = MCError(.unavailable, "advertising: \(error)", underlying: error)
        queue.async { [owner, delegate] in
            guard let advertiser = owner.value else { return }
            delegate.value?.advertiser(advertiser, didNotStartAdvertisingPeer: told)
        }
    }

    /// Asks the app. An answer that never comes is none: the invitation is declined when nobody keeps the handler.
    private func ask(_ incoming: Invitation) {
        let peer = MCPeerID(incoming.peer)
        let context = incoming.context
        if let session = local.consents.session(for: peer.tag, context) { return session.accept(incoming, of: peer) }
        let until = local.clock.now.advanced(by: incoming.timeout)
        queue.async { [owner, delegate, local] in
            guard let advertiser = owner.value, let delegate = delegate.value else { return incoming.decline() }
            let answer = InvitationReply(incoming, peer, local, until: until)
            delegate.advertiser(
                advertiser, didReceiveInvitationFromPeer: peer,
                withContext: context.isEmpty ? nil : Data(context)
            ) { isAccepted, session in answer.give(isAccepted ? session : nil) }
        }
    }
}

/// The answer of an app to an invitation. Only the first one counts.
private final class InvitationReply: Sendable {
    private let incoming: Mutex<Invitation?>
    private let peer: MCPeerID
    private let local: LocalPeer
    /// When the peer waits no longer.
    private let until: ContinuousClock.Instant

    init(_ incoming: Invitation, _ peer: MCPeerID, _ local: LocalPeer, until: ContinuousClock.Instant) {
        self.incoming = Mutex(incoming)
        self.peer = peer
        self.local = local
        self.until = until
    }

    func give(_ session: MCSession?) {
        guard let incoming = incoming.withLock({ $0.take() }) else { return }
        // A session of another peer ID of this process has other links.
        guard let session, session.engine.local === local else { return incoming.decline() }
        local.consents.accepted(peer.tag, incoming.context, into: session.engine, until: until)
        session.engine.accept(incoming, of: peer)
    }
}
