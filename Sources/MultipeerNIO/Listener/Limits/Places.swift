import MultipeerCrypto

/// The places of a listener's links: which of them has one, and which must give one up. It is pure: no locks and no
/// links.
///
/// A link that is not open can lose its place, an open one cannot. Half-open links and identified ones do not compete with
/// each other, so neither silence nor throw-away keys can push out the other kind.
struct Places {
    /// The result of a request for a place.
    enum Admission: Equatable {
        case admitted(Place.Number, evicted: [Place.Number])
        case noRoom
    }

    private let limits: ListenerLimits
    private var places: [Place.Number: Place] = [:]
    /// The places of links that are not open, which is where to look for a victim.
    private var yielding: Set<Place.Number> = []
    private var byAddress: [AddressKey: Int] = [:]
    private var byIdentity: [IdentityKey: Int] = [:]
    private var openStrangers = 0
    private var lastNumber: Place.Number = 0
    private(set) var counts = ListenerCounts()

    init(limits: ListenerLimits) {
        self.limits = limits
    }

    func contains(_ number: Place.Number) -> Bool { places[number] != nil }

    // MARK: From admission to the end

    /// Gives a place to a link that begins, if necessary another link's.
    mutating func admit(from address: AddressKey?) -> Admission {
        var evicted: [Place.Number] = []
        if let address {
            if byAddress[address, default: 0] >= limits.connectionsPerAddress {
                guard evict(oldest { $0.address == address && !$0.isKnown }, into: &evicted) else { return .noRoom }
            }
            if count({ $0.stage == .halfOpen && $0.address == address }) >= limits.halfOpenPerAddress {
                guard evict(oldest { $0.stage == .halfOpen && $0.address == address }, into: &evicted) else {
                    return .noRoom
                }
            }
        }
        if counts.halfOpen >= limits.halfOpen {
            guard evict(oldestOfMostCrowded { $0.stage == .halfOpen }, into: &evicted) else { return .noRoom }
        }
        if places.count >= limits.connections {
            let victim = oldestOfMostCrowded { $0.stage == .halfOpen } ?? oldestOfMostCrowded { !$0.isKnown }
            guard evict(victim, into: &evicted) else { return .noRoom }
        }
        lastNumber += 1
        add(Place(address: address), as: lastNumber)
        counts.accepted += 1
        return .admitted(lastNumber, evicted: evicted)
    }

    /// The peer of a link is identified. Returns the links that lose their place, perhaps this one.
    mutating func identify(_ number: Place.Number, as identity: IdentityKey) -> [Place.Number] {
        guard var place = places[number], place.stage == .halfOpen else { return [] }
        var evicted: [Place.Number] = []
        let others: (Place) -> Bool = { $0.identity == identity }
        if byIdentity[identity, default: 0] >= limits.connectionsPerIdentity
            || count(others) >= limits.unopenedPerIdentity
        {
            evict(oldest(where: others) ?? number, into: &evicted)
        }
        guard contains(number) else { return evicted }
        remove(number)
        place.stage = .unopened
        place.identity = identity
        add(place, as: number)
        let crowd: (Place) -> Bool = { $0.stage == .unopened && !$0.isKnown }
        if let address = place.address, count({ crowd($0) && $0.address == address }) > limits.unopenedPerAddress {
            evict(oldest { crowd($0) && $0.address == address }, into: &evicted)
        }
        if count(crowd) > limits.unopened { evict(oldestOfMostCrowded(where: crowd), into: &evicted) }
        return evicted
    }

    /// The validator has said whether it recognizes the peer. Returns the links that lose their place.
    mutating func recognize(_ number: Place.Number, isKnown: Bool) -> [Place.Number] {
        guard var place = places[number], place.stage != .halfOpen else { return [] }
        guard isKnown else {
            // A stranger that could not open need not be asked about.
            var evicted: [Place.Number] = []
            if place.stage == .unopened, openStrangers >= placesForStrangers { evict(number, into: &evicted) }
            return evicted
        }
        remove(number)
        place.isKnown = true
        add(place, as: number)
        return []
    }

    /// A link has opened. Returns the links that lose their place, perhaps this one.
    mutating func open(_ number: Place.Number) -> [Place.Number] {
        guard var place = places[number], place.stage != .open else { return [] }
        var evicted: [Place.Number] = []
        if !place.isKnown, openStrangers >= placesForStrangers {
            evict(number, into: &evicted)
            return evicted
        }
        remove(number)
        place.stage = .open
        add(place, as: number)
        return []
    }

    /// A link is over. For one that has lost its place this changes nothing.
    mutating func end(_ number: Place.Number) {
        if contains(number) { remove(number) }
    }

    /// A quarter at most is kept for known peers, so that a small listener still serves strangers.
    private var placesForStrangers: Int {
        limits.connections - max(0, min(limits.connectionsForKnownPeers, limits.connections / 4))
    }

    // MARK: Refusals

    /// Counts a connection that is to be refused as busy. Returns false if there are too many of them.
    mutating func beginRefusal() -> Bool {
        guard counts.refusing < limits.refusals else { return false }
        counts.refusing += 1
        counts.refused += 1
        return true
    }

    mutating func endRefusal() { counts.refusing -= 1 }

    mutating func countDropped() { counts.dropped += 1 }
}

// MARK: The connection that gives up a place

extension Places {
    private func count(_ condition: (Place) -> Bool) -> Int {
        yielding.count(where: { number in places[number].map(condition) ?? false })
    }

    private func oldest(where condition: (Place) -> Bool) -> Place.Number? {
        yielding.filter { number in places[number].map(condition) ?? false }.min()
    }

    /// Returns the oldest of the links from the address that has most of them. An attacker therefore pushes out its own
    /// links first, unless it has as many addresses as there are places.
    private func oldestOfMostCrowded(where condition: (Place) -> Bool) -> Place.Number? {
        var crowds: [AddressKey?: (count: Int, oldest: Place.Number)] = [:]
        for number in yielding {
            guard let place = places[number], condition(place) else { continue }
            let crowd = crowds[place.address] ?? (0, number)
            crowds[place.address] = (crowd.count + 1, min(crowd.oldest, number))
        }
        return crowds.values.max { ($0.count, $1.oldest) < ($1.count, $0.oldest) }?.oldest
    }

    /// Takes the place of `number`. Returns false if there is nobody to take it from.
    @discardableResult
    private mutating func evict(_ number: Place.Number?, into evicted: inout [Place.Number]) -> Bool {
        guard let number, contains(number) else { return false }
        remove(number)
        counts.evicted += 1
        evicted.append(number)
        return true
    }

    // MARK: Bookkeeping

    private mutating func add(_ place: Place, as number: Place.Number) {
        places[number] = place
        if place.stage != .open { yielding.insert(number) }
        count(place, by: 1)
    }

    private mutating func remove(_ number: Place.Number) {
        guard let place = places.removeValue(forKey: number) else { return }
        yielding.remove(number)
        count(place, by: -1)
    }

    private mutating func count(_ place: Place, by step: Int) {
        counts.open += step
        if place.isKnown { counts.known += step }
        switch place.stage {
        case .halfOpen: counts.halfOpen += step
        case .unopened: counts.unopened += step
        case .open: if !place.isKnown { openStrangers += step }
        }
        if let address = place.address { Self.add(step, to: address, in: &byAddress) }
        if let identity = place.identity { Self.add(step, to: identity, in: &byIdentity) }
    }

    private static func add<Key>(_ step: Int, to key: Key, in counts: inout [Key: Int]) {
        let count = counts[key, default: 0] + step
        counts[key] = count > 0 ? count : nil
    }
}
