import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import Multipeer

/// Two apps that invite each other at the same time, over sockets. Chance decides which has the lesser key, and whose
/// bytes come first.
@Suite("Invitations of apps that cross, SPEC §8.7", .endsIfItHangs)
struct CrossingInvitationTests {
    /// Longer than the suite may take: a task that waits for it has waited for nothing.
    private static let patience: Duration = .seconds(600)

    /// Both invite at once, and both get the other.
    private static func bothInvite(_ anna: Friend, _ ben: Friend, expecting: Bool = false) async throws {
        let (annas, bens) = expecting ? (anna.id.key, ben.id.key) : (nil, nil)
        async let one = anna.session.invite(ben.address, expecting: bens, timeout: patience)
        async let other = ben.session.invite(anna.address, expecting: annas, timeout: patience)
        let (there, here) = try await (one, other)
        #expect(there.id == ben.id && here.id == anna.id)
        #expect(anna.session.state(of: ben.id) == .connected && ben.session.state(of: anna.id) == .connected)
        #expect(anna.connected.contains(ben.name) && ben.connected.contains(anna.name))
    }

    @Test("Both to new sessions: one is left, both calls return, each is connected once, and messages arrive")
    func newSessions() async throws {
        for _ in 1...30 {
            let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
            try await Self.bothInvite(anna, ben)
            try await anna.session.send("hello")
            try await eventually { ben.seen.texts(from: "Anna") == ["hello"] }
            try await eventually { !anna.seen.comings.isEmpty && !ben.seen.comings.isEmpty }
            #expect(anna.seen.comings == ["+Ben"] && ben.seen.comings == ["+Anna"])
        }
    }

    @Test("The same session: both calls return, also if each expects the other")
    func oneSession() async throws {
        for _ in 1...4 {
            let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
            try await anna.session.invite(ben.address)
            // An app is asked sixteen times in a minute about one peer.
            for round in 1...8 {
                try await ben.waits(for: ["Anna"])
                await anna.session.disconnect(ben.id)
                try await anna.waits(for: [])
                try await ben.waits(for: [])
                try await Self.bothInvite(anna, ben, expecting: round.isMultiple(of: 2))
            }
        }
    }

    @Test("A session that others have left, and a new one: neither peer waits for ever for the other's answer")
    func oldAndNew() async throws {
        for _ in 1...10 {
            let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
            try await anna.session.invite(cleo.address)
            await cleo.session.leave()
            try await anna.waits(for: [])
            try await Self.bothInvite(anna, ben)
        }
    }

    @Test("An app that invites the peer that it is asked about is connected by that peer's yes")
    func invitedInstead() async throws {
        var orders: Set<Bool> = []
        while orders.count < 2 {
            let asked = Answers([])
            let anna = try await Friend("Anna", accepts: { _ in await asked.nextOnceCancelled() })
            let ben = try await Friend("Ben")
            orders.insert(anna.id.key < ben.id.key)
            async let first = ben.session.invite(anna.address, timeout: Self.patience)
            try await eventually { asked.asked == 1 }
            #expect(try await anna.session.invite(ben.address, timeout: Self.patience).id == ben.id)
            #expect(try await first.id == anna.id)
        }
    }

    @Test("If both are declined, both calls fail, and say why")
    func declined() async throws {
        for _ in 1...10 {
            let anna = try await Friend("Anna", accepts: { _ in false })
            let yes = Answers([true])
            let ben = try await Friend("Ben", accepts: { _ in yes.next() })
            try await anna.session.invite(ben.address)
            try await ben.waits(for: ["Anna"])
            await ben.session.disconnect(anna.id)
            try await anna.waits(for: [])
            async let one = Self.outcome(anna, ben)
            async let other = Self.outcome(ben, anna)
            for cause in await [one, other] {
                #expect(cause == .invitation(.declinedByPeer) || cause == .invitation(.declined))
            }
            #expect(anna.connected.isEmpty && ben.connected.isEmpty)
        }
    }

    /// Why an invitation fails; nil if it does not, or in another way.
    private static func outcome(_ friend: Friend, _ other: Friend) async -> LinkFailureCause? {
        do throws(MultipeerError) {
            try await friend.session.invite(other.address, timeout: patience)
        } catch {
            if case .link(let failure) = error.cause { return failure.cause }
        }
        return nil
    }

    /// A peer that connects and does not invite for half a second is invited. Where its own invitation wins, the app that has agreed to
    /// invite it is not asked again.
    @Test("A late invitation that crosses the remote peer's on one link: nobody is asked twice")
    func late() async throws {
        for _ in 1...8 {
            let clock = ManualClock()
            let ben = try await Friend("Ben", clock: clock, accepts: { _ in false }, admits: { _ in true })
            let anna = try await Friend("Anna")
            let relay = try HoldingRelay(to: ben.port)
            let (annas, address) = (anna.session, relay.address)
            let call = Task { try await annas.invite(address, timeout: Self.patience) }
            try await eventually { await ben.visitors() == 1 && relay.isHolding }
            clock.advance(by: .milliseconds(500))
            try await eventually { await ben.stages().contains(.inviting) }
            relay.release()
            #expect(try await call.outcome().id == ben.id)
            try await ben.waits(for: ["Anna"])
            withExtendedLifetime(relay) {}
        }
    }

    /// Ben is asked whether the peer that connects is to be invited, so Anna, who takes her time after connecting, is
    /// invited herself.
    @Test("An invitation that follows the remote peer's on one link waits for the app's answer to that one")
    func tooLate() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let ben = try await Friend("Ben", clock: clock, admits: { _ in true })
        let anna = try await Friend(
            "Anna",
            accepts: { _ in
                await gate.wait()
                return true
            })
        let attempt = LinkAttempt(anna.session.core, .inviting, expecting: nil)
        let link = try await anna.peer.host.connect(to: ben.address, for: attempt)
        try await eventually { await ben.visitors() == 1 }
        clock.advance(by: .milliseconds(500))
        try await eventually { await anna.stages().contains(.invited) && gate.isReached }
        let call = Task {
            try await anna.session.complete(attempt, on: link) { (link) throws(MultipeerError) in
                try await anna.session.invite(on: link, [], Self.patience, nil)
            }
        }
        // The app answers after that, so the invitation waits for a session that the node does not know yet.
        try await eventually { anna.peer.host.registry.state.withLock { !$0.calls.isEmpty } }
        gate.open()
        #expect(try await call.outcome().id == ben.id)
        try await ben.waits(for: ["Anna"])
        try await eventually { !anna.seen.comings.isEmpty }
        #expect(anna.seen.comings == ["+Ben"])
    }

    @Test("A caller that the peer has invited meanwhile, and that declines that, invites all the same")
    func noIsNoWithdrawal() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let ben = try await Friend("Ben", clock: clock, admits: { _ in true })
        let anna = try await Friend("Anna", accepts: { _ in false })
        var places = PeerPlaces([ben.address])
        places.name = try DisplayName("Another")
        async let call = anna.session.invite(
            places, context: [], timeout: Self.patience,
            whereRenamed: { _ in
                await gate.wait()
                return true
            })
        try await eventually { await ben.visitors() == 1 && gate.isReached }
        clock.advance(by: .milliseconds(500))
        try await eventually { await anna.stages().isEmpty }
        gate.open()
        #expect(try await call.id == ben.id)
        try await ben.waits(for: ["Anna"])
        try await eventually { !anna.seen.comings.isEmpty }
        #expect(anna.seen.comings == ["+Ben"])
    }

    @Test("An app that invites or joins a connected member gets it at once")
    func connectedAlready() async throws {
        let (anna, ben) = (try await Friend("Anna", admits: { _ in true }), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        #expect(try await anna.session.invite(ben.address, timeout: Self.patience).id == ben.id)
        #expect(
            try await ben.session.invite(anna.address, expecting: anna.id.key, timeout: Self.patience).id == anna.id)
        #expect(try await ben.session.join(anna.address).id == anna.id)
        try await eventually { !anna.seen.comings.isEmpty && !ben.seen.comings.isEmpty }
        #expect(anna.seen.comings == ["+Ben"] && ben.seen.comings == ["+Anna"])
    }

    @Test("An app that has agreed with one peer agrees with a second as well, and all three are in one session")
    func agreed() async throws {
        let gate = Gate()
        let ben = try await Friend("Ben", trust: .validator(PatientValidator(gate)))
        let (anna, cleo) = (try await Friend("Anna"), try await Friend("Cleo"))
        // Cleo has accepted, and is not connected before Ben has judged her.
        async let bens = ben.session.invite(cleo.address, timeout: Self.patience)
        try await eventually { gate.isReached }
        #expect(try await anna.session.invite(cleo.address, timeout: Self.patience).id == cleo.id)
        gate.open()
        #expect(try await bens.id == cleo.id)
        try await Self.areOne([anna, ben, cleo])
    }

    @Test("An app that accepts an invitation stays with those that it has invited")
    func kept() async throws {
        let (asked, gate) = (Answers([]), Gate())
        let anna = try await Friend("Anna", accepts: { _ in await asked.nextOnceCancelled() })
        let ben = try await Friend("Ben")
        let cleo = try await Friend(
            "Cleo",
            accepts: { _ in
                await gate.wait()
                return true
            })
        async let first = ben.session.invite(anna.address, timeout: Self.patience)
        try await eventually { asked.asked == 1 }
        async let second = ben.session.invite(cleo.address, timeout: Self.patience)
        try await eventually { gate.isReached }
        #expect(try await anna.session.invite(ben.address, timeout: Self.patience).id == ben.id)
        #expect(try await first.id == anna.id)
        gate.open()
        #expect(try await second.id == cleo.id)
        try await Self.areOne([anna, ben, cleo])
    }

    @Test("Two that have members each invite each other: all four are in one session, and hear of each that goes")
    func union() async throws {
        for _ in 1...5 {
            let friends = [
                try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"), try await Friend("Dora"),
            ]
            try await friends[0].session.invite(friends[1].address)
            try await friends[2].session.invite(friends[3].address)
            try await Self.bothInvite(friends[1], friends[2])
            try await Self.areOne(friends)
            for number in 1...3 {
                await friends[number - 1].session.leave()
                let left = friends[number...]
                for friend in left { try await friend.waits(for: left.filter { $0 !== friend }.map(\.name)) }
            }
        }
    }

    @Test("An app whose yes came to nothing leaves those with whom it is, and they hear that it has left")
    func leavesHome() async throws {
        let ben = try await Friend("Ben", trust: .validator(StrictValidator()))
        let (anna, cleo) = (try await Friend("Anna"), try await Friend("Cleo"))
        try await anna.session.invite(cleo.address)
        try await cleo.waits(for: ["Anna"])
        #expect(await Self.error(ben, anna) != nil)
        await anna.session.leave()
        try await cleo.waits(for: [])
        try await eventually { !cleo.seen.reasons(for: "Anna").isEmpty }
        #expect(cleo.seen.reasons(for: "Anna").map(\.departure) == [.left])
    }

    @Test("Sessions that do not unite stay apart: a peer in both is connected with all")
    func apart() async throws {
        let anna = try await Friend("Anna", unites: false)
        let (ben, cleo) = (try await Friend("Ben", unites: false), try await Friend("Cleo", unites: false))
        try await anna.session.invite(ben.address)
        try await cleo.session.invite(ben.address)
        try await ben.waits(for: ["Anna", "Cleo"])
        try await ben.session.send("to both")
        for friend in [anna, cleo] { try await eventually { friend.seen.texts(from: "Ben") == ["to both"] } }
        // What follows from the charter is in the vectors.
        for friend in [anna, cleo] {
            let (group, node) = (friend.session.core.group, friend.peer.host.node)
            let parameters = try await node.perform { (node, _) throws(NodeRequestError) in
                node.sessions(of: group).map { node.memory(of: $0)?.charter.parameters }
            }
            #expect(parameters == [[Field(type: 6, value: [0])]])
        }
        #expect(anna.connected == ["Ben"] && cleo.connected == ["Ben"])
        await ben.session.leave()
        for friend in [anna, cleo] { try await friend.waits(for: []) }
    }

    /// All are connected with all others, and messages arrive.
    private static func areOne(_ friends: [Friend]) async throws {
        for friend in friends { try await friend.waits(for: friends.filter { $0 !== friend }.map(\.name)) }
        for friend in friends { try await friend.session.send("from \(friend.name)") }
        for friend in friends {
            for other in friends where other !== friend {
                try await eventually { friend.seen.texts(from: other.name) == ["from \(other.name)"] }
            }
        }
    }

    @Test("An invitation that waits for another one ends with its session")
    func leaving() async throws {
        let asked = Answers([])
        let anna = try await Friend("Anna", accepts: { _ in await asked.nextOnceCancelled() })
        let ben = try await Friend("Ben")
        async let first = Self.error(ben, anna)
        async let second = Self.error(ben, anna)
        try await eventually { asked.asked >= 1 }
        await ben.session.leave()
        for error in await [first, second] { #expect(error != nil) }
    }

    private static func error(_ friend: Friend, _ other: Friend) async -> MultipeerError? {
        await error(friend, at: other.address)
    }

    private static func error(_ friend: Friend, at address: Endpoint) async -> MultipeerError? {
        do throws(MultipeerError) {
            try await friend.session.invite(address, timeout: patience)
            return nil
        } catch {
            return error
        }
    }
}

/// Trusts nobody.
private struct StrictValidator: CertificateValidator {
    func verify(_ evidence: PeerEvidence) async -> Verdict { .rejected(.refusedByApplication) }
}

/// Trusts everybody, but takes its time.
private struct PatientValidator: CertificateValidator {
    let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func verify(_ evidence: PeerEvidence) async -> Verdict {
        await gate.wait()
        return .accepted(.unverified)
    }
}
