/// What a path must satisfy beyond RFC 5280 §6 (SPEC §10.7).
public struct PathRequirements: Hashable, Sendable {
    /// The role that the leaf's extended key usage must allow.
    public var purpose: PathPurpose
    /// Names that must all be among the leaf's subject alternative names. With none, any name will do.
    public var expectedNames: [ExpectedName]
    /// The most certificates between leaf and trust anchor, self-issued ones not counted (RFC 5280 §4.2.1.9).
    public var maximumIntermediates: Int

    /// Creates requirements. By default they are those of a peer without an expected name.
    public init(
        purpose: PathPurpose = .peer, expectedNames: [ExpectedName] = [],
        maximumIntermediates: Int = UnverifiedCertificateChain.maximumCount - 1
    ) {
        self.purpose = purpose
        self.expectedNames = expectedNames
        self.maximumIntermediates = maximumIntermediates
    }
}

/// What a leaf with an extended key usage extension must be allowed to do. A leaf without one may do everything.
public enum PathPurpose: Hashable, Sendable {
    /// clientAuth, serverAuth or anyExtendedKeyUsage.
    ///
    /// A peer is client and server in one, and which peer called does not say which peer it is; so either usage, which
    /// both mean "proves who holds this end of a connection", is enough. Certificates of corporate authorities often
    /// have just one of them.
    case peer
    /// serverAuth or anyExtendedKeyUsage.
    case server
    /// clientAuth or anyExtendedKeyUsage.
    case client
}
