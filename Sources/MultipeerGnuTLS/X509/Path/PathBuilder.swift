import MultipeerCertificates

/// Finds candidate paths from a leaf to anchors, depth first, shortest ways to an anchor first.
///
/// Building is separate from verifying: links are made by names and key identifiers alone. A bound on the steps keeps the
/// cost of certificates that all name one another (x509-limbo's "pathological" cases) small.
struct PathBuilder {
    /// The most candidate paths that are verified; each costs some signature checks.
    static let maximumPaths = 16
    /// The most links that are tried.
    static let maximumSteps = 4096

    private let intermediates: [CertificateFields]
    private let anchors: [TrustAnchor]
    /// How many links were tried.
    private(set) var steps = 0
    private(set) var paths: [CandidatePath] = []

    init(leaf: CertificateFields, intermediates: [CertificateFields], anchors: [TrustAnchor]) {
        self.intermediates = intermediates
        self.anchors = anchors
        extend([leaf])
    }

    /// Whether a bound ended the search before all candidates were found.
    private(set) var isCutShort = false

    private mutating func extend(_ path: [CertificateFields]) {
        guard let last = path.last else { return }
        for anchor in anchors where step() && anchor.fields.mayHaveIssued(last) {
            guard paths.count < Self.maximumPaths else {
                isCutShort = true
                return
            }
            paths.append(CandidatePath(below: path, anchor: anchor))
        }
        for issuer in intermediates where step() && issuer.mayHaveIssued(last) {
            // The same name and key twice would be a circle; another certificate for them leads nowhere new.
            guard !path.contains(where: issuer.isSameAuthority(as:)) else { continue }
            extend(path + [issuer])
        }
    }

    private mutating func step() -> Bool {
        guard steps < Self.maximumSteps else {
            isCutShort = true
            return false
        }
        steps += 1
        return true
    }
}

extension CertificateFields {
    /// Whether names, and key identifiers where both are there, say that this certificate's key signed `other`.
    func mayHaveIssued(_ other: CertificateFields) -> Bool {
        guard subject == other.issuer else { return false }
        guard let wanted = other.extensions.authorityKeyIdentifier, let ours = extensions.subjectKeyIdentifier else {
            return true
        }
        return wanted == ours
    }

    func isSameAuthority(as other: CertificateFields) -> Bool {
        subject == other.subject && subjectPublicKeyInfo == other.subjectPublicKeyInfo
    }
}
