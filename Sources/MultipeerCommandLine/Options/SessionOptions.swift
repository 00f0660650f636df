package import ArgumentParser
import Multipeer
package import MultipeerCertificates
package import MultipeerCore
package import MultipeerCrypto
import MultipeerGnuTLS
package import MultipeerSodium
package import MultipeerStorage
package import MultipeerTransfers
package import MultipeerWire

/// The options that `chat` has in common with `multipeer-lab listen` and `connect`.
package struct SessionOptions: ParsableArguments {
    package init() {}

    @Option(help: "The encryption of payload: none, optional or required.")
    package var encryption = EncryptionArgument.required

    @Option(
        help: ArgumentHelp("The certificate to show: a chain, leaf first.", valueName: "pem"), completion: .file())
    package var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate.", valueName: "pem"), completion: .file())
    package var key: String?

    @OptionGroup package var trust: TrustOptions

    @Option(
        help:
            "The cipher suites: chachapoly, aesgcm or both of these, hybrid-chachapoly, hybrid-aesgcm, or all. Hybrid ones add ML-KEM-768."
    )
    var suite = SuiteArgument.all

    @Option(
        help: ArgumentHelp(
            "Save files from the peer in this folder. Without this option they are declined.", valueName: "dir"),
        completion: .directory)
    package var save: String?

    @Option(
        help: ArgumentHelp("The name to show instead of the identity's.", valueName: "name"),
        transform: Arguments.displayName)
    package var name: DisplayName?

    @Option(
        help: ArgumentHelp(
            "How long a message or file may make no progress, in either direction (default: 60).", valueName: "seconds"),
        transform: Arguments.stallTimeout)
    package var stallTimeout: Duration = .seconds(60)

    @Flag(help: "Print every record and its content to standard error.")
    package var trace = false

    @OptionGroup package var store: StoreOptions
    @OptionGroup package var output: PeerOutputOptions

    package func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key require each other.")
        }
        try trust.validate()
    }

    /// Reads all files that the options name.
    /// - Parameters:
    ///   - expected: The key that the peer has to have.
    ///   - isNearby: Whether peers are found nearby: an identity is created if there is none, because others are to recognise it the
    ///     next time, and peers are trusted on first use unless an option says something else.
    package func prepare(
        expecting expected: IdentityKey?, isNearby: Bool = false, output: Output
    ) throws(CommandFailure) -> PreparedSession {
        let sodium = try Cryptography.start()
        let store = try store.open()
        let identity: LocalIdentity
        if isNearby {
            identity = try store.loadOrCreate(name: name, sodium: sodium)
        } else if let stored = try store.load(sodium: sodium) {
            identity = stored
        } else {
            identity = try LocalIdentity.ephemeral(sodium: sodium)
            output.warn(
                "there is no identity in \(SafeText.escape(store.directory)); using a new one that ends with the process "
                    + "(to keep one: multipeer identity create NAME)")
        }
        let policy = try trust.policy(expecting: expected, isNearby: isNearby, store: store)
        if case .anchors(let bundle, let file, _) = policy, !bundle.skipped.isEmpty {
            output.warn(
                "\(bundle.skipped.count) of \(bundle.count) certificates in \(SafeText.escape(file)) cannot be trusted "
                    + "as authorities, and were skipped (the first: number \(bundle.skipped[0].index + 1), "
                    + "\(bundle.skipped[0].rejection.reason))")
        }
        if case .nobody = policy {
            output.warn(
                "no peer is trusted: give --trust PEM, --pin FINGERPRINT or --trust-on-first-use")
        }
        var local: LocalCertificate?
        if let certificate, let key {
            local = try CertificateInput.local(certificate: certificate, key: key, secrets: sodium.secrets)
        }
        var inbox: DownloadDirectory?
        if let save {
            do throws(StorageError) { inbox = try DownloadDirectory.open(save) } catch { throw CommandFailure(error) }
            if let text = inbox?.abandonedText { output.warn(text) }
        }
        let renamed = identity.renamed(name)
        let crypto = try Cryptography.provider()
        var configuration = LinkConfiguration(
            identity: renamed.signer, displayName: renamed.name, crypto: crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        configuration.suites = suite.suites(of: configuration.crypto)
        configuration.tracesRecords = trace
        configuration.expectedPeer = expected
        configuration.offersDatagrams = true
        return PreparedSession(
            sodium: sodium, identity: renamed, configuration: configuration,
            terms: SessionTerms(encryption: encryption.preference, certificate: local), policy: policy,
            validator: try policy.validator(), inbox: inbox, stallTimeout: stallTimeout)
    }
}

/// Everything that a session needs. It is read and checked before the network is used.
package struct PreparedSession: Sendable {
    package let sodium: SodiumProvider
    package let identity: LocalIdentity
    package var configuration: LinkConfiguration
    package let terms: SessionTerms
    package let policy: TrustPolicy
    package let validator: any CertificateValidator
    package let inbox: DownloadDirectory?
    package let stallTimeout: Duration
}

/// `--encryption`
package enum EncryptionArgument: String, ExpressibleByArgument, CaseIterable {
    case none, optional, required

    package var preference: EncryptionPreference {
        switch self {
        case .none: .none
        case .optional: .optional
        case .required: .required
        }
    }
}

/// `--suite`
enum SuiteArgument: String, ExpressibleByArgument, CaseIterable {
    case all, both, chachapoly, aesgcm
    case hybridChaChaPoly = "hybrid-chachapoly"
    case hybridAESGCM = "hybrid-aesgcm"

    /// The suites, the preferred first: of several, hybrid ones before the others, and then what this processor does faster.
    func suites(of crypto: CryptoProvider) -> [Suite] {
        switch self {
        case .all: crypto.preferredSuites
        case .both: crypto.preferredSuites.filter { !$0.isHybrid }
        case .chachapoly: [.chaChaPoly]
        case .aesgcm: [.aesGCM]
        case .hybridChaChaPoly: [.hybridChaChaPoly]
        case .hybridAESGCM: [.hybridAESGCM]
        }
    }
}
