import MultipeerCrypto
import Testing

@testable import MultipeerDiscovery

@Suite("Peers that are found")
struct FoundPeersTests {
    private var peers = FoundPeers()

    private static func tag(_ number: Int) -> KeyTag {
        let digits = String(number, radix: 16)
        return KeyTag(String(repeating: "0", count: 16 - digits.count) + digits)!
    }

    private static func service(
        _ tag: KeyTag, _ name: String = "Anna", interface: UInt32 = 1, isIPv4: Bool = true, port: UInt16 = 4711,
        info: String? = nil, host: UInt8? = nil
    ) -> FoundService {
        let last = host ?? UInt8(truncatingIfNeeded: interface)
        let bytes: [UInt8] = isIPv4 ? [192, 0, 2, last] : [0x20, 1] + Array(repeating: 0, count: 14)
        return FoundService(
            id: ServiceID(instanceName: name, interface: interface, isIPv4: isIPv4),
            address: ServiceAddress(bytes, interface: interface)!, port: port,
            text: (["_v=1", "_k=\(tag)"] + [info].compactMap(\.self)).map { Array($0.utf8) })
    }

    private mutating func changes() -> [PeerChange] {
        var changes: [PeerChange] = []
        while let change = peers.next() { changes.append(change) }
        return changes
    }

    @Test("A peer at several interfaces is listed once, until the last of its services is gone (R23.4-1)")
    mutating func once() throws {
        let (first, second) = (Self.service(Self.tag(7)), Self.service(Self.tag(7), interface: 2))
        let third = Self.service(Self.tag(7), interface: 2, isIPv4: false)
        peers.take(.found(third))
        let found = changes()
        guard case .found(let peer) = try #require(found.first), found.count == 1 else { return #expect(Bool(false)) }
        #expect(peer.tag == .key(Self.tag(7)))
        #expect(peer.places.map(\.text) == ["[2001::]:4711"])

        peers.take(.found(first))
        peers.take(.found(second))
        guard case .changed(let changed) = try #require(changes().first) else { return #expect(Bool(false)) }
        #expect(changed.places.map(\.text) == ["192.0.2.1:4711", "192.0.2.2:4711", "[2001::]:4711"])

        peers.take(.lost(first.id))
        peers.take(.lost(third.id))
        guard case .changed(let left) = try #require(changes().first) else { return #expect(Bool(false)) }
        #expect(left.places.map(\.text) == ["192.0.2.2:4711"])
        peers.take(.lost(second.id))
        #expect(changes() == [.lost(left)])
        #expect(peers.all.isEmpty)
    }

    @Test("Unchanged states are not reported: a peer that came and went, and one that repeats itself")
    mutating func overtaken() {
        let service = Self.service(Self.tag(7))
        peers.take(.found(service))
        peers.take(.lost(service.id))
        #expect(changes().isEmpty)
        peers.take(.found(service))
        #expect(changes().count == 1)
        peers.take(.found(service))
        peers.take(.lost(service.id))
        peers.take(.found(service))
        #expect(changes().isEmpty)
        #expect(peers.all.count == 1)
    }

    @Test("Name and info are those of the most recent service (SPEC §23.4)")
    mutating func latest() throws {
        peers.take(.found(Self.service(Self.tag(7), "Anna", interface: 1, info: "room=4")))
        peers.take(.found(Self.service(Self.tag(7), "Anna Beck", interface: 2, info: "room=5")))
        #expect(try #require(peers.all.first).name?.description == "Anna Beck")
        #expect(try #require(peers.all.first).info["room"] == "5")
        peers.take(.lost(ServiceID(instanceName: "Anna Beck", interface: 2, isIPv4: true)))
        #expect(try #require(peers.all.first).name?.description == "Anna")
    }

    @Test("Services of one tag with different names are reported, in either order (R23.4-4)")
    mutating func conflict() throws {
        for names in [["Ben", "Cleo"], ["Cleo", "Ben"]] {
            peers = FoundPeers()
            for (number, name) in names.enumerated() {
                peers.take(.found(Self.service(Self.tag(7), name, interface: UInt32(number + 1))))
            }
            let peer = try #require(peers.all.first)
            #expect(peer.name?.description == names[1] && peer.otherNames.map(\.description) == [names[0]])
            peers.take(.lost(ServiceID(instanceName: names[1], interface: 2, isIPv4: true)))
            #expect(peers.all.first?.otherNames.isEmpty == true)
        }
    }

    @Test("A service that another peer takes over leaves the earlier one")
    mutating func taken() {
        peers.take(.found(Self.service(Self.tag(7))))
        _ = changes()
        peers.take(.found(Self.service(Self.tag(8))))
        let tags = changes().map { change -> String in
            switch change {
            case .found(let peer): "found \(peer.tag.bytes)"
            case .changed(let peer): "changed \(peer.tag.bytes)"
            case .lost(let peer): "lost \(peer.tag.bytes)"
            }
        }
        #expect(tags == ["lost \(Self.tag(7))", "found \(Self.tag(8))"])
    }

    @Test("Invalid advertisements and the local peer's own are not reported (R23.4-1)")
    mutating func own() {
        peers.addOwn(Self.tag(7))
        peers.take(.found(Self.service(Self.tag(7))))
        var broken = Self.service(Self.tag(8))
        broken = FoundService(id: broken.id, address: broken.address, port: 1, text: [])
        peers.take(.found(broken))
        #expect(changes().isEmpty)
        // It was there before the local peer took the tag.
        peers.take(.found(Self.service(Self.tag(9))))
        #expect(changes().count == 1)
        peers.addOwn(Self.tag(9))
        #expect(changes().count == 1)
        #expect(peers.all.isEmpty)
        // It is no advertisement any more.
        let service = Self.service(Self.tag(10))
        peers.take(.found(service))
        peers.take(.found(FoundService(id: service.id, address: service.address, port: 1, text: [])))
        #expect(peers.all.isEmpty)
    }

    @Test("A noisy network fills places, and no more (R23.4-2)")
    mutating func flood() throws {
        for number in 0..<10_000 {
            peers.take(.found(Self.service(Self.tag(number), "peer \(number)")))
            // The same one from many interfaces.
            peers.take(.found(Self.service(Self.tag(3), "peer 3", interface: UInt32(number))))
        }
        #expect(peers.all.count == 256)
        #expect(try #require(peers.all.first { $0.tag == .key(Self.tag(3)) }).places.count == 16)
        #expect(changes().count == 256)
        // Those that were there first are still there: a flooder displaces nobody.
        #expect(peers.all.contains { $0.tag == .key(Self.tag(0)) })
        peers.take(.lost(ServiceID(instanceName: "peer 0", interface: 1, isIPv4: true)))
        #expect(changes().count == 1)
        peers.take(.found(Self.service(Self.tag(20_000), "late")))
        #expect(changes().count == 1)
        peers.take(.failed(.noDaemon))
        #expect(changes().count == 256)
        #expect(peers.all.isEmpty)
    }

    @Test("A flood from one host does not hide a peer of another one, however often the app asks")
    mutating func floodFromOneHost() throws {
        for number in 0..<1_000 {
            peers.take(.found(Self.service(Self.tag(number), "peer \(number)", host: 66)))
            if number % 100 == 0 { _ = changes() }
        }
        let ben = Self.service(Self.tag(5_000), "Ben", host: 7)
        peers.take(.found(ben))
        #expect(peers.all.count == 256 && peers.all.contains { $0.tag == .key(Self.tag(5_000)) })
        // It stays, whatever else comes from there.
        for number in 1_000..<2_000 {
            peers.take(.found(Self.service(Self.tag(number), "peer \(number)", host: 66)))
        }
        #expect(peers.all.contains { $0.tag == .key(Self.tag(5_000)) })
        let told = changes()
        #expect(told.count { if case .found(let peer) = $0 { peer.tag == .key(Self.tag(5_000)) } else { false } } == 1)
        #expect(peers.all.count == 256)
    }

    @Test("Sixteen false services of a peer do not hide it, from one host or from sixteen, before or after it")
    mutating func falseServices() throws {
        for (number, hosts) in [(1, 1), (2, 16), (3, 1), (4, 16)] {
            let tag = Self.tag(number)
            let real = Self.service(tag, "Ben", host: 200)
            func mimic(_ peers: inout FoundPeers) {
                for index in 0..<16 {
                    let host = UInt8(10 + index % hosts)
                    peers.take(.found(Self.service(tag, "Ben (\(index + 2))", port: UInt16(index + 1), host: host)))
                }
            }
            if number > 2 { peers.take(.found(real)) }
            mimic(&peers)
            if number <= 2 { peers.take(.found(real)) }
            let places = try #require(peers.all.first { $0.tag == .key(tag) }).places.map(\.text)
            #expect(places.contains("192.0.2.200:4711") && places.count == 16)
        }
    }

    /// The oracle keeps services alone, and makes the peers of them anew each time.
    @Test("After any events the peers are those of the current services", arguments: 0..<30 as Range<UInt64>)
    mutating func model(seed: UInt64) {
        var random = SplitMix(state: seed)
        var services: [ServiceID: (tag: Int, port: UInt16)] = [:]
        var told: Set<Int> = []
        for _ in 0..<200 {
            let id = ServiceID(
                instanceName: "peer \(random.next(below: 4))", interface: UInt32(random.next(below: 3)), isIPv4: true)
            if random.next(below: 3) == 0 {
                services[id] = nil
                peers.take(.lost(id))
            } else {
                let (tag, port) = (random.next(below: 5), UInt16(random.next(below: 3) + 1))
                services[id] = (tag, port)
                peers.take(
                    .found(Self.service(Self.tag(tag), id.instanceName, interface: id.interface, port: port)))
            }
            let expected = Dictionary(grouping: services.values, by: \.tag)
            #expect(peers.all.map(\.tag) == expected.keys.sorted().map { .key(Self.tag($0)) })
            for peer in peers.all {
                let number = Int(peer.tag.bytes.description, radix: 16) ?? -1
                let ports = Set(peer.places.map(\.port))
                #expect(ports == Set((expected[number] ?? []).map(\.port)))
            }
            guard random.next(below: 4) == 0 else { continue }
            // Each one is found before it changes or is lost, and what was reported is what is there.
            for change in changes() {
                switch change {
                case .found(let peer): #expect(told.insert(Int(peer.tag.bytes.description, radix: 16) ?? -1).inserted)
                case .changed(let peer): #expect(told.contains(Int(peer.tag.bytes.description, radix: 16) ?? -1))
                case .lost(let peer): #expect(told.remove(Int(peer.tag.bytes.description, radix: 16) ?? -1) != nil)
                }
            }
            #expect(told == Set(expected.keys))
        }
    }
}

/// Numbers that a seed reproduces.
private struct SplitMix {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(limit))
    }
}
