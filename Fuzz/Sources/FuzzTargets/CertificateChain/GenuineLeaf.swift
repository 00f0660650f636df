import MultipeerCertificates

/// What the authority of Scripts/make-fuzz-certificates has certified, and what RFC 5280 and SPEC §10.7 make of it: the
/// oracle's whole knowledge of certificates.
struct GenuineLeaf {
    let name: String
    /// The authorities between this leaf and the root, all of which the chain must hold.
    var authorities: [String] = []
    /// From when until when leaf and authorities are valid, in seconds since 1970.
    var window: ClosedRange<Int64> = years(2025, 2045)
    var purposes: Set<PathPurpose> = [.peer, .client, .server]
    var host = "ada.example.org"
    /// Why nobody accepts it, though the root or one below it has signed it. Nil for a good one.
    var rejection: CertificateRejection?

    static let all: [GenuineLeaf] = [
        GenuineLeaf(name: "plain"),
        GenuineLeaf(name: "via short", authorities: ["short"]),
        GenuineLeaf(name: "via constrained", authorities: ["constrained"], host: "ok.example.org"),
        GenuineLeaf(
            name: "via deep", authorities: ["deep", "constrained"], window: years(2029, 2031), host: "deep.example.org"),
        GenuineLeaf(name: "via cross", authorities: ["cross"]),
        GenuineLeaf(name: "old", window: years(2025, 2026)),
        GenuineLeaf(name: "client", purposes: [.peer, .client]),
        GenuineLeaf(name: "server", purposes: [.peer, .server]),
        GenuineLeaf(name: "outside", authorities: ["constrained"], rejection: .nameConstraint),
        GenuineLeaf(name: "via below short", authorities: ["below short", "short"], rejection: .pathTooLong),
        GenuineLeaf(name: "code signing", rejection: .extendedKeyUsage),
        GenuineLeaf(name: "encipherment", rejection: .keyUsage),
        GenuineLeaf(name: "critical", rejection: .unknownCriticalExtension),
        GenuineLeaf(name: "by leaf", authorities: ["plain"], rejection: .notAnAuthority),
        GenuineLeaf(name: "forged", rejection: .invalidSignature),
        GenuineLeaf(name: "short", rejection: .leafIsAuthority),
        GenuineLeaf(name: "root", rejection: .leafIsAuthority),
    ]

    static let byDER: [[UInt8]: GenuineLeaf] = Dictionary(
        uniqueKeysWithValues: all.compactMap { leaf in Fixtures.authority[leaf.name].map { ($0, leaf) } })

    /// The beginning of one year to the beginning of another. Leap days of 1970–2099: every fourth year.
    private static func years(_ first: Int64, _ last: Int64) -> ClosedRange<Int64> { start(first)...start(last) }

    static func start(_ year: Int64) -> Int64 { ((year - 1970) * 365 + (year - 1969) / 4) * 86_400 }
}
