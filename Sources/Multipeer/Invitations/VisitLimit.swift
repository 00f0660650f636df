import MultipeerCrypto

/// How often an app is asked about peers that wait to be invited: identities and connections cost nothing. A peer that is let in each
/// time bothers nobody, however often it comes.
struct VisitLimit {
    /// How many questions may wait for an answer (``CallerPlaces``), one about each peer.
    private static let atOnce = 16
    /// How many that are not answered by yes there may be about one peer in ``period``.
    static let perPeer = 4
    static let period: Duration = .seconds(60)
    /// How many peers are remembered. Beyond that nobody is asked about until the period of one is over.
    static let mostPeers = 1_024

    private var places = CallerPlaces(atOnce)
    private var waiting: Set<IdentityKey> = []
    /// How many questions were not asked.
    private(set) var refusals = 0
    private var recent: [IdentityKey: [ContinuousClock.Instant]] = [:]

    /// Counts a question. Returns whether it is asked.
    mutating func begin(_ caller: Caller, at now: ContinuousClock.Instant) -> Bool {
        let isAsked = take(caller, at: now)
        if !isAsked { refusals += 1 }
        return isAsked
    }

    private mutating func take(_ caller: Caller, at now: ContinuousClock.Instant) -> Bool {
        let peer = caller.key
        guard !waiting.contains(peer) else { return false }
        if recent.count >= Self.mostPeers { recent = recent.filter { Self.isRecent($0.value.last, at: now) } }
        let times = recent[peer, default: []].filter { Self.isRecent($0, at: now) }
        guard times.count < Self.perPeer, recent[peer] != nil || recent.count < Self.mostPeers, places.take(caller)
        else { return false }
        recent[peer] = times + [now]
        waiting.insert(peer)
        return true
    }

    mutating func end(_ caller: Caller, isAdmitted: Bool) {
        places.giveBack(caller)
        waiting.remove(caller.key)
        guard isAdmitted, var times = recent[caller.key], !times.isEmpty else { return }
        times.removeLast()
        recent[caller.key] = times.isEmpty ? nil : times
    }

    private static func isRecent(_ time: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Bool {
        time.map { $0.advanced(by: period) > now } ?? false
    }
}
