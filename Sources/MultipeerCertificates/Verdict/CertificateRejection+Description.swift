extension CertificateRejection {
    /// What is wrong, in a clause.
    public var reason: String {
        switch self {
        case .missing: "it showed no certificate"
        case .malformed: "its certificate does not decode"
        case .unsupportedKey: "its certificate has a key of a type that is not supported"
        case .weakKey: "its certificate, or an authority's, has a key that is too short"
        case .bindingInvalid: "it did not prove that it holds its certificate's key"
        case .expired: "its certificate, or an authority's, has expired"
        case .notYetValid: "its certificate, or an authority's, is not valid yet"
        case .unknownAuthority: "no trusted authority issued its certificate"
        case .invalidSignature: "a signature in its chain does not verify"
        case .weakSignature: "a signature in its chain uses a broken algorithm"
        case .unsupportedVersion: "a certificate in its chain is not of version 3"
        case .unknownCriticalExtension: "a certificate in its chain has a critical extension that is unknown"
        case .leafIsAuthority: "its certificate is an authority's"
        case .notAnAuthority: "a certificate in its chain may not issue others"
        case .pathTooLong: "its chain is longer than an authority allows"
        case .nameConstraint: "its names are outside of what an authority may certify"
        case .keyUsage: "its certificate's key usage does not allow signatures"
        case .extendedKeyUsage: "its certificate is for another purpose"
        case .nameMismatch: "its certificate is for another name"
        case .nameHidden: "it shows its name to other peers only"
        case .profileViolation: "its certificate breaks the profile"
        case .pinMismatch: "its key is not one that was pinned"
        case .identityChanged: "another key is remembered for its name"
        case .similarName: "its name looks like the name of another peer that is remembered"
        case .addressChanged: "another key is remembered for its address"
        case .tooManyFirstUses: "too many peers came for the first time in a short time"
        case .refusedByApplication: "the app refused it"
        case .verifierMissing: "it shows a certificate, and this program cannot verify any"
        case .storeUnavailable: "the store of remembered peers cannot be used"
        case .storeFull: "the store of remembered peers is full"
        case .verdictTimeout: "nobody judged it in time"
        }
    }

    /// What a person can do, in a clause.
    public var remedy: String {
        switch self {
        case .nameHidden: "have the peer show its name to you, or trust it in another way"
        case .missing: "have the peer use a certificate, or trust it in another way"
        case .expired, .notYetValid: "have the certificate renewed, and check the clocks of both hosts"
        case .unknownAuthority: "trust the peer's authority, or have the peer use a certificate of a trusted one"
        case .pinMismatch: "compare fingerprints with the remote person, and pin the right one"
        case .identityChanged, .addressChanged:
            "ask the remote person why: if the change is right, forget the peer that is remembered"
        case .similarName: "ask the remote person whether it is another peer: then pin its key"
        case .tooManyFirstUses: "wait some minutes, or pin the key of the peer that you mean"
        case .storeFull: "forget remembered peers that are not needed, or pin the key of the peer that you mean"
        case .bindingInvalid: "someone may be tampering with the connection: try another network"
        case .refusedByApplication, .verdictTimeout: "ask the local person"
        case .verifierMissing: "give this program a certificate verifier, or have the peer show no certificate"
        case .storeUnavailable: "check the permissions and the contents of the file of known peers"
        case .malformed, .unsupportedKey, .weakKey, .invalidSignature, .weakSignature, .unsupportedVersion,
            .unknownCriticalExtension, .leafIsAuthority, .notAnAuthority, .pathTooLong, .nameConstraint, .keyUsage,
            .extendedKeyUsage, .nameMismatch, .profileViolation:
            "have the peer use another certificate"
        }
    }
}
