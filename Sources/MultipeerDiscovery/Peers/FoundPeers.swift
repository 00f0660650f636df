public import MultipeerCrypto

/// The peers that a browser knows of, made of the services that were found (SPEC §23.4).
///
/// What waits to be reported is not a list of events: each peer is compared with what was reported of it last. So a
/// network full of noise makes nothing grow.
public struct FoundPeers: Sendable {
    /// How many peers are known at a time (R23.4-2).
    public static let mostPeers = 256
    /// How many services of one peer count.
    public static let mostServices = 16

    private struct Service {
        let place: FoundPeer.Place
        let advertisement: Advertisement
        /// Grows with each service that comes.
        let order: Int
    }

    private struct Entry {
        /// Grows with each peer that comes.
        let order: Int
        var services: [ServiceID: Service] = [:]
        /// Which service was found or changed last.
        var latest: ServiceID?
        var told: FoundPeer?
        var isWaiting = false
    }

    private var entries: [KeyTag: Entry] = [:]
    /// The owner of each service.
    private var owners: [ServiceID: KeyTag] = [:]
    /// Peers of which there may be something to tell, in order.
    private var waiting: [KeyTag] = []
    /// The local peer's tags, which are not reported.
    private var ownTags: Set<KeyTag>
    private var lastOrder = 0
    /// Services that advertise one of them. They may be of another process.
    private var ownServices: Set<ServiceID> = []

    /// Creates an empty table of a peer with these tags.
    public init(ownTags: Set<KeyTag> = []) { self.ownTags = ownTags }

    /// Takes what the network says.
    public mutating func take(_ event: ServiceEvent) {
        switch event {
        case .found(let service): found(service)
        case .lost(let id): lost(id)
        case .failed: for id in owners.keys.sorted(by: Self.areInOrder) { lost(id) }
        case .settled: break
        }
    }

    /// The tag is the local peer's from now on: it advertises privately.
    public mutating func addOwn(_ tag: KeyTag) {
        guard ownTags.insert(tag).inserted else { return }
        for (id, owner) in owners where owner == tag { lost(id) }
    }

    /// Whether something advertises the local peer's key.
    public var seesItself: Bool { !ownServices.isEmpty }

    /// All peers that are there, by tag.
    public var all: [FoundPeer] {
        entries.keys.sorted { $0.description < $1.description }.compactMap { entries[$0].flatMap(Self.peer) }
    }

    /// What has become of one peer since the last report; nil if there is nothing to report.
    public mutating func next() -> PeerChange? {
        while !waiting.isEmpty {
            let tag = waiting.removeFirst()
            guard var entry = entries[tag] else { continue }
            let peer = Self.peer(entry)
            let before = entry.told
            (entry.told, entry.isWaiting) = (peer, false)
            entries[tag] = peer == nil ? nil : entry
            switch (before, peer) {
            case (nil, let peer?): return .found(peer)
            case (let before?, nil): return .lost(before)
            case (let before?, let peer?) where before != peer: return .changed(peer)
            default: continue
            }
        }
        return nil
    }

    // MARK: Services

    private mutating func found(_ service: FoundService) {
        guard let advertisement = service.advertisement else { return lost(service.id) }
        guard !ownTags.contains(advertisement.tag.bytes) else {
            lost(service.id)
            if ownServices.count < Self.mostServices { ownServices.insert(service.id) }
            return
        }
        let tag = advertisement.tag.bytes
        if let owner = owners[service.id], owner != tag { lost(service.id) }
        guard hasRoom(for: tag, at: service.address) else { return }
        lastOrder += 1
        var entry = entries[tag] ?? Entry(order: lastOrder)
        entry.services[service.id] = Service(
            place: FoundPeer.Place(address: service.address, port: service.port), advertisement: advertisement,
            order: entry.services[service.id]?.order ?? lastOrder)
        entry.latest = service.id
        entries[tag] = entry
        owners[service.id] = tag
        makeRoom(besides: service.id, of: tag)
        note(tag)
    }

    /// Whether a peer has a place, or gets one: perhaps that of a peer from a more crowded address.
    private mutating func hasRoom(for tag: KeyTag, at address: ServiceAddress) -> Bool {
        guard entries[tag] == nil, entries.count >= Self.mostPeers else { return true }
        let holders = entries.compactMap { tag, entry in
            entry.services.values.min { $0.order < $1.order }.map {
                Crowding.Holder(id: tag, source: $0.place.address, order: entry.order)
            }
        }
        // Peers that are gone, and of which that was not reported yet, take nobody's place.
        guard holders.count >= Self.mostPeers else { return true }
        guard let victim = Crowding.victim(among: holders, for: address) else { return false }
        for id in entries[victim]?.services.keys.map(\.self) ?? [] { lost(id) }
        if entries[victim]?.told == nil {
            entries[victim] = nil
            waiting.removeAll { $0 == victim }
        }
        return true
    }

    /// One of too many services of a peer gives up its place: false ones hide no true one.
    private mutating func makeRoom(besides newcomer: ServiceID, of tag: KeyTag) {
        guard let services = entries[tag]?.services, services.count > Self.mostServices,
            let own = services[newcomer]
        else { return }
        let holders = services.filter { $0.key != newcomer }.map {
            Crowding.Holder(id: $0.key, source: $0.value.place.address, order: $0.value.order)
        }
        lost(Crowding.victim(among: holders, for: own.place.address) ?? newcomer)
    }

    private mutating func lost(_ id: ServiceID) {
        ownServices.remove(id)
        guard let tag = owners.removeValue(forKey: id) else { return }
        entries[tag]?.services[id] = nil
        note(tag)
    }

    private mutating func note(_ tag: KeyTag) {
        guard let entry = entries[tag], !entry.isWaiting else { return }
        entries[tag]?.isWaiting = true
        waiting.append(tag)
    }

    // MARK: Peers

    private static func peer(_ entry: Entry) -> FoundPeer? {
        let services = entry.services.sorted { areInOrder($0.key, $1.key) }.map(\.value)
        guard let latest = entry.latest.flatMap({ entry.services[$0] }) ?? services.first else { return nil }
        var places: [FoundPeer.Place] = []
        for service in services where !places.contains(service.place) { places.append(service.place) }
        let advertisement = latest.advertisement
        let names = Set(services.compactMap(\.advertisement.name))
        return FoundPeer(
            tag: advertisement.tag, name: advertisement.name,
            otherNames: names.subtracting([advertisement.name].compactMap(\.self)), info: advertisement.info,
            places: places)
    }

    private static func areInOrder(_ left: ServiceID, _ right: ServiceID) -> Bool {
        if left.isIPv4 != right.isIPv4 { return left.isIPv4 }
        return (left.interface, left.instanceName) < (right.interface, right.instanceName)
    }
}
