import MultipeerCertificates

extension KeyVerification {
    /// What people have done, in a clause.
    package var words: String {
        switch self {
        case .shortString: "its key was verified by comparing words or digits"
        case .oneTimeCode: "its key was verified by a one-time code"
        }
    }
}

extension TrustBasis {
    /// The name in events.
    package var name: String {
        switch self {
        case .trustAnchor: "trust-anchor"
        case .pinnedKey: "pinned-key"
        case .firstUse: "first-use"
        case .remembered: "remembered"
        case .verified(let verification): "verified-by-\(verification.rawValue)"
        case .application: "application"
        case .unverified: "unverified"
        }
    }
}
