public import MultipeerCertificates

/// Validates chains against trust anchors (SPEC §10.7).
///
/// Two judges look at each candidate path, and both must agree: GnuTLS by RFC 5280 §6, and the rules here, which refuse
/// what GnuTLS lets pass. An anchor is an authority; to trust one leaf as it is, pin its key. Revocation lists and OCSP
/// are not looked at: an authority that has lost a leaf's key is replaced, and leaves live short.
public struct GnuTLSPathValidator: PathValidator {
    private let anchors: [CertificateFields]
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - anchors: The authorities to trust. With none everybody is refused.
    ///   - clock: Seconds since 1970, asked once a validation.
    /// - Throws: `CertificateFileError.malformedCertificate` when an anchor is no X.509 certificate.
    public init(
        anchors: [Certificate], clock: @escaping @Sendable () -> Int64
    ) throws(CertificateFileError) {
        var parsed: [CertificateFields] = []
        for (index, anchor) in anchors.enumerated() {
            guard let fields = try? CertificateFields(anchor) else { throw .malformedCertificate(index: index) }
            parsed.append(fields)
        }
        self.anchors = parsed
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
                try judge(path, at: now, requirements)
                return ValidatedCertificateChain(validatedPath: path.certificates.map(\.certificate))
            } catch {
                // The first candidate is the one with the fewest certificates below its anchor: its reason tells most.
                if best == .unknownAuthority { best = error }
            }
        }
        throw best
    }

    /// The cheap rules first; GnuTLS's public-key operations only for a path that keeps all of them.
    private func judge(
        _ path: CandidatePath, at time: Int64, _ requirements: PathRequirements
    ) throws(CertificateRejection) {
        for intermediate in path.intermediates { try CertificateProfile.check(intermediate, .intermediate) }
        if let anchor = path.certificates.last { try CertificateProfile.check(anchor, .anchor) }
        try ValidityRule.check(path, at: time)
        try PathLengthRule.check(path, maximumIntermediates: requirements.maximumIntermediates)
        try ExtendedKeyUsageRule.check(path, purpose: requirements.purpose)
        try PathNameConstraintsRule.check(path)
        try GnuTLSPathVerifier.check(path)
        // Last: a name only counts in a certificate that is otherwise good.
        let names = path.certificates[0].extensions.subjectAltNames ?? []
        guard requirements.expectedNames.allSatisfy({ $0.isAmong(names) }) else { throw .nameMismatch }
    }
}
