import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Calls: invitations that wait for whichever link connects the two (SPEC §8.7)")
struct NodeCallTests {
    private typealias Line = (link: LinkNumber, peer: ScriptedPeer)
    private static let group = GroupNumber(rawValue: 1)
    private let duel: NodeDuel
    private let session: SessionID

    init() throws {
        duel = try NodeDuel()
        duel.group = Self.group
        session = try duel.node.found(in: Self.group, at: duel.now)
    }

    /// The local app calls the peer of a link for ten seconds.
    private func call(on line: Line, code: OneTimeCode? = nil) throws {
        try duel.node.invite(
            on: line.link, to: session, in: Self.group, terms: NodeDuel.terms, timeout: .seconds(10), code: code,
            patience: .forConnection, at: duel.now)
        try duel.exchange()
    }

    /// A peer has connected, and the local app calls it.
    private func called(_ seed: UInt64) throws -> Line {
        let line = try duel.connect(seed)
        try call(on: line)
        return line
    }

    /// The peer says yes to the local INVITE, and the link opens.
    private func say(yesOn line: Line) throws {
        try line.peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try duel.finish(line.peer)
    }

    /// The peer invites on a link, and the local app is asked.
    private func inviteLocalPeer(on line: Line) throws {
        try line.peer.send(invite: line.peer.invitation())
        try duel.exchange()
        #expect(duel.asked.last == line.link)
    }

    /// The outcomes of the call on a link.
    private func outcomes(_ line: Line) -> [CallOutcome] {
        duel.effects.compactMap { effect in
            if case .callEnded(line.link, let outcome) = effect { outcome } else { nil }
        }
    }

    private static func failed(_ stage: LinkStage, _ cause: LinkFailureCause) -> CallOutcome {
        .failed(.failed(LinkFailure(stage: stage, cause: cause)))
    }

    private static func connected(_ line: Line) -> CallOutcome { .connected(line.peer.identity.identityKey) }

    // MARK: One link

    @Test("The peer says yes: the outcome comes after the connection")
    func accepted() throws {
        let line = try called(2)
        try say(yesOn: line)
        #expect(outcomes(line) == [Self.connected(line)])
        let kinds = duel.effects.compactMap { effect in
            switch effect {
            case .connected: "connected"
            case .callEnded: "callEnded"
            default: nil
            }
        }
        #expect(kinds == ["connected", "callEnded"])
    }

    @Test("The peer says no: the call hears it at once, and nothing else")
    func declined() throws {
        let line = try called(2)
        try line.peer.send(Decline(.declined))
        try duel.exchange()
        #expect(outcomes(line) == [Self.failed(.inviting, .invitation(.declinedByPeer))])
        #expect(!duel.effects.contains { if case .notInvited = $0 { true } else { false } })
    }

    @Test("The peer does not answer")
    func unanswered() throws {
        let line = try called(2)
        // The peer's answer may be on its way when the time is over.
        try duel.advance(by: .seconds(30))
        #expect(outcomes(line) == [Self.failed(.inviting, .invitation(.noAnswer))])
    }

    @Test("The app gives the call up by closing its link: no outcome comes")
    func givenUp() throws {
        let line = try called(2)
        duel.node.close(line.link, at: duel.now)
        try duel.exchange()
        try duel.advance(by: .seconds(60))
        #expect(outcomes(line) == [])
    }

    @Test("The peer has invited on the link before: its invitation decides")
    func invitedBefore() throws {
        let line = try duel.connect(2)
        try inviteLocalPeer(on: line)
        try call(on: line)
        #expect(outcomes(line) == [])
        try duel.node.accept(line.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(line.peer)
        #expect(outcomes(line) == [Self.connected(line)])
    }

    @Test(
        "The local app does not answer the peer's own invitation in the time of the call: the call ends, and the question stays"
    )
    func unansweredHere() throws {
        let line = try duel.connect(2)
        try inviteLocalPeer(on: line)
        try call(on: line)
        try duel.advance(by: .seconds(10))
        #expect(outcomes(line) == [Self.failed(.invited, .invitation(.noAnswer))])
        try duel.node.accept(line.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(line.peer)
        #expect(duel.node.openLinkCount(to: line.peer.identity.identityKey, in: Self.group) == 1)
    }

    // MARK: Several links

    @Test("A second call to one peer gives its link up, and shares the outcome of the first", arguments: [true, false])
    func twice(isYes: Bool) throws {
        let (first, second) = (try called(2), try called(2))
        #expect(outcomes(second) == [] && second.peer.closeCode == .noError && !second.peer.sentTypes.contains(.invite))
        if isYes {
            try say(yesOn: first)
        } else {
            try first.peer.send(Decline(.declined))
            try duel.exchange()
        }
        let outcome = isYes ? Self.connected(first) : Self.failed(.inviting, .invitation(.declinedByPeer))
        #expect(outcomes(first) == [outcome] && outcomes(second) == [outcome])
    }

    @Test("A call to a peer that is connected ends at once")
    func connectedAlready() throws {
        let first = try called(2)
        try say(yesOn: first)
        let second = try called(2)
        #expect(outcomes(second) == [Self.connected(first)] && second.peer.closeCode == .noError)
    }

    /// The link of a call gives way to another one, on which the local app is asked about the peer's invitation.
    private func overtaken() throws -> (call: Line, other: Line) {
        let call = try called(2)
        let other = try duel.connect(2)
        try inviteLocalPeer(on: other)
        try call.peer.send(Close(code: .duplicateLink))
        try duel.exchange()
        #expect(outcomes(call) == [])
        return (call, other)
    }

    @Test("Another link takes the place of the call's own: the local app's yes there is the outcome")
    func overtakenAndAccepted() throws {
        let (call, other) = try overtaken()
        try duel.node.accept(other.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(other.peer)
        #expect(outcomes(call) == [Self.connected(other)])
    }

    @Test("Another link takes the place of the call's own, and ends: the call hears why")
    func overtakenAndRefused() throws {
        let (call, other) = try overtaken()
        try duel.node.accept(other.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try other.peer.send(Close(code: .certificateRejected))
        try duel.exchange()
        #expect(outcomes(call) == [Self.failed(.certificates, .peerClosed(.certificateRejected))])
    }

    @Test(
        "Another link takes the place of the call's own, and the local app does not answer there: the call ends in its time"
    )
    func overtakenAndUnanswered() throws {
        let (call, _) = try overtaken()
        try duel.advance(by: .seconds(9))
        #expect(outcomes(call) == [])
        try duel.advance(by: .seconds(1))
        #expect(outcomes(call) == [Self.failed(.inviting, .peerClosed(.duplicateLink))])
    }

    @Test("Where nothing but a link of nobody known may come, an overtaken call waits for what that link is")
    func overtakenByNobodyKnown() throws {
        let call = try called(2)
        let other = try duel.hello(3)
        try call.peer.send(Close(code: .duplicateLink))
        try duel.exchange()
        #expect(outcomes(call) == [])
        // It is somebody else.
        try other.peer.send(try other.peer.proof())
        try other.peer.send(other.peer.peerInfo())
        try duel.exchange()
        #expect(outcomes(call) == [Self.failed(.inviting, .peerClosed(.duplicateLink))])
    }

    @Test("A link that ends otherwise is waited for by nobody, unless the peer's own invitation is asked")
    func lost() throws {
        let alone = try called(2)
        _ = try duel.hello(3)
        try duel.cut(alone.link)
        #expect(outcomes(alone) == [Self.failed(.inviting, .truncated)])

        let asked = try called(4)
        let other = try duel.connect(4)
        try inviteLocalPeer(on: other)
        try duel.cut(asked.link)
        #expect(outcomes(asked) == [])
        try duel.node.decline(other.link, at: duel.now)
        try duel.exchange()
        #expect(outcomes(asked).count == 1)
    }

    @Test("A peer that refuses the local one on another link is called no more")
    func refusedElsewhere() throws {
        // The local peer waits for its admission, so that the call's INVITE has not gone out.
        let host = try duel.connect(5)
        try inviteLocalPeer(on: host)
        try duel.node.accept(host.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(host.peer)
        let entered = SessionID(host.peer.ownCharter, hashing: Peers.crypto.hashing)
        let line = try duel.connect(2)
        try duel.node.invite(
            on: line.link, to: entered, in: Self.group, terms: NodeDuel.terms, timeout: .seconds(10),
            patience: .forConnection, at: duel.now)
        let other = try duel.connect(2)
        try inviteLocalPeer(on: other)
        try duel.node.accept(other.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try other.peer.send(Close(code: .certificateRejected))
        try duel.exchange()
        #expect(outcomes(line) == [Self.failed(.certificates, .peerClosed(.certificateRejected))])
        #expect(line.peer.closeCode == .noError && !line.peer.sentTypes.contains(.invite))
    }

    // MARK: Codes

    @Test("A call that waits for a code is not ended by another link: that one does not prove who knows the code")
    func code() throws {
        duel.features = [1]
        let first = try duel.connect(2)
        try inviteLocalPeer(on: first)
        let line = try duel.connect(2)
        try call(on: line, code: Pairings.code)
        try duel.node.accept(first.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(first.peer)
        #expect(duel.node.openLinkCount(to: first.peer.identity.identityKey, in: Self.group) == 1)
        #expect(outcomes(line) == [])
        try line.peer.send(Close(code: .codeWrong))
        try duel.exchange()
        #expect(outcomes(line) == [Self.failed(.pairing, .peerClosed(.codeWrong))])
    }
}

@Suite("Leaving all that an app holds as one")
struct NodeLeavingTests {
    private static let group = GroupNumber(rawValue: 1)

    /// The node has entered a peer's session, and ADMIT has not come.
    private static func entered() throws -> (duel: NodeDuel, host: (link: LinkNumber, peer: ScriptedPeer)) {
        let duel = try NodeDuel()
        duel.group = group
        let host = try duel.connect(2)
        try host.peer.send(invite: host.peer.invitation())
        try duel.exchange()
        try duel.node.accept(host.link, into: group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(host.peer)
        return (duel, host)
    }

    private static func admit(_ duel: NodeDuel, _ host: ScriptedPeer) throws {
        try host.send(
            Admit(chain: [try Duels.admission(of: duel.key.rawBytes, to: host.ownCharter, by: host.identity)]))
        try duel.exchange()
    }

    private static func hasLeft(_ duel: NodeDuel) -> Bool {
        duel.effects.contains { if case .left(group) = $0 { true } else { false } }
    }

    private static func goodbyes(_ peer: ScriptedPeer) throws -> Int {
        try peer.entriesThatCame().count { $0.content.presence == .left }
    }

    @Test("A local peer that is admitted leaves at once")
    func atOnce() throws {
        let (duel, host) = try Self.entered()
        try Self.admit(duel, host.peer)
        duel.node.leave(Self.group, at: duel.now)
        try duel.exchange()
        #expect(Self.hasLeft(duel) && host.peer.closeCode == .noError)
        #expect(try Self.goodbyes(host.peer) == 1)
    }

    @Test("One that is not admitted yet waits for that, and its neighbours hear that it leaves")
    func admittedFirst() throws {
        let (duel, host) = try Self.entered()
        duel.node.leave(Self.group, at: duel.now)
        try duel.exchange()
        #expect(!Self.hasLeft(duel) && host.peer.closeCode == nil)
        try Self.admit(duel, host.peer)
        #expect(Self.hasLeft(duel) && host.peer.closeCode == .noError)
        #expect(try Self.goodbyes(host.peer) == 1)
    }

    @Test("One that is never admitted leaves without a goodbye, in half a second")
    func neverAdmitted() throws {
        let (duel, host) = try Self.entered()
        duel.node.leave(Self.group, at: duel.now)
        try duel.advance(by: .milliseconds(499))
        #expect(!Self.hasLeft(duel) && host.peer.closeCode == nil)
        try duel.advance(by: .milliseconds(1))
        #expect(Self.hasLeft(duel) && host.peer.closeCode == .noError)
        #expect(try Self.goodbyes(host.peer) == 0)
    }

    @Test("One whose links end meanwhile has left then")
    func lost() throws {
        let (duel, host) = try Self.entered()
        duel.node.leave(Self.group, at: duel.now)
        try duel.cut(host.link)
        #expect(Self.hasLeft(duel))
    }

    @Test("An app that is in no session has left at once")
    func nowhere() throws {
        let duel = try NodeDuel()
        duel.node.leave(Self.group, at: duel.now)
        try duel.exchange()
        #expect(Self.hasLeft(duel) && duel.node.deadline == nil)
    }
}

@Suite("Visitors: peers that connect and do not invite")
struct NodeVisitTests {
    private static func duel(_ courtesy: Duration?) throws -> NodeDuel { try NodeDuel { $0.courtesy = courtesy } }

    private static func visits(_ duel: NodeDuel) -> [LinkNumber] {
        duel.effects.compactMap { if case .visited(let link) = $0 { link } else { nil } }
    }

    @Test("The app hears of a peer that does not invite in time, once")
    func silent() throws {
        let duel = try Self.duel(.milliseconds(500))
        let (link, _) = try duel.connect(2)
        try duel.advance(by: .milliseconds(499))
        #expect(Self.visits(duel) == [])
        try duel.advance(by: .milliseconds(1))
        try duel.advance(by: .seconds(60))
        #expect(Self.visits(duel) == [link])
    }

    @Test("It hears nothing of one that has invited, of one that the app has invited, and of one that nobody knows yet")
    func others() throws {
        let duel = try Self.duel(.milliseconds(500))
        let inviting = try duel.connect(2)
        try inviting.peer.send(invite: inviting.peer.invitation())
        let invited = try duel.connect(3)
        try duel.node.invite(on: invited.link, terms: NodeDuel.terms, at: duel.now)
        _ = try duel.hello(4)
        try duel.exchange()
        try duel.advance(by: .seconds(5))
        #expect(Self.visits(duel) == [])
    }

    @Test("It hears nothing of visitors unless it wants to")
    func unwanted() throws {
        let duel = try Self.duel(nil)
        _ = try duel.connect(2)
        try duel.advance(by: .seconds(60))
        #expect(Self.visits(duel) == [])
    }
}
