import MultipeerCrypto
import MultipeerDiscovery
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("A network in the memory of a process", .endsIfItHangs)
struct MemoryNetworkTests {
    private let network = MemoryNetwork()

    private static func advertisement(_ name: String = "Anna") throws -> Advertisement {
        Advertisement(of: KeyTag("0123456789abcdef")!, named: try DisplayName(name))
    }

    /// What one search hears, and the search itself.
    private final class Watch: Sendable {
        private let state = Mutex<(events: [ServiceEvent], browsing: (any Browsing)?)>(([], nil))

        var events: [ServiceEvent] { state.withLock { $0.events } }

        func note(_ event: ServiceEvent) { state.withLock { $0.events.append(event) } }
        func keep(_ browsing: any Browsing) { state.withLock { $0.browsing = browsing } }
        func take() -> (any Browsing)? { state.withLock { $0.browsing.take() } }

        /// Whether a service of this name was found, then settled or lost: `+Anna`, `-Anna`, `.`.
        var story: [String] {
            events.map { event in
                switch event {
                case .found(let service): "+" + service.id.instanceName
                case .lost(let id): "-" + id.instanceName
                case .settled: "."
                default: "?"
                }
            }
        }
    }

    private func watch(_ type: ServiceType, _ told: @escaping @Sendable (Watch, ServiceEvent) -> Void) async throws
        -> Watch
    {
        let watch = Watch()
        watch.keep(
            try await network.browse(for: type) { event in
                watch.note(event)
                told(watch, event)
            })
        return watch
    }

    @Test("Every search has its events when the call returns, in order; a stopped one gets no more")
    func order() async throws {
        let type = try ServiceType("chat")
        let anna = try await network.publish(try Self.advertisement(), as: type, port: 4711)
        let watches = [try await watch(type) { _, _ in }, try await watch(type) { _, _ in }]
        for watch in watches { #expect(watch.story == ["+Anna", "."]) }
        let ben = try await network.publish(try Self.advertisement("Ben"), as: type, port: 4712)
        try await ben.update(try Self.advertisement("Ben"))
        await watches[0].take()?.stop()
        await anna.stop()
        await anna.stop()
        #expect(watches[0].story == ["+Anna", ".", "+Ben", "+Ben"])
        #expect(watches[1].story == ["+Anna", ".", "+Ben", "+Ben", "-Anna"])
        await #expect(throws: DiscoveryError.stopped) { try await anna.update(try Self.advertisement()) }
        withExtendedLifetime(ben) {}
    }

    @Test("A search may be released by its last event")
    func goesWithCallback() async throws {
        let type = try ServiceType("chat")
        let anna = try await network.publish(try Self.advertisement(), as: type, port: 4711)
        let first = try await watch(type) { watch, event in
            if case .lost = event { _ = watch.take() }
        }
        let second = try await watch(type) { _, _ in }
        await anna.stop()
        for watch in [first, second] { #expect(watch.story == ["+Anna", ".", "-Anna"]) }
        let ben = try await network.publish(try Self.advertisement("Ben"), as: type, port: 4712)
        #expect(first.story == ["+Anna", ".", "-Anna"])
        #expect(second.story == ["+Anna", ".", "-Anna", "+Ben"])
        withExtendedLifetime(ben) {}
    }

    @Test("Many that come, go and search at once all agree in the end")
    func crowd() async throws {
        let type = try ServiceType("chat")
        let watch = try await watch(type) { _, _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...40 {
                group.addTask {
                    let publication = try await network.publish(
                        try Self.advertisement("Peer \(number)"), as: type, port: 4711)
                    let other = try await self.watch(type) { _, _ in }
                    #expect(other.story.contains("+Peer \(number)"))
                    await publication.stop()
                    #expect(
                        watch.story.filter { $0.hasSuffix("Peer \(number)") } == ["+Peer \(number)", "-Peer \(number)"])
                }
            }
            try await group.waitForAll()
        }
        #expect(watch.events.count == 81)
    }
}
