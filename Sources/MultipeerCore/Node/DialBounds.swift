import MultipeerCrypto
import MultipeerWire

/// An address at which a member may be dialled.
struct DialTarget: Hashable, Sendable {
    let address: MemberAddress
    let member: IdentityKey
    /// The member that the founder admitted in the member's chain (SPEC §14.4).
    let branch: IdentityKey
    /// Whether the entry with the address has come over a link within this host (R14.8-4).
    let isFromThisHost: Bool
}

/// How often, and how many at once, members are dialled: in all sessions together (R14.8-5, R14.8-8). Entries of others name the
/// addresses, so that without a bound they could aim a crowd at anybody.
struct DialBounds: Sendable {
    /// How long an address is left alone after an attempt for one member.
    static let pause: Duration = .seconds(60)
    /// The same while an association with that member waits for another link (R13.9-10).
    static let resumingPause: Duration = .seconds(15)
    /// How often one host is tried within 60 s.
    static let hostRate = 16
    /// How many addresses are tried within 60 s.
    static let rate = 240
    /// How many attempts are under way at most.
    static let mostAtOnce = 8
    /// How many of them are for members to which there has never been an open link.
    static let mostForStrangers = 4

    private struct Tried: Hashable {
        let address: MemberAddress
        let member: IdentityKey
    }

    var rules: AddressRules
    private var tried: [Tried: Instant] = [:]
    private var all = RateWindow(limit: rate)
    private var hosts: [Host: RateWindow] = [:]
    private var rests = HostRests()
    private var underWay = 0
    private var strangersUnderWay = 0

    init(rules: AddressRules) {
        self.rules = rules
    }

    /// Whether an attempt for a member could begin, as far as their number goes.
    func hasRoom(isKnown: Bool) -> Bool {
        underWay < Self.mostAtOnce && (isKnown || strangersUnderWay < Self.mostForStrangers)
    }

    /// When an address may be tried for a member; `now` for at once. Nil if it may never be.
    func next(_ target: DialTarget, isResuming: Bool = false, at now: Instant) -> Instant? {
        guard rules.allow(target.address, isFromThisHost: target.isFromThisHost) else { return nil }
        var next = now
        if let last = tried[Tried(address: target.address, member: target.member)] {
            next = max(next, last.advanced(by: isResuming ? Self.resumingPause : Self.pause))
        }
        if let room = all.nextRoom(at: now) { next = max(next, room) }
        guard let site = site(of: target) else { return next }
        if let room = hosts[site.host]?.nextRoom(at: now) { next = max(next, room) }
        return rests.next(site).map { max(next, $0) } ?? next
    }

    /// Where an address is counted; nil if its host is not, because it is this one, or the user allows every address.
    func site(of target: DialTarget) -> HostRests.Site? {
        guard !rules.allowsEveryAddress, let host = Host(target.address)?.counted, !host.isLoopback else { return nil }
        return HostRests.Site(host: host, branch: target.branch)
    }

    /// Begins an attempt, for which there must be room.
    mutating func begin(_ target: DialTarget, isKnown: Bool, at now: Instant) {
        prune(at: now)
        tried[Tried(address: target.address, member: target.member)] = now
        _ = all.take(1, at: now)
        if let site = site(of: target) {
            var window = hosts[site.host] ?? RateWindow(limit: Self.hostRate)
            _ = window.take(1, at: now)
            hosts[site.host] = window
            rests.begin(site, at: now)
        }
        underWay += 1
        if !isKnown { strangersUnderWay += 1 }
    }

    /// An attempt has had its time, or has led to the member.
    mutating func end(isKnown: Bool) {
        underWay = max(underWay - 1, 0)
        if !isKnown { strangersUnderWay = max(strangersUnderWay - 1, 0) }
    }

    /// A member of the branch was there, or the app asks for one.
    mutating func reached(_ site: HostRests.Site) { rests.reached(site) }

    /// What is old says nothing any more, and would only grow.
    private mutating func prune(at now: Instant) {
        guard tried.count >= 1_024 else { return }
        tried = tried.filter { $0.value.advanced(by: Self.pause) > now }
        hosts = hosts.filter { $0.value.isInUse(at: now) }
    }
}
