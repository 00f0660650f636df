import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDefaults
import MultipeerDiscovery
import MultipeerNIO
import MultipeerTestSupport
import Testing

@testable import MultipeerTool

/// The network is one of the memory, so that it is the test that says when somebody is found. Real ones are in NearbyCommandTests and
/// Scripts/prove-discovery.
@Suite("The peer that a name means", .endsIfItHangs)
struct PeerPickerTests {
    private let network = MemoryNetwork()
    private let service: ServiceType
    private let anna: Peer
    private let browser: Browser
    private let hashing: any Hashing
    private let clock = ManualClock()

    init() async throws {
        service = try ServiceType("picking")
        anna = try await Peer.temporary(named: "Anna")
        browser = Browser(of: anna, for: service, by: network)
        hashing = try CryptoProvider.standard().hashing
        try await browser.start()
    }

    private func picker(_ patience: Duration = .seconds(30)) -> PeerPicker {
        PeerPicker(
            browser: browser, output: Output(isJSON: true), patience: patience, purpose: .send, clock: clock)
    }

    /// Runs a search while the time passes: a look is over before the clock advances to the next one.
    private func passing<Value>(_ search: () async throws -> Value) async throws -> Value {
        let passing = Task { [clock] in
            while true {
                try await eventually { clock.sleepers == 1 }
                clock.advance(by: .milliseconds(50))
            }
        }
        defer { passing.cancel() }
        return try await search()
    }

    /// Advances the clock while a search is under way. The search looks again then, and does not end, or the test runs out of time.
    private func pass(_ duration: Duration) async throws {
        try await eventually { clock.sleepers == 1 }
        clock.advance(by: duration)
        try await eventually { clock.sleepers == 1 }
    }

    /// The peer that a text means, without a wait for others that may be meant.
    private func findAtOnce(_ text: String) async throws -> NearbyPeer {
        let begin = clock.now
        let found = try await find(text)
        #expect(begin.duration(to: clock.now) == Settling.Waits().brief)
        return found
    }

    private static func key(_ byte: UInt8) throws -> IdentityKey {
        try #require(IdentityKey(String(repeating: String(byte, radix: 16), count: 64)))
    }

    private func tag(_ byte: UInt8) throws -> KeyTag { KeyTag(of: try Self.key(byte), hashing: hashing) }

    /// A peer with this key is nearby for as long as the result is kept.
    private func publish(_ name: String, _ byte: UInt8, number: Int? = nil) async throws -> any Publication {
        let info = try DiscoveryInfo(number.map { [ShownNumber.key: String($0)] } ?? [:])
        return try await network.publish(
            Advertisement(of: try tag(byte), named: try DisplayName(name), info: info), as: service, port: 4711)
    }

    /// Anna has met the peer with this key, under this name: she has called it, or it came unasked.
    private func meet(_ name: String, _ byte: UInt8, asked: Bool = true) async throws {
        let peer = KnownPeer(
            name: try DisplayName(name), key: try Self.key(byte), leafFingerprint: nil,
            address: asked ? PeerAddress("desk-\(byte):1") : nil)
        _ = try await anna.knownPeers.rememberIfUnknown(peer)
        // A browser learns which peers it knows when it begins, and with each event.
        await browser.stop()
        try await browser.start()
    }

    /// The peer that a text means.
    private func find(
        _ text: String, byCode number: Int? = nil, within patience: Duration = .seconds(30)
    ) async throws -> NearbyPeer {
        try await passing { try await picker(patience).find(PeerSearch(typed: text), byCode: number) }
    }

    /// Begins to look, while the clock does not advance.
    private func finding(_ text: String) -> Task<NearbyPeer, any Error> {
        Task { try await picker().find(PeerSearch(typed: text)) }
    }

    private func failure(_ text: String, within patience: Duration = .seconds(30)) async throws -> CommandFailure {
        try #require(
            await #expect(throws: CommandFailure.self) { _ = try await find(text, within: patience) })
    }

    @Test("A namesake that is found nearly two seconds later is in time, and the name is refused")
    func lateNamesake() async throws {
        let first = try await publish("Ben", 1)
        let finding = finding("Ben")
        try await pass(Settling.Waits().quiet - .milliseconds(50))
        let second = try await publish("Ben", 2)
        let refusal = try #require(
            await #expect(throws: CommandFailure.self) { _ = try await passing { try await finding.outcome() } })
        #expect(refusal.status == .usage)
        #expect(refusal.reason.hasPrefix("2 peers nearby are called Ben: Ben "))
        let tags = try [tag(1), tag(2)].map(\.description)
        #expect(tags.allSatisfy { refusal.reason.contains($0) })
        #expect(refusal.remedy.contains("--to TAG"))
        // The remedy's text means one of them, at once.
        for tag in tags {
            #expect(try await findAtOnce(tag).id.description == tag)
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test("The only new peer of a name is chosen once the wait for namesakes is over, and not before")
    func alone() async throws {
        let publications = try await [publish("Ben", 1), publish("Cleo", 2)]
        let finding = finding("Ben")
        try await pass(Settling.Waits().quiet - .milliseconds(50))
        clock.advance(by: .milliseconds(50))
        #expect(try await finding.outcome().id == tag(1))
        withExtendedLifetime(publications) {}
    }

    @Test(
        "The peer that is remembered under the name is chosen at once, even if others use it, and its key is required")
    func known() async throws {
        try await meet("Ben", 1)
        let publications = try await [publish("Ben", 2), publish("Ben", 1)]
        #expect(try await findAtOnce("Ben").known?.key == Self.key(1))
        withExtendedLifetime(publications) {}
    }

    @Test("Another key under a remembered name is never chosen; the picker waits for the remembered one")
    func foreignKey() async throws {
        try await meet("Ben", 1)
        let stranger = try await publish("Ben", 2)
        let refusal = try await failure("Ben", within: .milliseconds(300))
        #expect(refusal.status == .refused)
        #expect(refusal.reason.hasPrefix("another key is remembered for the name of Ben"))
        #expect(refusal.remedy.contains("multipeer peers forget \(try Self.key(1))"))
        let finding = finding("Ben")
        try await pass(Settling.Waits().longest)
        let ben = try await publish("Ben", 1)
        #expect(try await passing { try await finding.outcome() }.id == tag(1))
        // A code proves more than a name that is remembered.
        await ben.stop()
        #expect(try await find("Ben", byCode: 4).id == tag(2))
        withExtendedLifetime(stranger) {}
    }

    @Test("A key that came unasked does not own its name: a namesake is found, and both are shown")
    func provisionalName() async throws {
        try await meet("Ben", 1, asked: false)
        let real = try await publish("Ben", 2)
        #expect(try await find("Ben").id == tag(2))
        let stranger = try await publish("Ben", 1)
        let refusal = try await failure("Ben")
        #expect(refusal.status == .usage && refusal.reason.hasPrefix("2 peers nearby are called Ben: Ben "))
        #expect(refusal.reason.contains("(known, key \(try Self.key(1)))"))
        withExtendedLifetime((real, stranger)) {}
    }

    @Test(
        "A tag that is advertised under two names has neither; its digits mean it, and a remembered key keeps its own"
    )
    func conflictingNames() async throws {
        let publications = try await [publish("Ben", 1), publish("Cleo", 1)]
        for name in ["Ben", "Cleo"] {
            let refusal = try await failure(name)
            #expect(refusal.status == .usage)
            #expect(refusal.reason.hasPrefix("the tag \(try tag(1)) is advertised as "))
            #expect(refusal.reason.contains("Ben") && refusal.reason.contains("Cleo"))
        }
        let text = try tag(1).description
        #expect(try await findAtOnce(text).id == tag(1))
        try await meet("Ben", 1)
        #expect(try await findAtOnce("Ben").id == tag(1))
        let unknown = try await failure("Cleo", within: .milliseconds(300))
        #expect(unknown.status == .unreachable)
        withExtendedLifetime(publications) {}
    }

    @Test("A known peer that takes a new one's name is found only under the name that is remembered (R23.4-4)")
    func knownNamesake() async throws {
        try await meet("Mallory", 3)
        let publications = try await [publish("Ben", 3), publish("Ben", 1)]
        #expect(try await find("Ben").id == tag(1))
        #expect(try await findAtOnce("Mallory").id == tag(3))
        withExtendedLifetime(publications) {}
    }

    @Test("Of namesakes the one that shows the code's number is meant; if two show it, neither")
    func namesakeByCode() async throws {
        let publications = try await [publish("Ben", 1), publish("Ben", 2, number: 4), publish("Ben", 3, number: 5)]
        #expect(try await find("Ben", byCode: 4).id == tag(2))
        let other = try await publish("Ben", 4, number: 4)
        let refusal = try #require(
            await #expect(throws: CommandFailure.self) { _ = try await find("Ben", byCode: 4) })
        #expect(refusal.reason.hasPrefix("2 peers nearby are called Ben: "))
        // A peer that shows none may have just begun to.
        let cleo = try await publish("Cleo", 5)
        #expect(try await find("Cleo", byCode: 4).id == tag(5))
        withExtendedLifetime((publications, other, cleo)) {}
    }

    @Test("A key means its peer, though it was never met; a tag's digits are no name")
    func digits() async throws {
        let publications = try await [publish(tag(2).description, 1), publish("Ben", 2)]
        for text in try [Self.key(2).description.uppercased(), tag(2).description] {
            #expect(try await findAtOnce(text).id == tag(2))
        }
        let refusal = try await failure(Self.key(4).description, within: .zero)
        #expect(refusal.status == .unreachable)
        #expect(refusal.reason.hasPrefix("nobody nearby has the key"))
        withExtendedLifetime(publications) {}
    }

    @Test("Case and Unicode form do not matter, but an exact match comes first")
    func caseOfNames() async throws {
        let ben = try await publish("Ben", 1)
        #expect(try await find("ben").id == tag(1))
        let andre = try await publish("Andr\u{E9}", 3)
        #expect(try await find("ANDRE\u{301}").id == tag(3))
        let other = try await publish("BEN", 2)
        #expect(try await find("Ben").id == tag(1))
        #expect(try await find("BEN").id == tag(2))
        let refusal = try await failure("ben")
        #expect(refusal.status == .usage && refusal.reason.hasPrefix("2 peers nearby are called ben: "))
        let listed = try ["Ben \(tag(1))", "BEN \(tag(2))"]
        #expect(listed.allSatisfy { refusal.reason.contains($0) })
        withExtendedLifetime((ben, andre, other)) {}
    }

    @Test("A remembered name in any case means its key, and never a peer that uses the exact spelling")
    func caseOfRememberedNames() async throws {
        try await meet("Ben", 1)
        let publications = try await [publish("ben", 2), publish("Ben", 1)]
        #expect(try await findAtOnce("ben").known?.key == Self.key(1))
        withExtendedLifetime(publications) {}
    }

    @Test("An address is an address, a malformed one is reported, and all else is a name")
    func arguments() throws {
        for text in ["192.168.77.11:4711", "desk.local:1", "[fe80::1%eth0]:4711", "unix:/run/x"] {
            #expect(try PeerArgument.parse(text) == .address(Endpoint(parsing: text)))
        }
        for text in ["", "192.168.77.11", "desk:", "desk:99999", "fe80::1", "desk:0"] {
            #expect(throws: (any Error).self, "\(text)") { try PeerArgument.parse(text) }
        }
        for text in ["Ben", "1.2.3", "Ben: at home", "B\u{E9}n:1", "anna@desk", "192.168.7.300"] {
            #expect(try PeerArgument.parse(text) == .nearby(text))
        }
    }

    @Test("If a peer is not found, the peers that are there are named, one or several")
    func others() async throws {
        let ben = try await publish("Ben", 1)
        let one = try await failure("Dora", within: .zero)
        #expect(one.reason == "nobody nearby is called Dora; Ben is nearby")
        let cleo = try await publish("Cleo", 2)
        let two = try await failure("Dora", within: .zero)
        #expect(two.reason == "nobody nearby is called Dora; Ben, Cleo are nearby")
        withExtendedLifetime((ben, cleo)) {}
    }

    @Test("The first list to choose from is in the order of names, not of discovery")
    func order() async throws {
        let publications = try await [publish("Cleo", 1)]
        var lists = PeerLists(browser: browser, output: Output(isJSON: true), clock: clock).lists.makeAsyncIterator()
        try await eventually { clock.isAwaited(in: PeerLists.gathering) }
        let ben = try await publish("Ben", 2)
        try await eventually { browser.peers.count == 2 }
        clock.advance(by: PeerLists.gathering)
        #expect(await lists.next()?.map(\.name) == ["Ben", "Cleo"])
        withExtendedLifetime((publications, ben)) {}
    }

    @Test("Each found peer prolongs the wait, but a flood of peers does not prolong it for ever")
    func flood() throws {
        let tags = try (1...15).map { try tag($0) }
        // How many have been found after each number of milliseconds, and whether the wait is over.
        Self.expect([(0, 1, false), (1_900, 2, false), (3_800, 2, false), (3_900, 2, true)], tags)
        Self.expect((1...10).map { (500 * $0, $0, false) } + [(5_499, 15, false), (5_500, 15, true)], tags)
        Self.expect([(0, 1, false), (249, 2, false), (250, 15, true)], tags, isCertain: true)
    }

    private static func expect(_ steps: [(Int, Int, Bool)], _ tags: [KeyTag], isCertain: Bool = false) {
        let begin = ManualClock().now
        var settling = Settling()
        for (milliseconds, count, isOver) in steps {
            let now = begin.advanced(by: .milliseconds(milliseconds))
            let came = settling.isOver(tags[..<count], isCertain: isCertain, at: now)
            #expect(came == isOver, "\(milliseconds) ms")
        }
    }
}
