/// Finds out whether a chain leads to a trust anchor (RFC 5280 §6, SPEC §10.7). Each implementation has its own anchors.
public protocol PathValidator: Sendable {
    /// Returns the path that was found.
    /// - Throws: ``CertificateRejection`` with the first rule that the best candidate path breaks.
    func validate(
        _ chain: UnverifiedCertificateChain, requirements: PathRequirements
    ) throws(CertificateRejection) -> ValidatedCertificateChain
}

/// A path from a leaf to a trust anchor that a ``PathValidator`` found valid; the name says so.
public struct ValidatedCertificateChain: Hashable, Sendable {
    /// The leaf, then each issuer, the trust anchor last.
    public let path: [Certificate]
    /// How long all of them are valid from now on, in whole seconds.
    public let validFor: Duration

    /// Creates a validated path. Validators call this once every check has passed.
    public init(validatedPath path: [Certificate], validFor: Duration) {
        self.path = path
        self.validFor = validFor
    }
}
