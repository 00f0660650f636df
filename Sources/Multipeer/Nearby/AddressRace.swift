import MultipeerCore
package import MultipeerCrypto
import MultipeerDiscovery
import MultipeerDriver
import MultipeerNIO

/// Reaching a peer that has several addresses, of which some may lead nowhere, or to somebody else (SPEC §23.5).
extension PeerHost {
    /// Connects to the first address at which the right peer proves itself. Nobody is invited yet.
    /// - Parameter session: The session for which; nil if nobody will be invited.
    func reach(
        _ peer: PeerPlaces, for session: SessionCore?, _ purpose: LinkAttempt.Purpose, timeout: Duration
    ) async throws(MultipeerError) -> (LinkNumber, LinkAttempt) {
        var race = AddressRace(peer, host: self, session: session, purpose, timeout: timeout)
        return try await race.run()
    }
}

/// Where a peer may be reached, and the key that must answer there.
package struct PeerPlaces: Sendable {
    /// In the order in which they are tried.
    let addresses: [Endpoint]
    /// Which key it must have, if that is known.
    let key: IdentityKey?
    /// Which tag its key must have, if that is known.
    var tag: KeyTag?
    /// The name by which a person has chosen the peer, if that is all that is known of it.
    var name: DisplayName?

    package init(_ addresses: [Endpoint], expecting key: IdentityKey? = nil) {
        self.addresses = addresses
        self.key = key
    }

    package init(_ found: NearbyPeer) {
        addresses = found.addresses
        key = found.expected
        name = found.chosenName
        if case .key(let tag) = found.found.tag { self.tag = tag }
    }

    package init(_ link: PeerLink) { self.init(link.addresses, expecting: link.key) }
}

private struct AddressRace {
    /// How long an address is waited for before the next one is tried as well (RFC 8305 §5).
    static let head: Duration = .milliseconds(250)

    enum News: Sendable {
        case reached(LinkNumber, LinkAttempt)
        case failed(MultipeerError)
        /// Time for the next address.
        case due(Int)
        /// The time for all of it is over.
        case expired
    }

    private let host: PeerHost
    private let session: SessionCore?
    private let peer: PeerPlaces
    private let purpose: LinkAttempt.Purpose
    private let timeout: Duration
    private var addresses: ArraySlice<Endpoint>
    private let news = AsyncQueue<News>(watermarks: .unbounded)
    private var runners: [Task<Void, Never>] = []
    private var underWay = 0
    private var failure: MultipeerError?

    init(_ peer: PeerPlaces, host: PeerHost, session: SessionCore?, _ purpose: LinkAttempt.Purpose, timeout: Duration) {
        self.peer = peer
        self.purpose = purpose
        self.timeout = timeout
        self.host = host
        self.session = session
        addresses = peer.addresses[...]
    }

    mutating func run() async throws(MultipeerError) -> (LinkNumber, LinkAttempt) {
        defer { end() }
        runners.append(alarm(.expired, at: host.clock.now.advanced(by: timeout)))
        startNext()
        while underWay > 0 {
            switch await news.next() {
            case .reached(let link, let attempt): return (link, attempt)
            case .failed(let error):
                underWay -= 1
                // An answer from the wrong peer says more than an address that leads nowhere.
                if failure == nil || error.isAboutPeer { failure = error }
                startNext()
            case .due(let count): if runners.count == count { startNext() }
            case .expired: throw failure ?? .connection(.unreachable(.timedOut))
            case nil: throw .connection(.cancelled)
            }
        }
        throw failure ?? .connection(.unreachable(.invalidEndpoint))
    }

    /// Others that reach the peer as well are given up.
    private func end() {
        for runner in runners { runner.cancel() }
        let (runners, news, host) = (runners, news, host)
        Task {
            for runner in runners { await runner.value }
            news.finish()
            while let late = await news.next() {
                if case .reached(let link, _) = late { await host.giveUp(link) }
            }
        }
    }

    private mutating func startNext() {
        guard let address = addresses.popFirst() else { return }
        underWay += 1
        let head = host.clock.now.advanced(by: Self.head)
        let (host, news) = (host, news)
        let attempt = LinkAttempt(session, purpose, expecting: peer.key, tagged: peer.tag)
        runners.append(
            Task {
                let result = await Self.reach(address, host, attempt)
                if Task.isCancelled, case .reached(let link, _) = result {
                    await host.giveUp(link)
                    return
                }
                news.push(result, cost: 0)
            })
        let count = runners.count
        runners.append(alarm(.due(count + 1), at: head))
    }

    private func alarm(_ what: News, at moment: ContinuousClock.Instant) -> Task<Void, Never> {
        let (clock, news) = (host.clock, news)
        return Task {
            guard (try? await clock.sleep(until: moment, tolerance: nil)) != nil else { return }
            news.push(what, cost: 0)
        }
    }

    private static func reach(
        _ address: Endpoint, _ host: PeerHost, _ attempt: LinkAttempt
    ) async -> News {
        let link: LinkNumber
        do throws(MultipeerError) {
            link = try await host.connect(to: address, for: attempt)
        } catch {
            return .failed(error)
        }
        guard let isIdentified = await attempt.waitForIdentity() else {
            await host.giveUp(link)
            return .failed(.connection(.cancelled))
        }
        guard !isIdentified else { return .reached(link, attempt) }
        guard case .failure(let error) = await attempt.wait() else { return .failed(.connection(.closed)) }
        return .failed(error)
    }
}

extension MultipeerError {
    /// Whether somebody has answered at the address.
    fileprivate var isAboutPeer: Bool {
        if case .link = cause { true } else { false }
    }
}
