import Foundation
import Multipeer
import MultipeerClock
import MultipeerConnectivity
import MultipeerCrypto
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Rule 4: invitations", .endsIfItHangs)
struct InvitationRuleTests {
    private let service = Neighbour.service()

    /// - Parameter clocks: What the deadlines of both are measured by.
    private func neighbours(
        clocks: (any SteadyClock, any SteadyClock) = (ContinuousClock(), ContinuousClock()),
        _ answer: @escaping Neighbour.Answer
    ) -> (Neighbour, Neighbour) {
        let anna = Neighbour(Device("Anna", clock: clocks.0), service: service)
        let ben = Neighbour(Device("Ben", clock: clocks.1), service: service, answer: answer)
        anna.browser.startBrowsingForPeers()
        ben.advertiser.startAdvertisingPeer()
        return (anna, ben)
    }

    @Test("The context is opaque or absent; (true, session) joins", arguments: [Data([0, 0xFF, 0x80]), nil])
    func accepted(context: Data?) async throws {
        let (anna, ben) = neighbours { $0.handler(true, $0.session) }
        try await anna.invite(ben, context: context)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
        #expect(ben.inquiries.map(\.context) == [context] && ben.inquiries.map(\.peer) == [anna.device.id])
        try await eventually { anna.device.told.states(of: ben.device.id) == [.connecting, .connected] }
        try await eventually { ben.device.told.states(of: anna.device.id) == [.connecting, .connected] }
        // The peer that found it knows that it is connected.
        #expect(anna.device.session.connectedPeers == anna.nearby)
    }

    @Test(
        "(false, nil) declines, and so does true without a session; a peer that declined can be invited again at once")
    func declined() async throws {
        let count = Mutex(0)
        let (anna, ben) = neighbours { inquiry in
            switch count.withLock({ count in
                count += 1
                return count
            }) {
            case 1: inquiry.handler(false, nil)
            case 2: inquiry.handler(true, nil)
            case 3: inquiry.handler(false, inquiry.session)
            default: inquiry.handler(true, inquiry.session)
            }
        }
        for round in 1...3 {
            try await anna.invite(ben)
            try await eventually { anna.device.told.states(of: ben.device.id).count { $0 == .notConnected } == round }
            #expect(
                anna.device.told.reasons(for: ben.device.id).map(\.kind) == Array(repeating: .declined, count: round))
        }
        try await anna.invite(ben)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
    }

    @Test("The inviter's timeout ends an unanswered invitation, and it can invite again at once")
    func unanswered() async throws {
        let (annas, bens) = (ManualClock(), ManualClock())
        let (anna, ben) = neighbours(clocks: (annas, bens)) { _ in }
        try await anna.invite(ben, timeout: 3)
        try await eventually { ben.inquiries.count == 1 }
        annas.advance(by: .seconds(3))
        try await eventually { anna.device.told.states(of: ben.device.id) == [.connecting, .notConnected] }
        #expect(anna.device.told.reasons(for: ben.device.id).map(\.kind) == [.timedOut])
        // Too late, also by the clock of the remote peer.
        bens.advance(by: .seconds(3))
        ben.inquiries[0].handler(true, ben.device.session)
        try await anna.invite(ben, timeout: 20)
        try await eventually { ben.inquiries.count == 2 }
        ben.inquiries[1].handler(true, ben.device.session)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
    }

    @Test("A timeout of 0 or less is the default", arguments: [0, -5, -TimeInterval.infinity])
    func usualTimeout(timeout: TimeInterval) async throws {
        let anna = Neighbour(Device("Anna", clock: ManualClock()), service: service)
        // An app of `Multipeer` hears how long the peer waits.
        let ben = try await Peer.temporary(named: "Ben")
        let advertiser = Advertiser(of: ben, for: try ServiceType(service), at: .loopback, by: App.network)
        try await advertiser.start()
        anna.browser.startBrowsingForPeers()
        try await eventually { anna.nearby.map(\.displayName) == ["Ben"] }
        anna.browser.invitePeer(
            try #require(anna.nearby.first), to: anna.device.session, withContext: nil, timeout: timeout)
        var invitations = advertiser.invitations.makeAsyncIterator()
        let incoming = try #require(await invitations.next())
        #expect(incoming.timeout == .seconds(30))
        let session = Session(of: ben, trust: .everyone)
        incoming.accept(into: session)
        try await eventually { anna.device.connected == ["Ben"] && session.connectedPeers.map(\.name) == ["Anna"] }
        #expect(anna.device.told.events.allSatisfy { if case .reason = $0 { false } else { true } })
    }

    @Test("A handler that is called twice counts once")
    func answeredTwice() async throws {
        let (anna, ben) = neighbours { inquiry in
            inquiry.handler(true, inquiry.session)
            inquiry.handler(false, nil)
            inquiry.handler(true, inquiry.session)
        }
        try await anna.invite(ben)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
        let (cleo, dora) = (
            Neighbour(Device("Cleo"), service: service),
            neighbours { inquiry in
                inquiry.handler(false, nil)
                inquiry.handler(true, inquiry.session)
            }.1
        )
        cleo.browser.startBrowsingForPeers()
        try await cleo.invite(dora)
        try await eventually { cleo.device.told.states(of: dora.device.id).last == .notConnected }
        #expect(cleo.device.told.reasons(for: dora.device.id).map(\.kind) == [.declined])
        #expect(dora.device.connected == [])
    }

    @Test("A late call of a handler is harmless: the session was left, or the app's advertiser is gone")
    func answeredLate() async throws {
        let anna = Neighbour(Device("Anna"), service: service)
        anna.browser.startBrowsingForPeers()
        var ben: Neighbour? = Neighbour(Device("Ben"), service: service, answer: { _ in })
        ben?.advertiser.startAdvertisingPeer()
        try await anna.invite(try #require(ben), timeout: 60)
        try await eventually { ben?.inquiries.count == 1 }
        let (inquiry, device) = try #require(ben.map { ($0.inquiries[0], $0.device) })
        // The delegate goes, and with it the advertiser; the session is left, and used again by the answer.
        ben = nil
        device.session.disconnect()
        inquiry.handler(true, inquiry.session)
        inquiry.handler(false, nil)
        try await eventually {
            !anna.device.told.reasons(for: device.id).isEmpty || anna.device.connected == ["Ben"]
        }
        inquiry.handler(true, nil)
        // Both continue.
        let cleo = Neighbour(Device("Cleo"), service: service)
        cleo.advertiser.startAdvertisingPeer()
        try await anna.invite(cleo)
        try await eventually { anna.device.connected.contains("Cleo") }
    }

    @Test("A browser and an advertiser whose delegates are gone continue, and notify nobody")
    func releasedDelegates() async throws {
        let (anna, ben) = neighbours { $0.handler(true, $0.session) }
        _ = try await anna.finds(ben)
        let before = anna.comings
        anna.browser.delegate = nil
        ben.advertiser.delegate = nil
        // Nobody can be asked.
        try await anna.invite(ben)
        try await eventually { anna.device.told.states(of: ben.device.id).last == .notConnected }
        #expect(anna.device.told.reasons(for: ben.device.id).map(\.kind) == [.declined])
        ben.advertiser.delegate = ben
        try await anna.invite(ben)
        try await eventually { anna.device.connected == ["Ben"] }
        ben.stop()
        #expect(anna.comings == before && ben.inquiries.count == 1)
    }

    @Test("A released handler declines at once")
    func dropped() async throws {
        // No time passes, so it is neither Anna's nor Ben's that ends it.
        let anna = Neighbour(Device("Anna", clock: ManualClock()), service: service)
        let careless = CarelessAdvertiser(Device("Ben", clock: ManualClock()), service)
        anna.browser.startBrowsingForPeers()
        careless.advertiser.startAdvertisingPeer()
        try await eventually { anna.nearby.count == 1 }
        anna.browser.invitePeer(try #require(anna.nearby.first), to: anna.device.session, withContext: nil, timeout: 60)
        try await eventually { anna.device.told.states(of: careless.device.id).last == .notConnected }
        #expect(anna.device.told.reasons(for: careless.device.id).map(\.kind) == [.declined])
    }

    @Test("Two peers invite each other: one session results, without duplicates")
    func crossing() async throws {
        let (anna, ben) = (Neighbour(Device("Anna"), service: service), Neighbour(Device("Ben"), service: service))
        for neighbour in [anna, ben] { neighbour.start() }
        let (forAnna, forBen) = (try await ben.finds(anna), try await anna.finds(ben))
        anna.browser.invitePeer(forBen, to: anna.device.session, withContext: nil, timeout: 20)
        ben.browser.invitePeer(forAnna, to: ben.device.session, withContext: nil, timeout: 20)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
        try anna.device.send("one", to: ben.device)
        try ben.device.send("two", to: anna.device)
        try await eventually {
            anna.device.told.texts(from: ben.device.id) == ["two"]
                && ben.device.told.texts(from: anna.device.id) == ["one"]
        }
        for (neighbour, other) in [(anna, ben), (ben, anna)] {
            #expect(neighbour.device.told.states(of: other.device.id).count { $0 == .connected } == 1)
            #expect(neighbour.device.told.states(of: other.device.id).last == .connected)
        }
    }

    /// Two that have invited each other, one after the other, and whose apps have been asked. Time does not advance.
    private func invitingEachOther() async throws -> (Neighbour, Neighbour) {
        let pair = ["Anna", "Ben"].map {
            Neighbour(Device($0, clock: ManualClock()), service: service, answer: { _ in })
        }
        for neighbour in pair { neighbour.start() }
        try await pair[0].invite(pair[1])
        try await eventually { pair[1].inquiries.count == 1 }
        try await pair[1].invite(pair[0])
        // An app that is connected unasked is never asked.
        try await eventually { pair[0].inquiries.count == 1 || !pair[0].device.connected.isEmpty }
        #expect(pair[0].inquiries.count == 1 && pair[0].device.connected.isEmpty)
        return (pair[0], pair[1])
    }

    @Test(
        "Inviting is not accepting: of two that invite each other both are asked, and neither is connected if both decline"
    )
    func crossingRefused() async throws {
        // Which of both has the lesser key is a matter of luck.
        for _ in 1...6 {
            let (anna, ben) = try await invitingEachOther()
            for neighbour in [anna, ben] { neighbour.inquiries.first?.handler(false, nil) }
            for (neighbour, other) in [(anna, ben), (ben, anna)] {
                try await eventually { neighbour.device.told.states(of: other.device.id).last == .notConnected }
                #expect(neighbour.device.told.states(of: other.device.id) == [.connecting, .notConnected])
                #expect(neighbour.device.connected.isEmpty && neighbour.inquiries.count == 1)
            }
            for neighbour in [anna, ben] { neighbour.stop() }
        }
    }

    @Test("Of two that invite each other one acceptance is enough, whether the other declines or does not answer")
    func crossingAcceptedOnce() async throws {
        for (answers, saysNo) in [(0, true), (1, true), (0, false), (1, false)] {
            let (anna, ben) = try await invitingEachOther()
            let pair = [anna, ben]
            let inquiry = try #require(pair[answers].inquiries.first)
            inquiry.handler(true, inquiry.session)
            if saysNo { pair[1 - answers].inquiries.first?.handler(false, nil) }
            try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
            for (neighbour, other) in [(anna, ben), (ben, anna)] {
                #expect(!neighbour.device.told.states(of: other.device.id).contains(.notConnected))
                neighbour.stop()
            }
        }
    }

    @Test("Apps that all invite at once connect only with the right word in the context")
    func crossingWithWord() async throws {
        for _ in 1...4 {
            let pair = ["Anna", "Ben"].map { name in
                Neighbour(Device(name), service: service) { inquiry in
                    inquiry.handler(inquiry.context == Data("right".utf8), inquiry.session)
                }
            }
            for neighbour in pair { neighbour.start() }
            for (neighbour, other) in [(pair[0], pair[1]), (pair[1], pair[0])] { _ = try await neighbour.finds(other) }
            for (neighbour, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                try await neighbour.invite(other, context: Data("wrong".utf8))
            }
            for (neighbour, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                try await eventually { neighbour.device.told.states(of: other.device.id).last == .notConnected }
                #expect(!neighbour.device.told.states(of: other.device.id).contains(.connected))
            }
            try await pair[0].invite(pair[1], context: Data("right".utf8))
            try await eventually { pair.allSatisfy { !$0.device.connected.isEmpty } }
            for neighbour in pair { neighbour.stop() }
        }
    }

    @Test("A peer that nobody has found is not connected, with a reason; nothing traps")
    func unknownPeer() async throws {
        let anna = Neighbour(Device("Anna"), service: service)
        anna.browser.startBrowsingForPeers()
        let stranger = MCPeerID(displayName: "Stranger")
        anna.browser.invitePeer(stranger, to: anna.device.session, withContext: nil, timeout: 1)
        try await eventually { anna.device.told.states(of: stranger).last == .notConnected }
        #expect(anna.device.told.reasons(for: stranger).count == 1)
        #expect(anna.device.connected == [])
    }

    @Test("A connected peer stays connected when it is invited again")
    func invitedTwice() async throws {
        let (anna, ben) = neighbours { $0.handler(true, $0.session) }
        try await anna.invite(ben)
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
        try await anna.invite(ben)
        try anna.device.send("still here", to: ben.device)
        try await eventually { ben.device.told.texts(from: anna.device.id) == ["still here"] }
        #expect(anna.device.connected == ["Ben"])
        #expect(!anna.device.told.states(of: ben.device.id).contains(.notConnected))
    }

    @Test("A context that is too long is refused with a reason, without a trap")
    func longContext() async throws {
        let (anna, ben) = neighbours { $0.handler(true, $0.session) }
        try await anna.invite(ben, context: Data(count: 16_385))
        try await eventually { anna.device.told.states(of: ben.device.id).last == .notConnected }
        #expect(anna.device.told.reasons(for: ben.device.id).map(\.kind) == [.invalidParameter])
        try await anna.invite(ben, context: Data(count: 16_384))
        try await eventually { anna.device.connected == ["Ben"] }
        #expect(ben.inquiries.map { $0.context?.count } == [16_384])
    }
}

/// An app that forgets to answer.
private final class CarelessAdvertiser: NSObject, MCNearbyServiceAdvertiserDelegate, Sendable {
    let device: Device
    let advertiser: MCNearbyServiceAdvertiser

    init(_ device: Device, _ service: String) {
        self.device = device
        advertiser = MCNearbyServiceAdvertiser(peer: device.id, discoveryInfo: nil, serviceType: service)
        super.init()
        advertiser.delegate = self
    }

    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {}
}
