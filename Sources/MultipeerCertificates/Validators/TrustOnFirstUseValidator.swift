import MultipeerCrypto

/// Accepts peers that nothing is known about, and from then on only their keys.
///
/// The first meeting is not verified (``TrustBasis/firstUse``): an attacker who comes first stays trusted. The validator
/// protects continuity. Keys are remembered, and a name is a label. So it refuses, unless a person says otherwise, a known
/// name or address with a new key, a name that looks like a known one, and a new leaf under a known identity key, because
/// the app may have looked at the certificate when it met the peer. A peer that renews its certificate keeps the leaf's
/// key and with it the fingerprint.
///
/// A name that came unasked is provisional (``KnownPeer/isProvisional``), and refuses nobody: both keys are remembered
/// under it, and an app that shows names shows the keys as well where there are two
/// (``KnownPeersStore/namesakes(of:)``). It is no longer provisional once the local peer has called the remote one, or
/// people have named or verified it.
public struct TrustOnFirstUseValidator: CertificateValidator {
    /// Answers whether a doubtful peer is right, because a person knows. The peer takes the place of what was known.
    public typealias Decision = @Sendable (FirstUseDoubt, PeerEvidence) async -> Bool

    private let store: any KnownPeersStore
    private let limiter: FirstUseLimiter
    private let keepsEveryName: Bool
    private let decide: Decision?

    /// Creates a validator.
    /// - Parameters:
    ///   - store: Remembers peers.
    ///   - limiter: Limits first uses. Validators of one process should share one.
    ///   - keepsEveryName: Whether a name that came unasked keeps others from it as well: for apps in which chance
    ///     decides which peer calls. A peer that comes first under a name then locks out all others.
    ///   - decide: Asks a person about a doubtful peer. Without it, every doubt is a refusal.
    public init(
        store: any KnownPeersStore, limiter: FirstUseLimiter = FirstUseLimiter(), keepsEveryName: Bool = false,
        decide: Decision? = nil
    ) {
        self.store = store
        self.limiter = limiter
        self.keepsEveryName = keepsEveryName
        self.decide = decide
    }

    /// First uses are counted, and remembered, once the link is about to be open.
    public var judgesAfterPeer: Bool { true }

    func isRemembered(_ peer: PeerID) async -> Bool {
        // The leaf comes later, so another one is no reason not to know the key. A store that gives no answer recognizes
        // nobody, and the verdict reports the failure.
        let shown = KnownPeer(name: peer.label, key: peer.key, leafFingerprint: nil)
        return switch try? await store.recognise(shown) {
        case .known, .doubtful(.leaf): true
        case .unknown, .doubtful, nil: false
        }
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        do throws(KnownPeersStoreFailure) {
            return try await judge(evidence)
        } catch {
            return .rejected(error == .full ? .storeFull : .storeUnavailable)
        }
    }

    private func judge(_ evidence: PeerEvidence) async throws(KnownPeersStoreFailure) -> Verdict {
        let shown = KnownPeer(evidence)
        if let verification = evidence.verification {
            // People know whose key it is. Nothing that is known of names and addresses says more.
            try await store.remember(shown, verifiedBy: verification)
            return .accepted(.verified(verification))
        }
        switch try await store.recognise(shown) {
        case .known(let entry):
            // A peer that was met without its name has one from now on, and nobody else may come under it. A store that
            // cannot be written is no reason to refuse a peer that it knows.
            var known = entry
            if known.isNameless, !shown.isNameless { known = known.named(shown.name) }
            // A peer that is called is the one that is meant by its name.
            if known.isProvisional, let address = shown.address { known = known.called(at: address) }
            if known != entry { try? await store.remember(known) }
            return .accepted(entry.basis)
        case .doubtful(.leaf(let entry)) where entry.isVerifiedAlone:
            try await store.remember(entry.showing(shown.leafFingerprint))
            return .accepted(entry.basis)
        case .doubtful(let doubt): return try await ask(doubt, evidence)
        case .unknown:
            guard keepsEveryName, let other = try await store.namesakes(of: shown).first else { break }
            return try await ask(other.names.contains(shown.name) ? .name(other) : .similarName(other), evidence)
        }
        guard await limiter.allows(evidence.origin) else { return .rejected(.tooManyFirstUses) }
        // The store decides in one step which peer was first, so that two verdicts at a time cannot both be the first.
        switch try await store.rememberIfUnknown(shown) {
        case .nowRemembered: return .accepted(.firstUse)
        case .alreadyKnown(let entry): return .accepted(entry.basis)
        case .doubtful(let doubt): return try await ask(doubt, evidence)
        }
    }

    private func ask(
        _ doubt: FirstUseDoubt, _ evidence: PeerEvidence
    ) async throws(KnownPeersStoreFailure) -> Verdict {
        guard let decide, await decide(doubt, evidence) else { return .rejected(doubt.rejection) }
        var entry = KnownPeer(evidence)
        // A new certificate of the same key takes nothing away that people have said of the key.
        if case .leaf(let known) = doubt { entry = entry.labelled(known.label).verified(by: known.verification) }
        try await store.remember(entry)
        return .accepted(.application)
    }
}

extension KnownPeer {
    /// Why a peer with these keys is trusted.
    fileprivate var basis: TrustBasis { verification.map(TrustBasis.verified) ?? .remembered }

    /// Whether people have verified the key, and no certificate of it was seen yet: whichever comes first takes nothing away.
    fileprivate var isVerifiedAlone: Bool { verification != nil && leafFingerprint == nil }

    fileprivate init(_ evidence: PeerEvidence) {
        var address: PeerAddress?
        if case .dialled(let dialled) = evidence.origin { address = dialled }
        self.init(
            name: evidence.peer.label, key: evidence.peer.key, leafFingerprint: evidence.leafFingerprint,
            address: address)
    }
}
