import Dispatch
import Foundation
import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import Synchronization

/// The implementation of ``MCNearbyServiceBrowser``.
final class BrowserEngine: Sendable {
    let myPeerID: MCPeerID
    let service: ServiceType
    /// As the app has written it.
    let serviceType: String
    let owner = WeakReference<MCNearbyServiceBrowser>()
    let delegate = WeakReference<any MCNearbyServiceBrowserDelegate>()
    private let local: LocalPeer
    private let queue = DispatchQueue(label: "MCNearbyServiceBrowser")
    private let state = Mutex(State())

    private struct State {
        var run: Run?
        var found: [MCPeerID: Found] = [:]
    }

    /// A peer that was found. Where it was stays known when it is not found any more: it may be there still.
    private struct Found {
        let peer: MCPeerID
        var nearby: NearbyPeer
        var isHere = true
    }

    /// How many peers that are not found any more are remembered.
    private static let mostLost = 256

    /// From a start to the next stop.
    private final class Run: Sendable {
        private let task = Mutex<Task<Void, Never>?>(nil)

        func begin(_ body: @escaping @Sendable () async -> Void) { task.withLock { $0 = Task { await body() } } }
        func end() { task.withLock { $0 }?.cancel() }
    }

    init(_ myPeerID: MCPeerID, _ serviceType: String) {
        self.myPeerID = myPeerID
        self.serviceType = serviceType
        service = AppArgument.service(serviceType)
        local = LocalPeer.of(myPeerID)
    }

    func start() {
        let new = Run()
        let isNew = state.withLock { state in
            guard state.run == nil else { return false }
            state.run = new
            return true
        }
        guard isNew else { return }
        new.begin { [weak self, local, service] in
            await Self.browse(local, service) { event in
                self?.take(event, in: new)
            } failing: { error in
                self?.fail(new, error)
            }
        }
    }

    /// Nobody is lost by that: the app has stopped to look.
    func stop() {
        let run = state.withLock { state in
            for peer in state.found.keys { state.found[peer]?.isHere = false }
            return state.run.take()
        }
        run?.end()
    }

    /// Looks until the task is cancelled.
    private static func browse(
        _ local: LocalPeer, _ service: ServiceType, _ told: (BrowserEvent) -> Void,
        failing fail: (any Error) -> Void
    ) async {
        do {
            let peer = try await local.start().get()
            let browser = Browser(of: peer, for: service, by: NearbyDiscovery.current)
            try await browser.start()
            for await event in browser.events { told(event) }
            await browser.stop()
        } catch {
            fail(error)
        }
    }

    private func fail(_ failed: Run, _ error: any Error) {
        let told = MCError(.unavailable, "browsing: \(error)", underlying: error)
        state.withLock { state in
            guard state.run === failed else { return }
            state.run = nil
            tell { browser, delegate in delegate.browser(browser, didNotStartBrowsingForPeers: told) }
        }
    }

    // MARK: Peers nearby

    private func take(_ event: BrowserEvent, in run: Run) {
        state.withLock { state in
            guard state.run === run else { return }
            switch event {
            case .found(let nearby), .changed(let nearby): found(nearby, &state)
            case .lost(let nearby): lost(nearby, &state)
            // Peers that were found are lost one by one.
            case .failed: break
            }
        }
    }

    private func found(_ nearby: NearbyPeer, _ state: inout State) {
        // A peer that shows neither name nor key is found by those alone that know it already.
        guard !nearby.isPrivate, let name = nearby.displayName else { return }
        let new = MCPeerID(name.description, key: nearby.known?.key, tag: nearby.id)
        let before = state.found[new]
        let peer = before?.peer ?? new
        if let key = nearby.known?.key { peer.learn(key) }
        state.found[new] = Found(peer: peer, nearby: nearby)
        if let before, before.isHere {
            guard before.nearby.info != nearby.info else { return }
            // It says something else: for the app it is gone, and there again.
            tell { browser, delegate in delegate.browser(browser, lostPeer: peer) }
        }
        let pairs = nearby.info.pairs.map { ($0.key, $0.value) }
        let info = pairs.isEmpty ? nil : Dictionary(pairs) { first, _ in first }
        tell { browser, delegate in delegate.browser(browser, foundPeer: peer, withDiscoveryInfo: info) }
    }

    private func lost(_ nearby: NearbyPeer, _ state: inout State) {
        let id = MCPeerID(nearby.name, key: nearby.known?.key, tag: nearby.id)
        guard let found = state.found[id], found.isHere else { return }
        state.found[id]?.isHere = false
        if state.found.values.count(where: { !$0.isHere }) > Self.mostLost {
            state.found = state.found.filter { $0.value.isHere }
        }
        tell { browser, delegate in delegate.browser(browser, lostPeer: found.peer) }
    }

    private func tell(
        _ body: @escaping @Sendable (MCNearbyServiceBrowser, any MCNearbyServiceBrowserDelegate) -> Void
    ) {
        queue.async { [owner, delegate] in
            guard let browser = owner.value, let delegate = delegate.value else { return }
            body(browser, delegate)
        }
    }

    func invite(_ peer: MCPeerID, to session: SessionEngine, _ context: Data?, _ timeout: TimeInterval) {
        let found = state.withLock { $0.found[peer] }
        session.invite(found?.peer ?? peer, at: found.map { PeerPlaces($0.nearby) }, context, timeout)
    }
}
