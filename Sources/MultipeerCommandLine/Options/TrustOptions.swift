package import ArgumentParser
package import MultipeerCertificates
package import MultipeerCrypto

/// Options that say which peers to trust. At most one of the four may be given.
package struct TrustOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp("Trust peers with a certificate of an authority in this file.", valueName: "pem"),
        completion: .file())
    package var trust: String?

    @Flag(help: "With --trust, require the peer's display name in its certificate.")
    var matchName = false

    @Option(
        help: ArgumentHelp(
            "Trust the peer with this key: the fingerprint of its certificate's key (sha256:…), or its peer ID (64 digits). Repeatable.",
            valueName: "fingerprint"),
        transform: Self.pin)
    package var pin: [PinnedKeyValidator.Pin] = []

    @Flag(
        help:
            "Trust peers that come for the first time, and remember their keys (multipeer peers list). A peer with another key under the name of one that was called, named or verified here, or under a name that looks like it, is refused."
    )
    package var trustOnFirstUse = false

    @Flag(help: "Trust everybody. Nothing is verified.")
    var acceptUnverified = false

    package func validate() throws {
        let ways = [trust != nil, !pin.isEmpty, trustOnFirstUse, acceptUnverified].filter { $0 }.count
        guard ways <= 1 else {
            throw ValidationError(
                "Give only one of --trust, --pin, --trust-on-first-use and --accept-unverified.")
        }
        guard !matchName || trust != nil else { throw ValidationError("--match-name requires --trust.") }
    }

    /// - Parameters:
    ///   - expected: The peer that a connection expects. An expected key is trusted, unless another option is given.
    ///   - isNearby: Whether peers are found nearby, where trust on first use is what no option means.
    package func policy(
        expecting expected: IdentityKey?, isNearby: Bool = false, store: IdentityStore
    ) throws(CommandFailure) -> TrustPolicy {
        if let trust {
            return .anchors(try CertificateInput.bundle(at: trust), file: trust, matchesName: matchName)
        }
        if !pin.isEmpty { return .pins(Set(pin)) }
        if acceptUnverified { return .unverified }
        if !trustOnFirstUse {
            if let expected { return .pins([.identity(expected)]) }
            guard isNearby else { return .nobody }
        }
        try store.prepare()
        return .firstUse(path: store.knownPeersPath)
    }

    @Sendable private static func pin(_ text: String) throws -> PinnedKeyValidator.Pin {
        if text.lowercased().hasPrefix("sha256:"), let fingerprint = KeyFingerprint(text) { return .leaf(fingerprint) }
        if let key = IdentityKey(text) { return .identity(key) }
        throw ValidationError(
            "A pin is sha256: and 64 hexadecimal digits (multipeer certificate show FILE), or a peer ID of 64 digits.")
    }
}
