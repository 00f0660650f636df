import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerDiscovery
import MultipeerDriver
import MultipeerSodium
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import Synchronization
import Testing

/// The stand-in for MultipeerConnectivity, whose calls do not wait.
@Suite("Sessions without waiting, SPEC §13, §14", .endsIfItHangs)
struct PortingTests {
    let network = MemoryNetwork()
    let service = try! ServiceType("porting")

    private func connected() async throws -> (Friend, Friend) {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        return (anna, ben)
    }

    @Test("Messages that are sent without waiting arrive in order, however many there are")
    func withoutWaiting() async throws {
        let (anna, ben) = try await connected()
        for number in 0..<2_000 { try anna.session.enqueue(Array("\(number)".utf8), to: ben.id) }
        try await eventually { ben.seen.texts(from: "Anna").count == 2_000 }
        #expect(ben.seen.texts(from: "Anna") == (0..<2_000).map { "\($0)" })
        let long = [UInt8](repeating: 0, count: 17_000_000)
        #expect { try anna.session.enqueue(long, to: ben.id) } throws: { error in
            (error as? MultipeerError)?.code == .tooLarge
        }
        let nobody = try await Peer.temporary().id
        #expect(throws: MultipeerError.sending(.notConnected)) { try anna.session.enqueue([1], to: nobody) }
        #expect(throws: MultipeerError.sending(.notConnected)) { try anna.session.trySend([1], to: nobody) }
    }

    @Test("A message without waiting is dropped while others wait, and sent once they are gone")
    func atOnce() async throws {
        let (anna, ben) = try await connected()
        try anna.session.enqueue([UInt8](repeating: 1, count: 8_000_000), to: ben.id)
        #expect(try anna.session.trySend(Array("dropped".utf8), to: ben.id) == nil)
        try await eventually { try anna.session.trySend(Array("sent".utf8), to: ben.id) != nil }
        try await eventually { ben.seen.texts(from: "Anna").last == "sent" }
        #expect(!ben.seen.texts(from: "Anna").contains("dropped"))
    }

    @Test("A one-way stream uses nothing of the remote peer's")
    func oneWay() async throws {
        let (anna, ben) = try await connected()
        let stream = try await anna.session.openStream(named: "one way", to: ben.id, isOneWay: true)
        try await stream.write(Array("hello".utf8))
        try await stream.finish()
        try await eventually { ben.seen.streams.count == 1 }
        let incoming = ben.seen.streams[0]
        var received: [UInt8] = []
        for try await part in incoming.bytes { received += part }
        #expect(received == Array("hello".utf8))
        for try await part in stream.bytes { Issue.record("\(part.count) bytes") }
    }

    @Test("A file is sent under another name")
    func named() async throws {
        let scratch = try Scratch()
        let anna = try await Friend("Anna")
        let ben = try await Friend("Ben", inbox: scratch / "bens")
        try await anna.session.invite(ben.address)
        try await anna.session.sendFile(try scratch.write("own", "content"), to: ben.id, named: "other")
        #expect(try scratch.read("bens/other") == Array("content".utf8))
    }

    @Test("An app's own identity is the one that others see, and remembers in its store the peers that it has met")
    func givenIdentity() async throws {
        let scratch = try Scratch()
        let sodium = try SodiumProvider.standard()
        var random: any RandomSource = sodium.random
        let identity = LocalIdentity(
            signer: try SodiumIdentity(random: &random, provider: sodium), name: try DisplayName("Anna"))
        let store = PeerStore(directory: scratch / "store")
        let peer = try await Peer.load(identity, rememberingIn: store)
        #expect(peer.id == identity.peer)
        let (anna, ben) = (try await Friend("Anna", peer: peer, trust: .firstUse), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        let known = try await KnownPeersFile(path: store.knownPeersPath).all()
        #expect(known.map(\.key) == [ben.id.key])
    }

    // MARK: Invitations to an advertiser

    private func advertised(_ peer: Peer) async throws -> (Advertiser, Browser) {
        let advertiser = Advertiser(of: peer, for: service, at: .loopback, by: network)
        let browser = Browser(of: try await Peer.temporary(), for: service, by: network)
        try await advertiser.start()
        try await browser.start()
        try await eventually { browser.peers.contains { $0.name == peer.id.shownName } }
        return (advertiser, browser)
    }

    @Test("A peer that accepts learns the outcome: a member, or why there is none")
    func outcome() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Peer.temporary(named: "Ben"))
        let (advertiser, browser) = try await advertised(ben)
        let outcomes = Mutex<[Result<Member, MultipeerError>]>([])
        let answering = Task {
            for await incoming in advertiser.invitations {
                // The first session trusts nobody.
                let isFirst = outcomes.withLock { $0.isEmpty }
                let session = Session(of: ben, trust: isFirst ? .pinned([]) : .everyone)
                let outcome: Result<Member, MultipeerError>
                do throws(MultipeerError) {
                    outcome = .success(try await incoming.join(session))
                } catch {
                    outcome = .failure(error)
                }
                outcomes.withLock { $0.append(outcome) }
                if !isFirst { await untilCancelled() }
            }
        }
        defer { answering.cancel() }
        let peer = try #require(browser.peers.first { $0.name == "Ben" })
        await #expect(throws: MultipeerError.self) { try await browser.invite(peer, to: anna.session) }
        try await eventually { outcomes.withLock { $0.count } == 1 }
        let first = outcomes.withLock { $0[0] }
        guard case .failure(let error) = first, case .link(let failure) = error.cause else {
            return #expect(Bool(false), "\(first)")
        }
        #expect(failure.cause == .certificate(.pinMismatch))
        try await browser.invite(peer, to: anna.session)
        try await eventually { outcomes.withLock { $0.count } == 2 }
        #expect(try outcomes.withLock { $0[1] }.get().id == anna.id)
    }

    @Test("A member accepts a peer nearby among others, and all are in one session")
    func lateComer() async throws {
        let (anna, cleo) = (try await Friend("Anna"), try await Friend("Cleo"))
        let ben = try await Friend("Ben")
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        let (advertiser, browser) = try await advertised(ben.peer)
        let answering = Task {
            for await incoming in advertiser.invitations { return try await incoming.join(ben.session) }
            throw CancellationError()
        }
        let peer = try #require(browser.peers.first { $0.name == "Ben" })
        #expect(try await browser.invite(peer, to: cleo.session).id == ben.id)
        #expect(try await answering.outcome().id == cleo.id)
        try await cleo.waits(for: ["Anna", "Ben"])
    }
}
