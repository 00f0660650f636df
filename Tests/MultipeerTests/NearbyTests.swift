import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerDiscovery
import MultipeerStorage
import MultipeerTestSupport
import MultipeerWire
import Synchronization
import Testing

/// The network is one of the memory; links go over real sockets. Real multicast is in MultipeerDiscoveryTests and Scripts/prove-discovery.
@Suite("Peers nearby, SPEC §23", .endsIfItHangs)
struct NearbyTests {
    let network = MemoryNetwork()
    let service = try! ServiceType("chat")

    private func advertiser(_ peer: Peer, info: DiscoveryInfo = [:], privately: Bool = false) -> Advertiser {
        Advertiser(of: peer, for: service, info: info, privately: privately, at: .loopback, by: network)
    }

    private func found(_ browser: Browser, _ name: String) async throws -> NearbyPeer {
        try await eventually { browser.peers.contains { $0.name == name } }
        return try #require(browser.peers.first { $0.name == name })
    }

    private func tag(of peer: Peer) throws -> KeyTag {
        KeyTag(of: peer.id.key, hashing: try CryptoProvider.standard().hashing)
    }

    @Test("A peer that was chosen by a false name is not invited, unless the app insists (R23.5-3)")
    func falseName() async throws {
        let asked = Mutex(0)
        let anna = try await Friend("Anna")
        let ben = try await Friend(
            "Ben",
            accepts: { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let port = UInt16(ben.port)
        // Anybody on the network can say that Ben's key is Cleo's.
        let lie = try await network.publish(
            Advertisement(of: try tag(of: ben.peer), named: try DisplayName("Cleo")), as: service, port: port)
        let browser = Browser(of: anna.peer, for: service, by: network)
        try await browser.start()
        let cleo = try await found(browser, "Cleo")
        let refusal = MultipeerError.connection(.otherName(ben.id))
        await #expect(throws: refusal) { try await browser.invite(cleo, to: anna.session) }
        #expect(refusal.description.hasPrefix("connection: the peer calls itself Ben"))
        #expect(asked.withLock { $0 } == 0 && anna.connected.isEmpty)
        let member = try await browser.invite(cleo, to: anna.session) { $0 == ben.id }
        #expect(member.id == ben.id && member.name == "Ben")
        withExtendedLifetime(lie) {}
    }

    @Test("A remembered key is shown under its remembered name, whatever is advertised (R23.4-4)")
    func rememberedName() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Peer.temporary(named: "Ben"))
        let entry = KnownPeer(name: try DisplayName("Ben"), key: ben.id.key, leafFingerprint: nil)
        try await anna.peer.knownPeers.remember(entry)
        let lie = try await network.publish(
            Advertisement(of: try tag(of: ben), named: try DisplayName("Cleo")), as: service, port: 4711)
        let browser = Browser(of: anna.peer, for: service, by: network)
        try await browser.start()
        let found = try await found(browser, "Ben")
        #expect(found.known?.key == ben.id.key && found.advertisedName?.description == "Cleo")
        #expect(browser.peers.map(\.name) == ["Ben"] && found.conflictingNames.isEmpty)
        withExtendedLifetime(lie) {}
    }

    @Test("An advertiser is found once, updates, is invited, accepts, and is lost")
    func life() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Peer.temporary(named: "Ben"))
        let browser = Browser(of: anna.peer, for: service, by: network)
        let events = Mutex<[String]>([])
        let telling = Task {
            for await event in browser.events {
                switch event {
                case .found(let peer): events.withLock { $0.append("found \(peer.name) \(peer.info["room"] ?? "-")") }
                case .changed(let peer):
                    events.withLock { $0.append("changed \(peer.name) \(peer.info["room"] ?? "-")") }
                case .lost(let peer): events.withLock { $0.append("lost \(peer.name)") }
                default: break
                }
            }
        }
        defer { telling.cancel() }
        try await browser.start()
        try await browser.start()
        let advertiser = advertiser(ben, info: ["room": "4"])
        try await advertiser.start()
        try await advertiser.start()
        #expect(advertiser.advertisedName == "Ben")
        try await eventually { events.withLock { $0.count } == 1 }
        try await advertiser.update(["room": "5"])
        try await eventually { events.withLock { $0.count } == 2 }

        let session = Session(of: ben, trust: .everyone)
        let accepting = Task {
            for await incoming in advertiser.invitations {
                #expect(incoming.name == "Anna")
                #expect(incoming.contextText == "lunch")
                #expect(incoming.accept(into: session))
                #expect(!incoming.accept(into: session))
            }
        }
        defer { accepting.cancel() }
        let member = try await browser.invite(try await found(browser, "Ben"), to: anna.session, context: "lunch")
        #expect(member.id == ben.id)
        try await eventually { session.connectedPeers.map(\.name) == ["Anna"] }
        try await anna.session.send("hello")

        await advertiser.stop()
        await advertiser.stop()
        try await eventually { events.withLock { $0.count } == 3 }
        #expect(events.withLock { $0 } == ["found Ben 4", "changed Ben 5", "lost Ben"])
        #expect(browser.peers.isEmpty)
        // A peer that is connected stays connected, and one that begins again is found again.
        #expect(session.connectedPeers.map(\.name) == ["Anna"])
        try await advertiser.start()
        try await eventually { events.withLock { $0.last } == "found Ben 5" }
        await browser.stop()
        try await eventually { events.withLock { $0.last } == "lost Ben" }
        try await browser.start()
        try await eventually { events.withLock { $0.last } == "found Ben 5" }
    }

    @Test("An advertiser that knows its sessions' encryption asks about no peer that cannot agree (R8.2-9)")
    func incompatible() async throws {
        for (encryption, asks) in [(EncryptionPreference.required, false), (nil, true)] {
            let (anna, ben) = (try await Friend("Anna", encryption: .none), try await Peer.temporary(named: "Ben"))
            let browser = Browser(of: anna.peer, for: service, by: network)
            let advertiser = Advertiser(
                of: ben, for: service, at: .loopback, encryption: encryption, by: network)
            try await advertiser.start()
            try await browser.start()
            let asked = Mutex(0)
            let session = Session(of: ben, trust: .everyone)
            let accepting = Task {
                for await incoming in advertiser.invitations {
                    asked.withLock { $0 += 1 }
                    incoming.accept(into: session)
                }
            }
            defer { accepting.cancel() }
            let target = try await found(browser, "Ben")
            let error = await #expect(throws: MultipeerError.self) {
                try await browser.invite(target, to: anna.session)
            }
            guard case .link(let failure) = error?.cause else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.cause == .incompatible(.encryptionPolicy(local: .none, remote: .required)))
            #expect(asked.withLock { $0 } == (asks ? 1 : 0))
            await advertiser.stop()
            await browser.stop()
        }
    }

    @Test("A peer that was met is known, and verified once people have confirmed it")
    func verification() async throws {
        let store = try Scratch()
        let peerStore = PeerStore(directory: store.path)
        let anna = try await Friend("Anna", peer: try await Peer.load(named: "Anna", from: peerStore), trust: .firstUse)
        let ben = try await Friend("Ben")
        let browser = Browser(of: anna.peer, for: service, by: network)
        let advertiser = advertiser(ben.peer)
        try await advertiser.start()
        try await browser.start()
        let stranger = try await found(browser, "Ben")
        #expect(stranger.known == nil && stranger.verification == nil)
        try await anna.session.invite(ben.address)
        func seen() async throws -> NearbyPeer {
            // What is known is looked up when something happens.
            await browser.stop()
            try await browser.start()
            return try await found(browser, "Ben")
        }
        let known = try await seen()
        #expect(known.known == ben.id && known.verification == nil)
        let file = KnownPeersFile(path: peerStore.knownPeersPath)
        let entry = try #require(await file.all().first)
        try await file.remember(entry, verifiedBy: .shortString)
        let verified = try await seen()
        #expect(verified.known == ben.id && verified.verification == .shortString)
    }

    @Test("Nothing is accepted by default: an invitation that is ignored, dropped or declined is declined")
    func declined() async throws {
        let clock = ManualClock()
        let (anna, ben) = (try await Friend("Anna", clock: clock), try await Peer.temporary(named: "Ben"))
        let (browser, advertiser) = (Browser(of: anna.peer, for: service, by: network), advertiser(ben))
        try await browser.start()
        try await advertiser.start()
        let peer = try await found(browser, "Ben")
        let counter = Mutex(0)
        let answering = Task {
            for await incoming in advertiser.invitations {
                let count = counter.withLock { count in
                    count += 1
                    return count
                }
                // The first is dropped.
                if count == 2 { incoming.decline() }
            }
        }
        for _ in 0..<2 {
            let error = await #expect(throws: MultipeerError.self) {
                try await browser.invite(peer, to: anna.session)
            }
            guard case .link(let failure) = error?.cause else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(failure.cause == .invitation(.declinedByPeer), "\(failure)")
        }
        answering.cancel()
        await answering.value
        let inviting = Task { try await browser.invite(peer, to: anna.session, timeout: .seconds(3)) }
        try await eventually { await anna.stages().contains(.inviting) }
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: MultipeerError.self) { try await inviting.outcome() }
        guard case .link(let failure) = error?.cause else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.cause == .invitation(.noAnswer))
    }

    @Test(
        "A peer that advertises another's key is not invited, and learns no more than any listener (R23.4-3, R23.5-1, R23.5-2)"
    )
    func impostor() async throws {
        let (anna, ben, eve) = (
            try await Friend("Anna"), try await Peer.temporary(named: "Ben"), try await Friend("Eve")
        )
        let browser = Browser(of: anna.peer, for: service, by: network)
        try await browser.start()
        let port = UInt16(eve.port)
        let forged = Advertisement(of: try tag(of: ben), named: try DisplayName("Ben"))
        let forgery = try await network.publish(forged, as: service, port: port)
        let error = await #expect(throws: MultipeerError.self) {
            try await browser.invite(try await found(browser, "Ben"), to: anna.session)
        }
        guard case .link(let failure) = error?.cause else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.cause == .violation(.unexpectedIdentity(eve.id.key)))
        #expect(eve.seen.events.isEmpty)

        // The right one is reached all the same.
        let advertiser = advertiser(ben)
        try await advertiser.start()
        #expect(advertiser.advertisedName == "Ben (2)")
        let session = Session(of: ben, trust: .everyone)
        let accepting = Task { for await incoming in advertiser.invitations { incoming.accept(into: session) } }
        defer { accepting.cancel() }
        try await eventually { browser.peers.first?.addresses.count == 2 }
        #expect(browser.peers.count == 1)
        let member = try await browser.invite(try await found(browser, "Ben"), to: anna.session)
        #expect(member.id == ben.id)
        #expect(eve.seen.events.isEmpty)
        withExtendedLifetime(forgery) {}
    }

    @Test("A wrong address delays nobody for more than 250 ms (R23.5-2)")
    func nowhere() async throws {
        let clock = ManualClock()
        let (anna, ben) = (try await Friend("Anna", clock: clock), try await Peer.temporary(named: "Ben"))
        let browser = Browser(of: anna.peer, for: service, by: network)
        try await browser.start()
        // It takes connections, and says nothing.
        let silent = try SilentListener()
        let forged = Advertisement(of: try tag(of: ben), named: try DisplayName("Ben"))
        let forgery = try await network.publish(forged, as: service, port: silent.port)
        let advertiser = advertiser(ben)
        try await advertiser.start()
        let session = Session(of: ben, trust: .everyone)
        let accepting = Task { for await incoming in advertiser.invitations { incoming.accept(into: session) } }
        defer { accepting.cancel() }
        try await eventually { browser.peers.first?.addresses.count == 2 }
        let peer = try await found(browser, "Ben")
        let inviting = Task { try await browser.invite(peer, to: anna.session) }
        try await eventually { silent.accepted == 1 }
        // The handshake of the silent one would take ten seconds.
        clock.advance(by: .milliseconds(250))
        #expect(try await inviting.outcome().id == ben.id)
        withExtendedLifetime((forgery, silent)) {}
    }

    @Test("A private peer shows its name once it is connected, and another tag each time (SPEC §23.3)")
    func hidden() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Peer.temporary(named: "Ben"))
        let browser = Browser(of: anna.peer, for: service, by: network)
        try await browser.start()
        let own = Browser(of: ben, for: service, by: network)
        try await own.start()
        var tags: Set<KeyTag> = []
        for _ in 0..<3 {
            let advertiser = advertiser(ben, privately: true)
            try await advertiser.start()
            try await eventually { browser.peers.count == 1 }
            let peer = try #require(browser.peers.first)
            #expect(peer.isPrivate && peer.displayName == nil && peer.known == nil)
            #expect(peer.name == peer.id.description)
            #expect(tags.insert(peer.id).inserted)
            #expect(try tag(of: ben) != peer.id)
            #expect(own.peers.isEmpty)
            let session = Session(of: ben, trust: .everyone)
            let accepting = Task { for await incoming in advertiser.invitations { incoming.accept(into: session) } }
            let member = try await browser.invite(peer, to: anna.session)
            #expect(member.name == "Ben")
            accepting.cancel()
            await session.leave()
            await advertiser.stop()
            try await eventually { browser.peers.isEmpty && anna.connected.isEmpty }
        }
    }

    @Test("A peer that was met is known by its tag, and only its key is accepted")
    func known() async throws {
        let folder = try Scratch()
        let me = try await Peer.load(named: "Anna", from: PeerStore(directory: folder.path + "/store"))
        let anna = try await Friend("Anna", peer: me, trust: .firstUse)
        let ben = try await Peer.temporary(named: "Ben")
        let (browser, advertiser) = (Browser(of: me, for: service, by: network), advertiser(ben))
        try await browser.start()
        try await advertiser.start()
        let session = Session(of: ben, trust: .everyone)
        let accepting = Task { for await incoming in advertiser.invitations { incoming.accept(into: session) } }
        defer { accepting.cancel() }
        let first = try await found(browser, "Ben")
        #expect(first.known == nil)
        try await browser.invite(first, to: anna.session)
        await browser.stop()
        try await browser.start()
        #expect(try await found(browser, "Ben").known == ben.id)
    }

    @Test(
        "Of one address's strangers four wait for the app; one of another address, and a known one, are asked about at once"
    )
    func flood() async throws {
        let folder = try Scratch()
        let ben = try await Peer.load(named: "Ben", from: PeerStore(directory: folder.path + "/store"))
        let advertiser = advertiser(ben)
        try await advertiser.start()
        let endpoint = try #require(advertiser.endpoint)
        let outcomes = Outcomes()
        // Ben meets Anna.
        let (anna, dora) = (try await Friend("Anna"), try await Friend("Dora"))
        var invitations = advertiser.invitations.makeAsyncIterator()
        let meeting = Task { try await anna.session.invite(endpoint) }
        let first = Session(of: ben, trust: .firstUse)
        try #require(await invitations.next()).accept(into: first)
        _ = try await meeting.value
        await first.leave()
        try await eventually { anna.connected.isEmpty }
        var attackers: [Task<Void, any Error>] = []
        for number in 0..<40 {
            attackers.append(
                Task {
                    let eve = try await Friend("Eve \(number)")
                    do throws(MultipeerError) {
                        try await eve.session.invite(endpoint, timeout: .seconds(600))
                    } catch {
                        outcomes.errors.withLock { $0.append(error) }
                    }
                })
        }
        // Nobody takes them, so those that wait still wait.
        try await eventually { outcomes.errors.withLock { $0.count } == 36 }
        guard case .tcp(_, let port) = endpoint else { return #expect(Bool(false)) }
        let relay = try Relay(from: "127.0.0.2", to: port)
        let names = Mutex<[String]>([])
        let late = [
            Task { _ = try? await Session(of: anna.peer, trust: .everyone).invite(endpoint) },
            Task { _ = try? await dora.session.invite(relay.address) },
        ]
        for _ in 0..<6 {
            let incoming = try #require(await invitations.next())
            names.withLock { $0.append(incoming.name) }
            incoming.decline()
        }
        #expect(names.withLock { Set($0.suffix(2)) } == ["Anna", "Dora"])
        for task in late { await task.value }
        for attacker in attackers { _ = await attacker.result }
        #expect(outcomes.errors.withLock { $0.count } == 40)
    }

    @Test(
        "A peer that invites learns whether it was declined, not answered, or refused as busy (SPEC §8.4)",
        arguments: [.declinedByPeer, .noAnswer, .peerBusy] as [InvitationEnd])
    func refusals(expected: InvitationEnd) async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Peer.temporary(named: "Ben"))
        let (browser, advertiser) = (Browser(of: anna.peer, for: service, by: network), advertiser(ben))
        try await browser.start()
        try await advertiser.start()
        var invitations = advertiser.invitations.makeAsyncIterator()
        let peer = try await found(browser, "Ben")
        let inviting = Task { try await browser.invite(peer, to: anna.session) }
        let incoming = try #require(await invitations.next())
        switch expected {
        case .noAnswer: incoming.decline(.unanswered)
        case .peerBusy: incoming.decline(.busy)
        default: incoming.decline()
        }
        let error = await #expect(throws: MultipeerError.self) { try await inviting.value }
        guard case .link(let failure) = error?.cause else { throw CancellationError() }
        #expect(failure.cause == .invitation(expected))
    }

    @Test("A peer that has stopped waiting cannot be accepted")
    func withdrawn() async throws {
        let clock = ManualClock()
        let (anna, ben) = (try await Friend("Anna", clock: clock), try await Peer.temporary(named: "Ben"))
        let (browser, advertiser) = (Browser(of: anna.peer, for: service, by: network), advertiser(ben))
        try await browser.start()
        try await advertiser.start()
        var invitations = advertiser.invitations.makeAsyncIterator()
        let peer = try await found(browser, "Ben")
        let inviting = Task { try? await browser.invite(peer, to: anna.session, timeout: .seconds(3)) }
        let incoming = try #require(await invitations.next())
        clock.advance(by: .seconds(3))
        #expect(try await inviting.outcome() == nil)
        try await eventually { !incoming.accept(into: Session(of: ben)) }
    }
}

private final class Outcomes: Sendable {
    let errors = Mutex<[MultipeerError]>([])
}
