/// What the app decided about a peer. There is no default: silence is a rejection (SPEC §10.5).
public enum Verdict: Hashable, Sendable {
    case accepted(TrustBasis)
    case rejected(CertificateRejection)
}

/// Why a peer was accepted.
@nonexhaustive
public enum TrustBasis: Hashable, Sendable {
    /// The chain leads to a trust anchor. A link closes once the first certificate of that path is over, which is so long after the
    /// verdict (R10.5-5).
    case trustAnchor(validFor: Duration)
    /// The key is one that was pinned.
    case pinnedKey
    /// Never seen before; its keys are remembered from now on. Nothing was verified.
    case firstUse
    /// The keys are the ones that were remembered.
    case remembered
    /// People have verified the key, now or at an earlier time.
    case verified(KeyVerification)
    /// The app's own closure said yes.
    case application
    /// Nothing was verified, and the app asked for that by name.
    case unverified

    /// Whether somebody has said whose key it is: an authority, the person who pinned the key, or people by a string or
    /// a code (SPEC §25.1).
    public var isVerified: Bool {
        switch self {
        case .trustAnchor, .pinnedKey, .verified: true
        case .firstUse, .remembered, .application, .unverified: false
        }
    }

    /// Whether nothing is verified, but the key is one that was met before: it is the same peer, whatever its identity.
    public var isRemembered: Bool { self == .remembered }
}

/// Why a certificate, a chain or a peer without one is refused.
@nonexhaustive
public enum CertificateRejection: Error, Hashable, Sendable {
    // The peer's bytes
    /// No chain came, and the policy wants one.
    case missing
    /// Not DER, not X.509, or an encoding that RFC 5280 forbids.
    case malformed
    /// The leaf's key is of a type that SPEC §10.3 does not list.
    case unsupportedKey
    /// A key shorter than SPEC §10.3 allows.
    case weakKey
    /// The leaf's key did not sign this link.
    case bindingInvalid

    // The chain (RFC 5280 §6 and SPEC §10.7)
    case expired
    case notYetValid
    /// No path to a trust anchor.
    case unknownAuthority
    /// A signature in the chain does not verify.
    case invalidSignature
    /// A signature in the chain uses a broken algorithm.
    case weakSignature
    /// Not a version 3 certificate.
    case unsupportedVersion
    /// A critical extension is unknown.
    case unknownCriticalExtension
    /// The leaf is an authority's certificate, or may sign others.
    case leafIsAuthority
    /// A certificate in the path is no authority, or its constraints forbid the path.
    case notAnAuthority
    case pathTooLong
    case nameConstraint
    case keyUsage
    case extendedKeyUsage
    /// The name that was expected is not among the subject alternative names.
    case nameMismatch
    /// The peer shows its name to others only, and its certificate must carry it (SPEC §8.1, §10.8).
    case nameHidden
    /// Breaks another rule of the profile of SPEC §10.7.
    case profileViolation

    // Policies other than trust anchors
    case pinMismatch
    /// Another key is remembered for this name.
    case identityChanged
    /// The name looks like that of another peer that is remembered.
    case similarName
    /// Another key is remembered for the address that the local peer connected to.
    case addressChanged
    /// More peers came for the first time than are remembered in so short a time.
    case tooManyFirstUses
    case refusedByApplication
    /// The peer shows a certificate, and the local peer was given nothing that can verify one.
    case verifierMissing
    /// The store of remembered peers cannot be read or written.
    case storeUnavailable
    /// The store of remembered peers has no room for another one.
    case storeFull
    /// No verdict came in time (SPEC §10.5).
    case verdictTimeout
}
