import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire
import Testing

@Suite("A peer with faults to switch on, SPEC §3–§19", .serialized)
struct FaultyPeerTests {
    private static func run(
        _ role: StreamRole, _ settings: FaultyPeer.Settings, _ cases: [ConformanceCase],
        patience: Duration = ample, width: Int = 4
    ) async throws -> [CaseResult] {
        var profile = PeerProfile(invitations: settings.invites ? .invites : .accepts, encryption: settings.encryption)
        profile.expectsAnother = settings.expectedPeer != nil
        profile.offersFile = settings.offersFile
        profile.verification = settings.verification ?? .nothing
        let codes: (any CodeSource)? =
            settings.verification == .types ? FixedCode(FaultySettings.typed) : settings.codes
        profile.handshakeDeadline = settings.handshakeDeadline
        profile.certificateDeadline = settings.certificateDeadline
        (profile.pingTime, profile.silenceTime) = (settings.ping, settings.silence)
        switch role {
        case .initiator:
            let listener = try FaultyListener(settings)
            defer { listener.stop() }
            let source = listener.source
            return try await play(cases, profile: profile, codes: codes, patience: patience, width: width) { source }
        case .responder:
            let initiator = FaultyInitiator(settings: settings)
            return try await play(cases, profile: profile, codes: codes, patience: patience, width: width) {
                try initiator.source()
            }
        }
    }

    @Test("Without a fault it passes every case", arguments: StreamRole.allCases, [false, true])
    func noFault(role: StreamRole, invites: Bool) async throws {
        let settings = FaultyPeer.Settings(invites: invites, identity: try Tools.identity())
        let profile = PeerProfile(invitations: invites ? .invites : .accepts)
        let cases = ConformanceCases.all.filter { $0.applies(as: role, to: profile) && $0.waits == .none }
        for result in try await Self.run(role, settings, cases) {
            #expect(result.verdict == .passed || result.verdict == .skipped, result.report)
        }
    }

    @Test(
        "Without a fault, and with a file to offer, it passes every case about offering", arguments: StreamRole.allCases
    )
    func noFaultOffering(role: StreamRole) async throws {
        var settings = FaultyPeer.Settings(identity: try Tools.identity())
        settings.offersFile = true
        let cases = ConformanceCases.all.filter(\.isForOffering)
        for result in try await Self.run(role, settings, cases) { #expect(result.verdict == .passed, result.report) }
    }

    /// The attempts of one code come one after the other, as people take them.
    @Test(
        "Without a fault it passes every case about codes and strings",
        arguments: PeerProfile.Verification.allCases, StreamRole.allCases)
    func noFaultVerifying(verification: PeerProfile.Verification, role: StreamRole) async throws {
        for invites in verification == .compares ? [false] : [false, true] {
            let settings = FaultyPeer.Settings(
                invites: invites, verification: verification, identity: try Tools.identity())
            var profile = PeerProfile(invitations: invites ? .invites : .accepts)
            profile.verification = verification
            let cases = ConformanceCases.all.filter {
                $0.section == "25" && $0.applies(as: role, to: profile) && $0.waits == .none
            }
            #expect(cases.count >= 3)
            for result in try await Self.run(role, settings, cases, width: 1) {
                #expect(result.verdict == .passed, result.report)
            }
        }
    }

    @Test(
        "Each fault is caught by its own case, which passes without the fault",
        arguments: Detection.all.indices)
    func caught(index: Int) async throws {
        let detection = Detection.all[index]
        let conformanceCase = try #require(ConformanceCases.all.first { $0.id == detection.caseID })
        var settings = FaultyPeer.Settings(
            invites: detection.invites, encryption: detection.encryption, identity: try Tools.identity())
        if conformanceCase.isForExpecting { settings.expectedPeer = try Tools.identity().identityKey.rawBytes }
        settings.offersFile = conformanceCase.isForOffering
        settings.verification = detection.verification
        if conformanceCase.waits != .none {
            settings.handshakeDeadline = .seconds(2)
            settings.certificateDeadline = .seconds(2)
            (settings.ping, settings.silence) = (.milliseconds(500), .milliseconds(1_500))
        }
        let sound = try await Self.run(detection.tester, settings, [conformanceCase])
        #expect(sound.first?.verdict == .passed, sound.first?.report)
        settings.faults = [detection.fault]
        // A fault that shows as silence shows when patience ends. On a busy machine the little of it may end before the case
        // begins, which says nothing; then more is needed.
        var faulty = try await Self.run(detection.tester, settings, [conformanceCase], patience: .seconds(1))
        if faulty.first?.verdict == .inconclusive {
            faulty = try await Self.run(detection.tester, settings, [conformanceCase])
        }
        #expect(faulty.first?.verdict == .failed, faulty.first?.report)
    }

    @Test("Every fault has a case")
    func complete() {
        let missing = Set(Fault.allCases).subtracting(Detection.all.map(\.fault))
        #expect(missing.isEmpty)
        #expect(Detection.all.count == Fault.allCases.count)
    }
}
