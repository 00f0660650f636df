import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Driver: the validator in the options, SPEC §10.5", .endsIfItHangs)
struct ValidatorTests {
    /// Answers when the test says so, and remembers what became of it.
    private final class Waiting: CertificateValidator {
        let begun: AsyncStream<PeerEvidence>
        let ended: AsyncStream<Bool>
        private let begin: AsyncStream<PeerEvidence>.Continuation
        private let end: AsyncStream<Bool>.Continuation
        private let answer: AsyncStream<Verdict>
        private let give: AsyncStream<Verdict>.Continuation

        init() {
            (begun, begin) = AsyncStream.makeStream()
            (ended, end) = AsyncStream.makeStream()
            (answer, give) = AsyncStream.makeStream()
        }

        func verify(_ evidence: PeerEvidence) async -> Verdict {
            begin.yield(evidence)
            var verdict: Verdict?
            for await given in answer {
                verdict = given
                break
            }
            end.yield(Task.isCancelled)
            return verdict ?? .accepted(.unverified)
        }

        func submit(_ verdict: Verdict) { give.yield(verdict) }

        func evidence() async -> PeerEvidence? {
            for await evidence in begun { return evidence }
            return nil
        }

        func wasCancelled() async -> Bool? {
            for await wasCancelled in ended { return wasCancelled }
            return nil
        }
    }

    private static func pair(_ validator: any CertificateValidator) throws -> (DriverPair, AsyncStream<Void>) {
        let pair = try DriverPair(anna: { $0.validator = validator })
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        pair.anna.driver.setWake { wake.yield() }
        pair.run()
        // One that answers at once may have opened the link by now.
        if validator is Waiting { #expect(pair.anna.driver.stage == .certificates) }
        return (pair, wakes)
    }

    private static func wait(for wakes: AsyncStream<Void>) async {
        for await _ in wakes { return }
    }

    private static func hasVerifyEvent(_ side: DriverSide) -> Bool {
        side.effects.contains { if case .verify = $0 { true } else { false } }
    }

    @Test("A validator that accepts opens the session, and the app is not asked")
    func accepts() async throws {
        let (pair, wakes) = try Self.pair(AcceptUnverifiedPeers())
        await Self.wait(for: wakes)
        pair.run()
        #expect(pair.anna.summary?.trust == .unverified)
        #expect(pair.ben.summary != nil)
        #expect(!Self.hasVerifyEvent(pair.anna) && Self.hasVerifyEvent(pair.ben))
    }

    @Test("A validator that rejects ends the link")
    func rejects() async throws {
        let (pair, wakes) = try Self.pair(ApplicationValidator(accepting: { _ in false }))
        await Self.wait(for: wakes)
        pair.run()
        let cause = LinkFailureCause.certificate(.refusedByApplication)
        #expect(pair.anna.end == .failed(LinkFailure(stage: .certificates, cause: cause)))
        #expect(pair.ben.summary == nil && pair.ben.end != nil)
    }

    @Test("A validator gets the peer's evidence")
    func evidence() async throws {
        let validator = Waiting()
        let (pair, wakes) = try Self.pair(validator)
        let evidence = await validator.evidence()
        #expect(evidence?.peer.displayName?.description == "Ben")
        validator.submit(.accepted(.application))
        await Self.wait(for: wakes)
        pair.run()
        #expect(pair.anna.summary?.trust == .application)
    }

    @Test("The link has the deadline: a slow validator is cancelled, and nobody is accepted")
    func tooSlow() async throws {
        let validator = Waiting()
        let (pair, _) = try Self.pair(validator)
        _ = await validator.evidence()
        pair.advance(by: .seconds(60))
        #expect(pair.anna.end == .failed(LinkFailure(stage: .certificates, cause: .certificate(.verdictTimeout))))
        #expect(await validator.wasCancelled() == true)
        pair.run()
        #expect(pair.anna.summary == nil)
    }

    @Test("A validator is cancelled when the peer leaves, and when the transport is gone", arguments: [false, true])
    func linkEnds(isTransportGone: Bool) async throws {
        let validator = Waiting()
        let (pair, _) = try Self.pair(validator)
        _ = await validator.evidence()
        if isTransportGone {
            pair.anna.driver.transportClosed(at: pair.now)
        } else {
            pair.ben.driver.close(at: pair.now)
            pair.run()
        }
        #expect(await validator.wasCancelled() == true)
        #expect(pair.anna.summary == nil)
    }

    @Test("A verdict that comes after the link's end changes nothing")
    func late() async throws {
        let validator = Waiting()
        let (pair, wakes) = try Self.pair(validator)
        _ = await validator.evidence()
        validator.submit(.accepted(.application))
        await Self.wait(for: wakes)
        // The verdict is there, and the deadline has passed before the driver comes for it.
        pair.advance(by: .seconds(60))
        #expect(pair.anna.end == .failed(LinkFailure(stage: .certificates, cause: .certificate(.verdictTimeout))))
        #expect(pair.anna.summary == nil)
    }
}
