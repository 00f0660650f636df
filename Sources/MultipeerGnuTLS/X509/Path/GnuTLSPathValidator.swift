public import MultipeerCertificates

/// Validates chains against trust anchors (SPEC §10.7).
///
/// Each candidate path is verified twice: by GnuTLS according to RFC 5280 §6, and by the rules here, which refuse what GnuTLS
/// lets pass. Both must accept it. GnuTLS is asked once for each path that it accepts (docs/decisions/0026); the rules here,
/// which look at times, names and purposes, are applied each time. An anchor is an authority; to trust one leaf as it is, pin
/// its key. Revocation lists and OCSP are not consulted: an authority that has lost a key is replaced, and certificates of
/// leaves are short-lived.
public struct GnuTLSPathValidator: PathValidator {
    private let anchors: [TrustAnchor]
    let verified: VerifiedPaths
    private let clock: @Sendable () -> Int64

    /// Creates a validator. The anchors are parsed here, once.
    /// - Parameters:
    ///   - anchors: The authorities to trust. With none every peer is refused.
    ///   - rememberedPaths: How many of the paths that GnuTLS accepted are remembered, by 32 bytes each; beyond that the oldest is
    ///     forgotten. With 0, GnuTLS verifies every path anew.
    ///   - clock: Seconds since 1970, read once for each validation.
    /// - Throws: `CertificateFileError.malformedCertificate` when an anchor is no X.509 certificate.
    public init(
        anchors: [Certificate], rememberedPaths: Int = 256, clock: @escaping @Sendable () -> Int64
    ) throws(CertificateFileError) {
        var parsed: [TrustAnchor] = []
        for (index, anchor) in anchors.enumerated() {
            guard let anchor = try? TrustAnchor(anchor) else { throw .malformedCertificate(index: index) }
            parsed.append(anchor)
        }
        self.anchors = parsed
        verified = VerifiedPaths(limit: rememberedPaths)
        self.clock = clock
    }

    /// SPEC §10.7
    public func validate(
        _ chain: UnverifiedCertificateChain, requirements: PathRequirements
    ) throws(CertificateRejection) -> ValidatedCertificateChain {
        let leaf = try CertificateFields(chain.leaf)
        try CertificateProfile.check(leaf, .leaf)
        // An intermediate that cannot be read may be one that is not needed, so it is left out, not refused.
        let intermediates = chain.certificates.dropFirst().compactMap { try? CertificateFields($0) }
        let builder = PathBuilder(leaf: leaf, intermediates: intermediates, anchors: anchors)
        let now = clock()
        var best = CertificateRejection.unknownAuthority
        for path in builder.paths {
            do throws(CertificateRejection) {
                try verify(path, at: now, requirements)
                return ValidatedCertificateChain(
                    validatedPath: path.certificates.map(\.certificate),
                    validFor: ValidityRule.remainder(of: path, at: now))
            } catch {
                // The first candidate is the one with the fewest certificates below its anchor: its reason says most.
                if best == .unknownAuthority { best = error }
            }
        }
        throw best
    }

    /// The cheap rules first; GnuTLS's public-key operations only for a path that keeps all of them.
    private func verify(
        _ path: CandidatePath, at time: Int64, _ requirements: PathRequirements
    ) throws(CertificateRejection) {
        for intermediate in path.intermediates { try CertificateProfile.check(intermediate, .intermediate) }
        if let rejection = path.anchor.rejection { throw rejection }
        try ValidityRule.check(path, at: time)
        try PathLengthRule.check(path, maximumIntermediates: requirements.maximumIntermediates)
        try ExtendedKeyUsageRule.check(path, purpose: requirements.purpose)
        try PathNameConstraintsRule.check(path)
        try verified.verify(path)
        // Last: a name only counts in a certificate that is otherwise good.
        let names = path.certificates[0].extensions.subjectAltNames ?? []
        guard requirements.expectedNames.allSatisfy({ $0.isAmong(names) }) else { throw .nameMismatch }
        try PeerNameRule.check(path, requirements.expectedNames)
    }
}
