import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

/// Random operations, by seed: whatever apps, time and the network do, the invariants hold.
@Suite("Liveness, SPEC §17 and §19")
struct LivenessTests {
    /// One run of two links.
    private final class Run {
        var dice: SeededRandomSource
        let test: TestPair
        var toInitiator: [UInt8] = []
        var toResponder: [UInt8] = []
        var tokens: [[LinkToken]] = [[], []]
        var files: [[FileID]] = [[], []]
        var seen = [0, 0]
        var now = Instant(nanoseconds: 0)

        init(seed: UInt64) throws {
            dice = SeededRandomSource(seed: seed)
            let terms = EncryptionPreference.allCases[dice.next(below: 3)]
            let invites = dice.next(below: 2) == 0
            test = TestPair(
                try Peers.pair(
                    suites: [Suite.classical[dice.next(below: 2)]],
                    invitation: invites ? OutgoingInvitation(terms: SessionTerms(encryption: terms)) : nil,
                    initiatorScript: .passive, responderScript: .passive))
        }

        func with(_ side: Int, _ body: (inout SimulatedPeer) throws -> Void) {
            // RequestError is allowed to happen here; that it changes nothing is another test's.
            if side == 0 { try? body(&test.pair.initiator) } else { try? body(&test.pair.responder) }
        }

        func step() {
            let side = dice.next(below: 2)
            switch dice.next(below: 16) {
            case 0..<7: carry(to: side)
            case 7: invite(side)
            case 8, 9: answer(side)
            case 10: with(side) { try $0.link.send([UInt8](repeating: 1, count: dice.next(below: 100_000)), at: now) }
            case 11: offer(side)
            case 12: useFile(side)
            case 13: wait()
            case 14 where dice.next(below: 6) == 0: with(side) { $0.link.close(at: now) }
            case 15 where dice.next(below: 20) == 0: with(side) { $0.link.close(.shuttingDown, at: now) }
            default: carry(to: side)
            }
            check()
        }

        /// Moves what one peer sent, perhaps in part, and rarely with a flipped bit.
        private func carry(to side: Int) {
            with(1 - side) { peer in
                let bytes = peer.transmit(at: now)
                if side == 0 { toInitiator += bytes } else { toResponder += bytes }
            }
            var pending = side == 0 ? toInitiator : toResponder
            guard !pending.isEmpty else { return }
            let count = dice.next(below: 3) == 0 ? 1 + dice.next(below: pending.count) : pending.count
            var part = Array(pending.prefix(count))
            pending.removeFirst(count)
            if side == 0 { toInitiator = pending } else { toResponder = pending }
            if dice.next(below: 1_000) == 0 { part[dice.next(below: part.count)] ^= 1 << UInt8(dice.next(below: 8)) }
            with(side) { $0.link.receive(part.span, at: now) }
        }

        private func invite(_ side: Int) {
            let preference = EncryptionPreference.allCases[dice.next(below: 3)]
            let seconds = 1 + dice.next(below: 40)
            with(side) {
                try $0.link.invite(
                    OutgoingInvitation(terms: SessionTerms(encryption: preference), timeout: .seconds(seconds)), at: now
                )
            }
            if dice.next(below: 60) == 0 { with(side) { try $0.link.cancelInvitation(at: now) } }
        }

        private func answer(_ side: Int) {
            guard let token = tokens[side].randomElement(using: &dice.generator) else { return }
            let preference = EncryptionPreference.allCases[dice.next(below: 3)]
            switch dice.next(below: 40) {
            case 0: with(side) { try $0.link.decline(token, at: now) }
            case 1: with(side) { try $0.link.submitVerdict(.rejected(.refusedByApplication), for: token, at: now) }
            default:
                with(side) { try $0.link.accept(token, with: SessionTerms(encryption: preference), at: now) }
                with(side) { try $0.link.submitVerdict(.accepted(.application), for: token, at: now) }
            }
        }

        private func offer(_ side: Int) {
            let size = UInt64(dice.next(below: 200_000))
            with(side) { files[side].append(try $0.link.offerFile(name: "f", size: size, at: now)) }
        }

        private func useFile(_ side: Int) {
            guard let file = files[side].randomElement(using: &dice.generator) else { return }
            let length = dice.next(below: 66_000)
            switch dice.next(below: 8) {
            case 0: with(side) { try $0.link.cancelFile(file, at: now) }
            case 1: with(side) { try $0.link.refuseFile(file, at: now) }
            case 2: with(side) { try $0.link.confirmFile(file, at: now) }
            case 3, 4: with(side) { try $0.link.acceptFile(file, at: now) }
            default: with(side) { try $0.link.supply([UInt8](repeating: 2, count: length), to: file, at: now) }
            }
        }

        private func wait() {
            now = now.advanced(by: .milliseconds([1, 1, 10, 10, 100, 100, 3_000, 20_000][dice.next(below: 8)]))
            for side in 0..<2 { with(side) { $0.link.timeout(at: now) } }
        }

        private func check() {
            for side in 0..<2 {
                with(side) { $0.drain(at: now) }
                let role: LinkRole = side == 0 ? .initiator : .responder
                let effects = test.effects(of: role)
                for effect in effects[seen[side]...] {
                    switch effect {
                    case .invited(let token, _), .verify(let token, _): tokens[side].append(token)
                    case .incomingFile(.offered(let offer)): files[side].append(offer.file)
                    case .closed: #expect(test.end(of: role) != nil)
                    default: break
                    }
                }
                seen[side] = effects.count
                let (stage, deadline) =
                    side == 0
                    ? (test.stages.initiator, test.pair.initiator.link.deadline)
                    : (test.stages.responder, test.pair.responder.link.deadline)
                if stage != .open, stage != .closed { #expect(deadline != nil, "\(stage) has no deadline (R19-3)") }
                if stage == .closed { #expect(deadline == nil && test.end(of: role) != nil) }
            }
        }

        /// Lets time pass until nothing is left to wait for.
        func settle() {
            for _ in 0..<400 {
                for side in 0..<2 { carry(to: side) }
                let deadlines = [test.pair.initiator.link.deadline, test.pair.responder.link.deadline].compactMap { $0 }
                if let next = deadlines.min(), toInitiator.isEmpty, toResponder.isEmpty { now = max(now, next) }
                for side in 0..<2 { with(side) { $0.link.timeout(at: now) } }
                for deadline in [test.pair.initiator.link.deadline, test.pair.responder.link.deadline] {
                    if let deadline { #expect(deadline > now, "a deadline that has fired is gone") }
                }
                check()
            }
        }
    }

    @Test("Random operations keep the invariants, and reach open links")
    func operations() throws {
        var (opened, messages, files) = (0, 0, 0)
        for seed: UInt64 in 1_000..<1_500 {
            let run = try Run(seed: seed)
            try checkRun(run)
            opened += run.test.summaries.initiator == nil ? 0 : 1
            messages += run.test.messages(of: .responder).count
            files += run.files[0].count
        }
        // Otherwise the dice would test closed links only.
        #expect(opened > 100 && messages > 100 && files > 100, "\(opened) \(messages) \(files)")
    }

    private func checkRun(_ run: Run) throws {
        for _ in 0..<200 { run.step() }
        run.settle()
        let pair = run.test
        if let one = pair.summaries.initiator, let other = pair.summaries.responder {
            #expect(one.handshakeHash == other.handshakeHash && one.session == other.session)
            #expect(one.encryption == other.encryption && one.suite == other.suite)
        }
        for role in [LinkRole.initiator, .responder] {
            let ends = pair.effects(of: role).indices.filter {
                if case .closed = pair.effects(of: role)[$0] { true } else { false }
            }
            #expect(ends.isEmpty || ends == [pair.effects(of: role).count - 1])
            #expect(pair.messages(of: role).allSatisfy { $0.allSatisfy { $0 == 1 } })
        }
        // A link that is not open has ended, or both are open and have nothing to wait for.
        let stages = [pair.stages.initiator, pair.stages.responder]
        #expect(stages.allSatisfy { [.open, .closed].contains($0) }, "\(stages)")
    }
}

extension SeededRandomSource {
    /// The same dice for the standard library.
    fileprivate var generator: Generator {
        get { Generator(source: self) }
        set { self = newValue.source }
    }

    fileprivate struct Generator: RandomNumberGenerator {
        var source: SeededRandomSource
        mutating func next() -> UInt64 { source.next() }
    }
}
