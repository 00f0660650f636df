import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerScriptedPeer
import MultipeerWire
import Testing

@Suite("This implementation, played against over real sockets", .serialized)
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
        var profile = PeerProfile(
            invitations: settings.invites ? .invites : .accepts, encryption: settings.encryption)
        if let times = settings.timeouts.keepAlive {
            profile.pingTime = times.ping
            if let silence = times.silence { profile.silenceTime = silence }
        }
        profile.offersFile = settings.offersFile
        profile.verification = settings.verification
        return profile
    }

    private static func run(
        _ role: StreamRole, _ settings: LiveSettings, _ cases: [ConformanceCase]? = nil, width: Int = 4
    ) async throws -> [CaseResult] {
        let profile = profile(settings)
        let cases = cases ?? Self.cases(as: role, profile)
        let codes: (any CodeSource)? =
            settings.verification == .types ? LiveSettings.typed.map { FixedCode($0) } : settings.codes
        switch role {
        case .initiator:
            let live = try await LiveListener(settings)
            let source = live.source
            let results = try await play(cases, profile: profile, codes: codes, width: width) { source }
            await live.listener.shutdown(gracefullyWithin: .zero)
            return results
        case .responder:
            let live = try LiveInitiator(settings)
            return try await play(cases, profile: profile, codes: codes, width: width) { try live.source() }
        }
    }

    /// The attempts of one code come one after the other, as people take them.
    @Test(
        "Codes and strings: a peer that shows, types or compares",
        arguments: [PeerProfile.Verification.shows, .types, .compares], StreamRole.allCases)
    func verification(verification: PeerProfile.Verification, role: StreamRole) async throws {
        for invites in verification == .compares ? [false] : [false, true] {
            let settings = LiveSettings(invites: invites, verification: verification)
            // A deadline of ten seconds is waited for once.
            let cases = ConformanceCases.all.filter {
                $0.applies(as: role, to: Self.profile(settings)) && (!invites || $0.waits == .none)
            }
            #expect(cases.count >= 3)
            expectAllPass(try await Self.run(role, settings, cases, width: 1), skipping: [])
        }
    }

    /// With a preference of *optional* every case of readable and encrypted links is played. Against a peer that accepts, Scripts/conformance
    /// plays them all.
    @Test("All cases against a peer that invites, in either role", arguments: StreamRole.allCases)
    func all(role: StreamRole) async throws {
        let settings = LiveSettings(invites: true)
        var skipped: Set = ["10.3-own-binding", "15.3-declined", "15.3-declined-data", "8.3-refused-policy"]
        if role == .responder {
            skipped.formUnion(["12.4-reflected-early", "9.5-other-responder", "9.5-no-responder"])
        }
        let results = try await Self.run(role, settings)
        expectAllPass(results, skipping: skipped)
        #expect(results.filter { $0.verdict == .passed }.count >= 180)
    }

    @Test("Short deadlines", arguments: StreamRole.allCases, [false, true])
    func deadlines(role: StreamRole, invites: Bool) async throws {
        var settings = LiveSettings(invites: invites, invitationTimeout: .seconds(2))
        settings.timeouts.handshake = .seconds(2)
        settings.timeouts.invitation = .seconds(2)
        settings.timeouts.certificates = .seconds(2)
        settings.timeouts.keepAlive = KeepAliveTimes(ping: .seconds(1), silence: .seconds(3))
        let profile = Self.profile(settings)
        let cases = ConformanceCases.all.filter { $0.applies(as: role, to: profile) && $0.waits != .none }
        #expect(cases.count >= 6)
        expectAllPass(try await Self.run(role, settings, cases, width: cases.count), skipping: [])
    }

    @Test(
        "Policies that leave no choice", arguments: [EncryptionPreference.none, .required], [false, true])
    func policies(encryption: EncryptionPreference, invites: Bool) async throws {
        let settings = LiveSettings(invites: invites, encryption: encryption)
        let profile = Self.profile(settings)
        let cases = Self.cases(as: .initiator, profile).filter {
            ["8", "11", "12", "13", "14", "15", "17"].contains($0.section)
        }
        let results = try await Self.run(.initiator, settings, cases)
        let readable =
            cases.map(\.id).filter { $0.hasPrefix("11-readable") || $0.hasPrefix("11-encrypted") }
            + ["12.4-flipped-readable"]
        // Cases that need an encrypted link, and those that need a readable one.
        let encrypted = [
            "11-authenticated-record", "12.4-protection-before-tag", "13.3-stream-exactly", "13.3-stream-overdraft",
            "15.3-data-before-accept",
        ]
        var skipped = Set(encryption == .required ? readable : encrypted).union([
            "15.3-declined", "15.3-declined-data",
        ])
        if encryption == .none, invites { skipped.insert("8.3-downgrade") }
        expectAllPass(results, skipping: skipped)
    }

    @Test("A peer that shows a certificate", arguments: StreamRole.allCases, [false, true])
    func certificate(role: StreamRole, invites: Bool) async throws {
        let settings = LiveSettings(invites: invites, certificate: Tools.certificates[1])
        let cases = Self.cases(as: role, Self.profile(settings)).filter { ["5", "10"].contains($0.section) }
        expectAllPass(try await Self.run(role, settings, cases), skipping: [])
    }

    @Test("A peer that takes no files, and has one suite")
    func lean() async throws {
        let settings = LiveSettings(takesFiles: false, suites: [.chaChaPoly])
        let cases = Self.cases(as: .initiator, Self.profile(settings)).filter { ["5", "7", "15"].contains($0.section) }
        let results = try await Self.run(.initiator, settings, cases)
        let skipped = results.filter { $0.verdict == .skipped }.map(\.conformanceCase.id)
        #expect(skipped.contains("5-session-aesgcm") && skipped.contains("7.3-first-suite"))
        #expect(skipped.contains("15.3-transfer") && !skipped.contains("15.3-declined"))
        #expect(results.allSatisfy { $0.verdict == .passed || $0.verdict == .skipped })
    }

    @Test("A peer that offers a file", arguments: StreamRole.allCases, [false, true])
    func offering(role: StreamRole, invites: Bool) async throws {
        let settings = LiveSettings(invites: invites, offersFile: true)
        expectAllPass(try await Self.run(role, settings), skipping: [])
    }

    /// The tester's first key is in the wrong order with such a peer's in every second connection or so.
    @Test(
        "Crossing invitations with a peer whose key is nearly the least or the greatest",
        arguments: [0, 0xFF] as [UInt8])
    func keyAtTheEdge(first: UInt8) async throws {
        let settings = LiveSettings(invites: true, firstKeyByte: first...first)
        let cases = Self.cases(as: .responder, Self.profile(settings)).filter { $0.id.hasPrefix("8.6") }
        #expect(cases.count == 5)
        for _ in 0..<4 { expectAllPass(try await Self.run(.responder, settings, cases), skipping: []) }
    }

    @Test("A peer that expects another one")
    func expecting() async throws {
        var settings = LiveSettings()
        settings.expectedPeer = try Tools.identity().identityKey
        var profile = Self.profile(settings)
        profile.expectsAnother = true
        let cases = Self.cases(as: .responder, profile)
        #expect(cases.map(\.id) == ["9.5-unexpected-identity", "9.5-unexpected-and-invalid"])
        let live = try LiveInitiator(settings)
        expectAllPass(try await play(cases, profile: profile) { try live.source() }, skipping: [])
    }
}

extension ConformanceCase {
    /// The chapter of SPEC.md.
    var section: String { String(id.prefix { $0 != "-" && $0 != "." }) }
}
