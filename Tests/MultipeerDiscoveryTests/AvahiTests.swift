import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerDiscovery

/// Two responders in this process, on the loopback interface. Scripts/prove-discovery has the daemon, and other people's programs.
@Suite("Avahi inside the process, SPEC §23", .endsIfItHangs, .serialized)
struct AvahiTests {
    private let loopback = InterfaceSelection.only(["lo"])

    /// What a browser has heard so far.
    private final class Seen: Sendable {
        private let peers: Mutex<FoundPeers> = Mutex(FoundPeers())
        private let settled = Mutex(false)

        func take(_ event: ServiceEvent) {
            peers.withLock { $0.take(event) }
            if event == .settled { settled.withLock { $0 = true } }
        }

        var all: [FoundPeer] { peers.withLock { $0.all } }
        var isSettled: Bool { settled.withLock { $0 } }
    }

    private static func advertisement(_ name: String, room: String) throws -> Advertisement {
        var random: any RandomSource = TestProvider.sodium.random
        return Advertisement(
            of: KeyTag(random: &random), named: try DisplayName(name), info: try DiscoveryInfo(["room": room]))
    }

    /// Types of their own keep tests from each other, and from other programs of this host.
    private static func service() throws -> ServiceType { try ServiceType("t\(UInt32.random(in: 0...UInt32.max))") }

    @Test("A service is found, updated and withdrawn (R23.1-2)")
    func life() async throws {
        let type = try Self.service()
        let (first, second) = (try AvahiDiscovery.embedded(on: loopback), try AvahiDiscovery.embedded(on: loopback))
        #expect(!first.usesDaemon)
        let seen = Seen()
        let browsing = try await second.browse(for: type) { seen.take($0) }
        try await eventually { seen.isSettled }
        let anna = try Self.advertisement("Anna", room: "4")
        let publication = try await first.publish(anna, as: type, port: 4711)
        #expect(publication.instanceName == "Anna")
        try await eventually { seen.all.count == 1 }
        #expect(seen.all.first?.tag == anna.tag)
        try await eventually { seen.all.first?.places.map(\.text).contains("127.0.0.1:4711") == true }

        let other = try Self.advertisement("Ben", room: "5")
        let another = try await second.publish(other, as: type, port: 4712)
        try await eventually { seen.all.count == 2 }

        guard case .key(let tag) = anna.tag else { return #expect(Bool(false)) }
        let changed = Advertisement(of: tag, named: try DisplayName("Anna"), info: try DiscoveryInfo(["room": "6"]))
        try await publication.update(changed)
        try await eventually { seen.all.contains { $0.tag == anna.tag && $0.info["room"] == "6" } }
        let renamed = Advertisement(of: tag, named: try DisplayName("Berta"), info: try DiscoveryInfo(["room": "6"]))
        try await publication.update(renamed)
        try await eventually { seen.all.contains { $0.tag == anna.tag && $0.name?.description == "Berta" } }

        await publication.stop()
        await publication.stop()
        // Without a goodbye its records would be believed for 75 minutes, and the test would run out of time.
        try await eventually { seen.all.map(\.tag) == [other.tag] }
        await another.stop()
        try await eventually { seen.all.isEmpty }
        await browsing.stop()
        await browsing.stop()
    }

    @Test("A released service is withdrawn, and a responder that stops withdraws all (R23.1-2)")
    func dropped() async throws {
        let type = try Self.service()
        let watcher = try AvahiDiscovery.embedded(on: loopback)
        let seen = Seen()
        let browsing = try await watcher.browse(for: type) { seen.take($0) }
        do {
            let discovery = try AvahiDiscovery.embedded(on: loopback)
            let publication = try await discovery.publish(try Self.advertisement("Anna", room: "4"), as: type, port: 1)
            try await eventually { seen.all.count == 1 }
            withExtendedLifetime(publication) {}
        }
        try await eventually { seen.all.isEmpty }
        withExtendedLifetime(browsing) {}
    }

    @Test("A name that the process itself uses counts as taken too")
    func namesake() async throws {
        let (type, discovery) = (try Self.service(), try AvahiDiscovery.embedded(on: loopback))
        let first = try await discovery.publish(try Self.advertisement("Anna", room: "4"), as: type, port: 1)
        let second = try await discovery.publish(try Self.advertisement("Anna", room: "4"), as: type, port: 2)
        #expect([first.instanceName, second.instanceName] == ["Anna", "Anna (2)"])
    }

    @Test("Publishing can be cancelled before the name is certain")
    func cancelled() async throws {
        let (type, discovery) = (try Self.service(), try AvahiDiscovery.embedded(on: loopback))
        let advertisement = try Self.advertisement("Anna", room: "4")
        let task = Task { try await discovery.publish(advertisement, as: type, port: 1) }
        task.cancel()
        await #expect(throws: DiscoveryError.stopped) { try await task.value }
    }

    @Test("A missing interface is an error")
    func unknownInterface() {
        #expect(throws: DiscoveryError.unknownInterface("nosuch0")) {
            try AvahiDiscovery.embedded(on: .only(["nosuch0"]))
        }
    }

    @Test("Many services begin and stop at once")
    func churn() async throws {
        let type = try Self.service()
        let loopback = loopback
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    for round in 0..<3 {
                        let discovery = try AvahiDiscovery.embedded(on: loopback)
                        let seen = Seen()
                        let browsing = try await discovery.browse(for: type) { seen.take($0) }
                        let advertisement = try Self.advertisement("Anna \(number)", room: "4")
                        async let publication = discovery.publish(advertisement, as: type, port: 1)
                        if round == 1 { _ = try await publication }
                        withExtendedLifetime(browsing) {}
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A loop may be released by its last task, on its own thread")
    func loopGoesInItsThread() async throws {
        for _ in 1...10 {
            let goes = try #require(AvahiLoop()).lastsFor(milliseconds: 20)
            try await eventually { goes() }
        }
    }
}

extension AvahiLoop {
    /// Begins, and is kept by what is done after a time alone. Returns what says whether it is gone.
    fileprivate func lastsFor(milliseconds: Int) -> @Sendable () -> Bool {
        start()
        post(after: milliseconds) { withExtendedLifetime(self) {} }
        weak let loop: AvahiLoop? = self
        return { loop == nil }
    }
}

@Suite("Interfaces")
struct InterfaceTests {
    @Test("The loopback interface is there, with its address")
    func loopback() throws {
        let loopback = try #require(NetworkInterface.all().first { $0.isLoopback })
        #expect(loopback.isUp && loopback.carriesMulticast)
        #expect(loopback.addresses.map(\.description).contains("127.0.0.1"))
    }

    @Test(
        "MULTIPEER_INTERFACE restricts programs",
        arguments: [
            (nil, InterfaceSelection.all), ("", .all), ("lo", .only(["lo"])), ("lo, eth0", .only(["lo", "eth0"])),
        ])
    func environment(value: String?, selection: InterfaceSelection) {
        var environment: [String: String] = [:]
        environment["MULTIPEER_INTERFACE"] = value
        #expect(InterfaceSelection.standard(environment: environment) == selection)
    }

    @Test("Only a link-local address has its interface in its text")
    func scopes() throws {
        let linkLocal: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1]
        func text(_ bytes: [UInt8]) throws -> String {
            try #require(ServiceAddress(bytes, interface: 3)).text(port: 80)
        }
        #expect(try text(linkLocal) == "[fe80::1%3]:80")
        #expect(try text([192, 0, 2, 7]) == "192.0.2.7:80")
        let global: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
        #expect(try text(global) == "[2001:db8::1]:80")
        #expect(ServiceAddress([1, 2, 3], interface: 3) == nil)
    }
}
