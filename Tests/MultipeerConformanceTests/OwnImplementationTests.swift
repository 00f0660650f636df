import MultipeerConformance
import MultipeerCore
import MultipeerNIO
import MultipeerWire
import Testing

@Suite("Our own implementation, played against over real sockets", .serialized)
struct OwnImplementationTests {
    /// What may be skipped, and why, in each set-up. Everything else has to pass.
    private func expectAllPass(_ results: [CaseResult], skipping allowed: Set<String>) {
        for result in results {
            switch result.verdict {
            case .passed: #expect(!allowed.contains(result.conformanceCase.id), result.report)
            case .skipped: #expect(allowed.contains(result.conformanceCase.id), result.report)
            case .failed, .inconclusive: Issue.record(result.report)
            }
        }
    }

    private static func cases(as role: StreamRole, _ profile: PeerProfile) -> [ConformanceCase] {
        ConformanceCases.all.filter { $0.applies(as: role, to: profile) && $0.waits == .none }
    }

    private static func profile(_ settings: LiveSettings) -> PeerProfile {
        PeerProfile(invitations: settings.invites ? .invites : .accepts, encryption: settings.encryption)
    }

    private static func run(_ role: StreamRole, _ settings: LiveSettings, _ cases: [ConformanceCase]? = nil)
        async throws
        -> [CaseResult]
    {
        let profile = profile(settings)
        let cases = cases ?? Self.cases(as: role, profile)
        switch role {
        case .initiator:
            let live = try await LiveListener(settings)
            let source = live.source
            let results = try await play(cases, profile: profile) { source }
            await live.listener.shutdown(gracefullyWithin: .zero)
            return results
        case .responder:
            let live = try LiveInitiator(settings)
            return try await play(cases, profile: profile) { try live.source() }
        }
    }

    /// With a preference of *optional* every case of readable and encrypted links is played.
    @Test("All cases, either role, inviting or accepting", arguments: StreamRole.allCases, [false, true])
    func all(role: StreamRole, invites: Bool) async throws {
        let settings = LiveSettings(invites: invites)
        var skipped: Set = ["10.3-own-binding", "15.3-declined"]
        if role == .responder { skipped.insert("12.4-reflected-early") }
        if invites { skipped.insert("8.3-refused-policy") }
        let results = try await Self.run(role, settings)
        expectAllPass(results, skipping: skipped)
        #expect(results.filter { $0.verdict == .passed }.count >= 180)
    }
}
