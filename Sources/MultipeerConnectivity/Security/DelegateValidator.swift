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
        return switch await engine.ask(about: evidence) {
        case .accepted: .accepted(.application)
        case .refused: .rejected(.refusedByApplication)
        case .policy: await validator(of: engine).verify(evidence)
        }
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

    private func validator(of engine: SessionEngine) -> any CertificateValidator {
        switch engine.trustPolicy {
        case .trustOnFirstUse: TrustOnFirstUseValidator(store: knownPeers, limiter: engine.local.firstUses)
        case .trustOnFirstUseRemembered(let file):
            TrustOnFirstUseValidator(store: Self.store(at: file.path), limiter: engine.local.firstUses)
        case .acceptEveryPeerUnverified: AcceptUnverifiedPeers()
        }
    }
}

/// What a delegate says about a peer. Only the first answer counts.
final class CertificateQuestion: Sendable {
    enum Answer: Sendable {
        case accepted
        case refused
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
        return await question.wait()
    }
}
