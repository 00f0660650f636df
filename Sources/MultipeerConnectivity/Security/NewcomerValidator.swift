import MultipeerCertificates
import MultipeerCrypto
import Synchronization

/// Accepts everybody, remembers keys, and reports those that come under the name of another one
/// (``MCTrustPolicy/acceptNewcomers``).
///
/// A name proves nothing, and apps for Apple's framework make a new key at each start. So a new key under a known name
/// is a new peer. What strangers can make the local peer remember is bounded as for first uses.
struct NewcomerValidator: CertificateValidator {
    private let store: any KnownPeersStore
    private let limiter: FirstUseLimiter
    private let namesakes: Namesakes

    init(store: any KnownPeersStore, limiter: FirstUseLimiter, namesakes: Namesakes) {
        self.store = store
        self.limiter = limiter
        self.namesakes = namesakes
    }

    func verify(_ evidence: PeerEvidence) async -> Verdict {
        let verdict = await TrustOnFirstUseValidator(store: store, limiter: limiter, keepsEveryName: true).verify(
            evidence)
        guard case .rejected(let rejection) = verdict else { return verdict }
        switch rejection {
        case .identityChanged, .similarName, .addressChanged: return await accept(evidence, else: rejection)
        // It is not remembered. Nobody is refused for what others have used up.
        case .tooManyFirstUses, .storeFull: return .accepted(.unverified)
        default: return verdict
        }
    }

    func recognizes(_ peer: PeerID) async -> Bool {
        await TrustOnFirstUseValidator(store: store, limiter: limiter).recognizes(peer)
    }

    /// Accepts a peer that resembles another one, unless people have verified that one.
    private func accept(_ evidence: PeerEvidence, else rejection: CertificateRejection) async -> Verdict {
        let shown = KnownPeer(
            name: evidence.peer.label, key: evidence.peer.key, leafFingerprint: evidence.leafFingerprint)
        switch try? await store.recognise(shown) {
        case .doubtful(.name(let known)), .doubtful(.similarName(let known)):
            guard known.verification == nil else { return .rejected(rejection) }
            namesakes.tell(evidence.peer, of: known)
        // The key is the one that is remembered, with another certificate, which is not judged.
        case .doubtful(.leaf), .known: return .accepted(.remembered)
        // The name came unasked before, or nothing but the address was another peer's.
        case .doubtful(.address), .unknown:
            if let known = try? await store.namesakes(of: shown).first { namesakes.tell(evidence.peer, of: known) }
        case nil: return .rejected(.storeUnavailable)
        }
        if await limiter.allows(evidence.origin) { try? await store.remember(shown) }
        return .accepted(.unverified)
    }
}

/// The peers that have come under the name of another one. Each key is reported once.
final class Namesakes: Sendable {
    /// How many keys are remembered as reported. Beyond that a key may be reported again.
    private static let most = 1_024

    private let told = Mutex<Set<IdentityKey>>([])

    func tell(_ peer: PeerID, of known: KnownPeer) {
        let isNew = told.withLock { told in
            if told.count >= Self.most { told = [] }
            return told.insert(peer.key).inserted
        }
        guard isNew else { return }
        Notices.print(
            "\(peer.label) comes with the key \(peer.key.description.prefix(16))…, and \(known.name) was known by "
                + "\(known.key.description.prefix(16))…. It was started anew, or is somebody else of that name. To refuse such peers, "
                + "set session.trustPolicy = .trustOnFirstUse, and have each app keep its MCPeerID in an archive")
    }
}

extension CertificateRejection {
    /// What helps an app that was written for Apple's framework; nil if that is what helps others too.
    var portingRemedy: String? {
        switch self {
        case .identityChanged, .similarName, .addressChanged, .tooManyFirstUses, .storeFull:
            "have the peer's app keep its MCPeerID in an archive, so that it is known again, or set session.trustPolicy = "
                + ".acceptNewcomers to let peers in that come with new keys"
        default: nil
        }
    }
}
