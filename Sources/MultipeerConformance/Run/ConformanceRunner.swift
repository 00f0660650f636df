import Dispatch
import MultipeerScriptedPeer

/// Plays cases against a live peer, one after the other.
public struct ConformanceRunner: Sendable {
    private let source: any PeerSource
    private let cryptography: TesterCryptography
    private let profile: PeerProfile
    private let codes: (any CodeSource)?
    /// How long a case may take, in addition to the peer's deadlines that it waits for.
    private let patience: Duration

    /// Creates a runner from the place of the peer, the tester's cryptography, and what the tester knows of the peer.
    public init(
        source: any PeerSource, cryptography: TesterCryptography, profile: PeerProfile, codes: (any CodeSource)? = nil,
        patience: Duration = .seconds(5)
    ) {
        self.source = source
        self.cryptography = cryptography
        self.profile = profile
        self.codes = codes
        self.patience = patience
    }

    /// Plays a case on a thread of its own, and returns when it is over. The time is bounded, whatever the peer does.
    public func play(_ conformanceCase: ConformanceCase) async -> CaseResult {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "multipeer.conformance").async {
                continuation.resume(returning: perform(conformanceCase))
            }
        }
    }

    private func perform(_ conformanceCase: ConformanceCase) -> CaseResult {
        let clock = ContinuousClock()
        let start = clock.now
        guard conformanceCase.applies(as: source.role, to: profile) else {
            return CaseResult(
                conformanceCase: conformanceCase, verdict: .skipped, came: reasonToSkip(conformanceCase), trace: [],
                duration: .zero)
        }
        defer { source.release() }
        var play: Play?
        let (verdict, came): (CaseResult.Verdict, String)
        do throws(Interruption) {
            let made = try Play(
                source: source, cryptography: cryptography, profile: profile, codes: codes,
                deadline: .after(patience * conformanceCase.patienceFactor + profile.wait(conformanceCase.waits)))
            play = made
            (verdict, came) = (.passed, try conformanceCase.script(made).text)
        } catch {
            (verdict, came) = Self.judge(error)
        }
        return CaseResult(
            conformanceCase: conformanceCase, verdict: verdict, came: came, trace: play?.trace.lines ?? [],
            duration: start.duration(to: clock.now))
    }

    private func reasonToSkip(_ conformanceCase: ConformanceCase) -> String {
        if let role = conformanceCase.tester, role != source.role {
            return "the tester has to be the \(role.rawValue)"
        }
        if conformanceCase.isForExpecting { return "the peer has to expect another peer than the tester" }
        if conformanceCase.isForOffering { return "the peer has to offer a file" }
        if conformanceCase.isForResuming { return "the peer has to continue associations" }
        if conformanceCase.verification != profile.verification {
            return switch conformanceCase.verification {
            case .nothing: "the peer's person does something to verify the tester's key"
            case .shows: "the peer has to show a one-time code"
            case .types: "the peer has to type a one-time code"
            case .compares: "the peer has to compare short strings"
            }
        }
        if profile.offersFile { return "the peer offers a file" }
        if profile.resumes { return "the peer continues associations" }
        if profile.expectsAnother { return "the peer expects another peer than the tester" }
        return conformanceCase.invitations == .accepts
            ? "the peer has to accept invitations, and send none" : "the peer has to invite"
    }

    private static func judge(_ interruption: Interruption) -> (CaseResult.Verdict, String) {
        switch interruption {
        case .failed(let text): (.failed, text)
        case .skipped(let text): (.skipped, text)
        case .inconclusive(let text): (.inconclusive, text)
        case .unexpected(let text): (.failed, text)
        case .silence(let awaited): (.failed, "no \(awaited) in time")
        case .broke(let rule, let text): (.failed, "\(rule): \(text)")
        case .own(let failure): (.inconclusive, "the tester's own cryptography failed: \(failure)")
        }
    }
}

extension PeerProfile {
    /// How long it takes until the peer's deadline passes.
    func wait(_ wait: ConformanceCase.Wait) -> Duration {
        switch wait {
        case .none: .zero
        case .handshake: handshakeDeadline
        case .invitation: invitationDeadline
        case .certificates: certificateDeadline
        case .ping: pingTime
        case .silence: silenceTime
        // R25.6-8
        case .attempt: .seconds(10)
        // The peer's INVITE tells; the case makes room for it.
        case .answer: .zero
        }
    }
}
