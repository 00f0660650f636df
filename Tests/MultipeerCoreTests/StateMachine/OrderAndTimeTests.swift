import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("First frames, first faults and late inputs: SPEC §6.2, §7.5, §8.1, §8.2, §9.5, §18")
struct OrderAndTimeTests {
    @Test("A responder is silent until its first record, and then sends magic and record together, R6.2-3, R7.5-5")
    func responderWaits() throws {
        let hello = InitiatorHello(
            versions: [0xFF04], suites: [1], extensions: [], ephemeral: [UInt8](repeating: 9, count: 32))
        let opening = ClearRecord.opening(.hello, body: hello.body())
        for length in [0, 1, Magic.bytes.count, opening.count - 1] {
            let duel = try Duels.make(honest: .responder)
            duel.evil.sendRaw(Array(opening.prefix(length)))
            try duel.exchange()
            #expect(duel.sent.isEmpty, "after \(length) bytes")
        }
        let silences: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\n\r\n".utf8), Magic.bytes + [0x10, 0, 18], Magic.bytes + [0x01, 0xFF, 0xFF],
        ]
        for bytes in silences {
            let duel = try Duels.make(honest: .responder)
            duel.evil.sendRaw(bytes)
            try duel.exchange()
            #expect(duel.sent.isEmpty)
            #expect(duel.stage == .closed)
        }
        let answered = try Duels.make(honest: .responder)
        answered.evil.sendRaw(opening)
        answered.honest.link.receive(answered.evil.flush().span, at: answered.now)
        let answer = answered.honest.transmit(at: answered.now)
        #expect(Array(answer.prefix(9)) == Magic.bytes + [0x01])
    }

    @Test("A refusal lists the responder's values for its fault and no other, R7.5-4")
    func refusalLists() throws {
        func refusal(_ versions: [UInt16], _ suites: [UInt16]) throws -> Refusal? {
            let duel = try Duels.make(honest: .responder, suites: [.chaChaPoly])
            let hello = InitiatorHello(
                versions: versions, suites: suites, extensions: [], ephemeral: [UInt8](repeating: 9, count: 32))
            duel.evil.sendOpening(.hello, body: hello.body())
            try duel.exchange()
            return duel.evil.refusal
        }
        let neither = try refusal([0x0A0A, 2], [0x1A1A, 2])
        #expect(neither == Refusal(code: .unsupportedVersion, versions: [0xFF04], suites: []))
        let noSuite = try refusal([0xFF04], [0x1A1A, 2])
        #expect(noSuite == Refusal(code: .unsupportedSuite, versions: [], suites: [1]))
    }

    @Test(
        "Both peers send PEER_INFO once, the initiator right after PROOF, the responder after the initiator's, R8.1-1")
    func peerInfoOnce() throws {
        let initiator = try Duels.at(.proof, honest: .initiator)
        try initiator.evil.send(try initiator.evil.proof())
        try initiator.exchange()
        #expect(initiator.evil.sentTypes == [.proof, .peerInfo])

        let responder = try Duels.at(.proof, honest: .responder)
        #expect(responder.evil.sentTypes == [.proof])
        try responder.evil.send(try responder.evil.proof())
        try responder.exchange()
        #expect(responder.evil.sentTypes == [.proof, .peerInfo])
        try responder.evil.send(responder.evil.peerInfo())
        try responder.exchange()
        #expect(responder.stage == .identified)
        try responder.evil.send(responder.evil.peerInfo())
        try responder.exchange()
        expectFailure(responder, unexpected(.peerInfo), at: .identified, told: .unexpectedFrame)
    }

    @Test("An unanswered invitation ends by CANCEL of the inviter and by DECLINE of the invitee, R8.2-4")
    func unanswered() throws {
        let inviter = try Duels.at(.inviting, honest: .initiator)
        try inviter.advance(by: .seconds(600))
        #expect(inviter.evil.payloads(of: .cancel) == [[2, 0]])
        #expect(inviter.failure?.cause == .invitation(.noAnswer))

        let invitee = try Duels.at(.invited, honest: .responder)
        try invitee.advance(by: .seconds(600))
        #expect(invitee.evil.payloads(of: .decline) == [[4, 0, 0]])
        #expect(invitee.failure?.cause == .invitation(.noAnswer))
    }

    @Test("A PROOF with several faults fails for the first of: signature, own key, expected key, R9.5-6")
    func orderOfProofFaults() throws {
        let stranger = try Peers.key(99)
        func fault(_ change: (Duel) throws -> Proof) throws -> LinkFailureCause? {
            let duel = try Duels.make(honest: .initiator) { $0.expectedPeer = stranger }
            try duel.shakeHands()
            try duel.evil.send(try change(duel))
            try duel.exchange()
            return duel.failure?.cause
        }
        let own = try fault { try $0.evil.proof(showing: $0.honestKey.rawBytes) }
        #expect(own == .violation(.proofInvalid))
        let unsigned = try fault { try $0.evil.proof(hash: [UInt8](repeating: 0, count: 32)) }
        #expect(unsigned == .violation(.proofInvalid))
        let other = try fault { try $0.evil.proof() }
        #expect(other == .violation(.unexpectedIdentity(try Peers.key(2))))
    }

    @Test("Bytes that come at the deadline are late, even if no timer has fired, R18-2")
    func lateInput() throws {
        let duel = try Duels.at(.proof, honest: .responder)
        let pending = duel.honest.link.deadline
        let deadline = try #require(pending)
        try duel.evil.send(try duel.evil.proof())
        let bytes = duel.evil.flush()
        duel.honest.link.receive(bytes.span, at: deadline)
        duel.honest.drain(at: deadline)
        #expect(duel.failure == LinkFailure(stage: .proof, cause: .timedOut))

        let verdict = try Duels.at(.certificatesAsked, honest: .responder)
        let pendingVerdict = verdict.honest.link.deadline
        let last = try #require(pendingVerdict)
        let token = verdict.effects.compactMap { effect in
            if case .verify(let token, _) = effect { token } else { nil }
        }.last
        let asked = try #require(token)
        var misuse: RequestError?
        do throws(RequestError) {
            try verdict.honest.link.submitVerdict(.accepted(.unverified), for: asked, at: last)
        } catch {
            misuse = error
        }
        #expect(misuse == .staleToken)
        verdict.honest.drain(at: last)
        #expect(verdict.failure?.cause == .certificate(.verdictTimeout))
    }

    @Test("The end of the stream, and the app's close, are late at the deadline, R18-2")
    func lateEnd() throws {
        let ways: [(String, (inout Link, Instant) -> Void)] = [
            ("the end of the stream", { link, now in link.receiveEnd(at: now) }),
            ("close", { link, now in link.close(at: now) }),
            ("close with a code", { link, now in link.close(.shuttingDown, at: now) }),
        ]
        let stages: [(Duel.Place, LinkFailure)] = [
            (.proof, LinkFailure(stage: .proof, cause: .timedOut)),
            (.inviting, LinkFailure(stage: .inviting, cause: .invitation(.noAnswer))),
            (.certificatesAsked, LinkFailure(stage: .certificates, cause: .certificate(.verdictTimeout))),
        ]
        for (name, act) in ways {
            for (stage, failure) in stages {
                let duel = try Duels.at(stage, honest: .initiator)
                let pending = duel.honest.link.deadline
                let deadline = try #require(pending)
                act(&duel.honest.link, deadline)
                let next = duel.honest.link.deadline
                #expect(next.map { $0 > deadline } ?? true, "\(name) in \(stage)")
                // Why an invitation ended is reported when the link does.
                duel.honest.link.receiveEnd(at: deadline)
                duel.honest.drain(at: deadline)
                #expect(duel.failure == failure, "\(name) in \(stage)")
            }
        }
    }

    @Test("Two peers may have one name, and one peer may have two, R4.2-2")
    func namesAreNotIdentity() throws {
        let (one, other) = (try Peers.key(1), try Peers.key(2))
        let name = try DisplayName("Anna")
        #expect(PeerID(key: one, displayName: name) != PeerID(key: other, displayName: name))
        #expect(PeerID(key: one, displayName: name) == PeerID(key: one, displayName: try DisplayName("Ben")))
        // On the wire: a peer that calls itself what the honest peer is called is another peer.
        let duel = try Duels.at(.info, honest: .responder)
        try duel.evil.send(duel.evil.peerInfo(name: "Honest"))
        try duel.exchange()
        #expect(duel.stage == .identified)
    }
}
