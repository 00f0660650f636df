import MultipeerCrypto
import MultipeerWire

/// How often, and how many at once, members are dialled: in all sessions together (R14.8-5). Entries of others name the
/// addresses, so that without a bound they could aim a crowd at anybody.
struct DialBounds: Sendable {
    /// How long an address is left alone behind an attempt for one member.
    static let pause: Duration = .seconds(60)
    /// How often one host is tried within 60 s.
    static let hostRate = 16
    /// How many attempts are under way at most.
    static let mostAtOnce = 8
    /// How many of them are for members to which there has never been an open link.
    static let mostForStrangers = 4

    private struct Target: Hashable {
        let address: MemberAddress
        let member: IdentityKey
    }

    var rules: AddressRules
    private var tried: [Target: Instant] = [:]
    private var hosts: [Host: RateWindow] = [:]
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
    func next(_ address: MemberAddress, for member: IdentityKey, at now: Instant) -> Instant? {
        guard rules.allow(address), let host = Host(address)?.counted else { return nil }
        var next = now
        if let last = tried[Target(address: address, member: member)] {
            next = max(next, last.advanced(by: Self.pause))
        }
        if !rules.allowsEveryAddress, let room = hosts[host]?.nextRoom(at: now) { next = max(next, room) }
        return next
    }

    /// Begins an attempt, for which there must be room.
    mutating func begin(_ address: MemberAddress, for member: IdentityKey, isKnown: Bool, at now: Instant) {
        prune(at: now)
        tried[Target(address: address, member: member)] = now
        if let host = Host(address)?.counted {
            var window = hosts[host] ?? RateWindow(limit: Self.hostRate)
            _ = window.take(1, at: now)
            hosts[host] = window
        }
        underWay += 1
        if !isKnown { strangersUnderWay += 1 }
    }

    /// An attempt is over, well or not.
    mutating func end(isKnown: Bool) {
        underWay = max(underWay - 1, 0)
        if !isKnown { strangersUnderWay = max(strangersUnderWay - 1, 0) }
    }

    /// What is old says nothing any more, and would only grow.
    private mutating func prune(at now: Instant) {
        guard tried.count >= 1_024 else { return }
        tried = tried.filter { $0.value.advanced(by: Self.pause) > now }
        hosts = hosts.filter { $0.value.isInUse(at: now) }
    }
}
