public import MultipeerCertificates

/// The trust anchors of a file that somebody else keeps, and what was left out of it.
public struct AnchorBundle: Sendable {
    /// A certificate that cannot be an anchor.
    public struct Skipped: Hashable, Sendable {
        /// Its place among the certificates of the file, from 0.
        public let index: Int
        /// Why: it does not decode, or it breaks the profile of SPEC §10.7.
        public let rejection: CertificateRejection
    }

    /// What can be trusted, in the order of the file.
    public let anchors: [Certificate]
    /// The rest.
    public let skipped: [Skipped]

    /// How many certificates the file has.
    public var count: Int { anchors.count + skipped.count }

    init(anchors: [Certificate], skipped: [Skipped]) {
        self.anchors = anchors
        self.skipped = skipped
    }

    /// Sorts the certificates of a file.
    init(_ certificates: [Certificate]) {
        var (anchors, skipped): ([Certificate], [Skipped]) = ([], [])
        for (index, certificate) in certificates.enumerated() {
            if let rejection = Self.rejection(of: certificate) {
                skipped.append(Skipped(index: index, rejection: rejection))
            } else {
                anchors.append(certificate)
            }
        }
        self.init(anchors: anchors, skipped: skipped)
    }

    private static func rejection(of certificate: Certificate) -> CertificateRejection? {
        do throws(CertificateRejection) {
            let anchor = try TrustAnchor(certificate)
            return anchor.native == nil ? .malformed : anchor.rejection
        } catch {
            return error
        }
    }
}
