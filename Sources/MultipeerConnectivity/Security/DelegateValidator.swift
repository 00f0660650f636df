import Foundation
import Multipeer
import MultipeerCertificates
import MultipeerCrypto
import MultipeerStorage
import Synchronization

/// Asks the session's delegate about a peer, and the session's policy if the delegate has no answer of its own.
struct DelegateValidator: CertificateValidator {
    private weak let engine: SessionEngine?
    /// Where the identity remembers peers.
    private let knownPeers: any KnownPeersStore

    init(engine: SessionEngine, knownPeers: any KnownPeersStore) {
        self.engine = engine
        self.knownPeers = knownPeers
    }

    func verify(_ evidence: PeerEvidence) async -> Verdict {
        guard let engine else { return .rejected(.refusedByApplication) }
        switch await engine.ask(about: evidence) {
        case .accepted: return .accepted(.application)
        case .refused: return .rejected(.refusedByApplication)
        case .late: return .rejected(.verdictTimeout)
        case .policy: break
        }
        let name = evidence.peer.label.description
        if let type = engine.classWithoutPolicy {
            Notices.print(
                "\(name) is refused: \(type.own) inherits its conformance to MCSessionDelegate from \(type.conforming), so a method of its "
                    + "own about certificates would not be found. Implement didReceiveCertificate in \(type.conforming) and override it, "
                    + "or set session.trustPolicy if nobody judges certificates")
            return .rejected(.refusedByApplication)
        }
        let verdict = await validator(of: engine).verify(evidence)
        if case .rejected(let rejection) = verdict {
            Notices.print(
                "\(name) is refused: \(rejection.reason). Remedy: \(rejection.portingRemedy ?? rejection.remedy)")
        }
        return verdict
    }

    func recognizes(_ peer: PeerID) async -> Bool {
        guard let engine else { return false }
        return await validator(of: engine).recognizes(peer)
    }

    private static func store(at path: String) -> KnownPeersFile {
        // Where that fails, so does the store, which is a refusal.
        try? PrivateDirectory.prepare(path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
        return KnownPeersFile(path: path)
    }

    /// Apps for Apple's framework invite each other, and the keys decide which peer calls: that does not show which
    /// peer a name belongs to.
    private func firstUse(_ store: any KnownPeersStore, _ engine: SessionEngine) -> TrustOnFirstUseValidator {
        TrustOnFirstUseValidator(store: store, limiter: engine.local.firstUses, keepsEveryName: true)
    }

    private func validator(of engine: SessionEngine) -> any CertificateValidator {
        switch engine.trustPolicy {
        case .acceptNewcomers:
            NewcomerValidator(store: knownPeers, limiter: engine.local.firstUses, namesakes: engine.local.namesakes)
        case .trustOnFirstUse: firstUse(knownPeers, engine)
        case .trustOnFirstUseRemembered(let file): firstUse(Self.store(at: file.path), engine)
        case .acceptEveryPeerUnverified: AcceptUnverifiedPeers()
        }
    }
}

/// What a delegate says about a peer. Only the first answer counts.
final class CertificateQuestion: Sendable {
    enum Answer: Sendable {
        case accepted
        case refused
        /// The invitation was given up meanwhile.
        case late
        /// The delegate does not judge certificates, or there is none.
        case policy
    }

    private struct State {
        var answer: Answer?
        var waiting: CheckedContinuation<Answer, Never>?
    }

    private let state = Mutex(State())

    func give(_ answer: Answer) {
        let waiting = state.withLock { state in
            guard state.answer == nil else { return CheckedContinuation<Answer, Never>?.none }
            state.answer = answer
            return state.waiting.take()
        }
        waiting?.resume(returning: answer)
    }

    /// Waits for the answer; a task that is cancelled gets a refusal.
    func wait() async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state in
                    if state.answer == nil { state.waiting = continuation }
                    return state.answer
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            give(.refused)
        }
    }
}

/// What the handler of a delegate keeps. When nobody keeps the handler any more, that is a refusal.
private final class CertificateReply: Sendable {
    private let question: CertificateQuestion

    init(_ question: CertificateQuestion) { self.question = question }

    deinit { question.give(.refused) }

    func give(_ answer: CertificateQuestion.Answer) { question.give(answer) }
}

extension SessionEngine {
    func ask(about evidence: PeerEvidence) async -> CertificateQuestion.Answer {
        let question = CertificateQuestion()
        let (peer, chain) = (known(evidence.peer), evidence.chain?.certificates.map(MCCertificate.init))
        queue.async { [owner, delegate] in
            guard let session = owner.value, let delegate = delegate.value else { return question.give(.policy) }
            let reply = CertificateReply(question)
            delegate.session(session, didReceiveCertificate: chain, fromPeer: peer) { isTrusted in
                reply.give(PolicyMark.isSet ? .policy : isTrusted ? .accepted : .refused)
            }
        }
        // An invitation does not last longer because nobody answers this question.
        let alarm = deadline(of: peer).map { deadline in
            let deadline = max(deadline, local.clock.now.advanced(by: Self.timeToJudge))
            return Task { [clock = local.clock] in
                if (try? await clock.sleep(until: deadline, tolerance: nil)) != nil { question.give(.late) }
            }
        }
        defer { alarm?.cancel() }
        return await question.wait()
    }

    /// How long a delegate has at least.
    private static let timeToJudge: Duration = .seconds(1)

    /// The class of the delegate and the one that declares the conformance, if these are two and the app has not chosen a policy. A
    /// subclass's method about certificates is not found then, so nobody may be let in as if there were none.
    var classWithoutPolicy: (own: String, conforming: String)? {
        guard !state.withLock({ $0.isPolicyChosen }), let delegate = delegate.value else { return nil }
        let own: AnyClass = type(of: delegate)
        var conforming: AnyClass = own
        while let parent = _getSuperclass(conforming), parent is any MCSessionDelegate.Type { conforming = parent }
        return conforming == own ? nil : ("\(own)", "\(conforming)")
    }
}
