import ArgumentParser
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerStorage
import MultipeerTransfers

/// `multipeer certificate`
struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Create a small certificate authority, and issue certificates with it.",
        discussion: """
            Certificates made by openssl, certtool and other authorities work as well.

            Examples:
              multipeer certificate authority "Example CA" --out ca
              multipeer certificate issue Ben --authority ca --out ben
              multipeer certificate show ben/Ben.pem
            """,
        subcommands: [CreateAuthority.self, IssueCertificate.self, ShowCertificate.self])
}

struct CreateAuthority: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract:
            "Create an authority: DIR/authority.pem, which peers trust, and DIR/authority.key, which stays secret.",
        usage: "multipeer certificate authority <name> --out <dir> [<options>]",
        discussion: """
            Examples:
              multipeer certificate authority "Example CA" --out ca
            """)

    @Argument(help: "The name of the authority.", transform: Arguments.displayName)
    var name: DisplayName

    @Option(
        help: ArgumentHelp("The folder. It is created if it does not exist.", valueName: "dir"), completion: .directory)
    var out: String

    @OptionGroup var key: KeyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let sodium = try Cryptography.start()
            let issued = try CommandFailure.translating { () throws(AuthorityError) in
                try CertificateAuthority.create(
                    name: name, algorithm: key.algorithm.algorithm,
                    validityDays: key.days ?? CertificateAuthority.defaultAuthorityDays,
                    now: SystemClock.wall(), secrets: sodium.secrets)
            }
            let files = CertificatePair(directory: out, stem: CertificatePair.authorityStem)
            try files.create(issued)
            output.report(CommandEvent.certificate(try files.result(kind: "authority", name: name, issued.certificate)))
            return .done
        }
    }
}

struct IssueCertificate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issue a certificate for a peer: DIR/NAME.pem and DIR/NAME.key, for --certificate and --key.",
        usage: "multipeer certificate issue <name> <options>",
        discussion: """
            Examples:
              multipeer certificate issue Ben --authority ca --out ben
            """)

    @Argument(help: "The peer's display name.", transform: Arguments.displayName)
    var name: DisplayName

    @Option(help: ArgumentHelp("The folder of the authority.", valueName: "dir"), completion: .directory)
    var authority: String

    @Option(
        help: ArgumentHelp("The folder. It is created if it does not exist.", valueName: "dir"), completion: .directory)
    var out: String

    @OptionGroup var key: KeyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let sodium = try Cryptography.start()
            let authority = try CertificatePair(directory: authority, stem: CertificatePair.authorityStem)
                .openAuthority(secrets: sodium.secrets)
            let issued = try CommandFailure.translating { () throws(AuthorityError) in
                try authority.issue(
                    to: name, algorithm: key.algorithm.algorithm,
                    validityDays: key.days ?? CertificateAuthority.defaultPeerDays,
                    now: SystemClock.wall(), secrets: sodium.secrets)
            }
            let files = CertificatePair(
                directory: out, stem: SanitizedFileName.portable(SanitizedFileName.derive(from: name.utf8Bytes)))
            try files.create(issued)
            output.report(
                CommandEvent.certificate(try files.result(kind: "certificate", name: name, issued.certificate)))
            return .done
        }
    }
}

struct ShowCertificate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the fingerprint of a certificate's key, for --pin.",
        discussion: """
            Examples:
              multipeer certificate show ben/Ben.pem
            """)

    @Argument(help: "A PEM file. Its first certificate is shown.", completion: .file())
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let certificates = try CertificateInput.anchors(at: file)
            output.report(
                CommandEvent.certificate(
                    CertificateResult(
                        kind: "certificate", name: nil, certificatePath: file, keyPath: nil,
                        fingerprint: try CertificateInput.fingerprint(of: certificates[0], file: file))))
            return .done
        }
    }
}

/// The kind of key, and how long the certificate is valid.
struct KeyOptions: ParsableArguments {
    @Option(help: "The kind of key: ed25519, ecdsa-p256, ecdsa-p384 or rsa.")
    var algorithm = AlgorithmArgument.ed25519

    @Option(
        help:
            "How many days it is valid (default: \(CertificateAuthority.defaultAuthorityDays) for an authority, \(CertificateAuthority.defaultPeerDays) for a peer)."
    )
    var days: Int?
}

/// `--algorithm`
enum AlgorithmArgument: String, ExpressibleByArgument, CaseIterable {
    case ed25519, rsa
    case ecdsaP256 = "ecdsa-p256"
    case ecdsaP384 = "ecdsa-p384"

    var algorithm: LeafKeyAlgorithm {
        switch self {
        case .ed25519: .ed25519
        case .rsa: .rsa
        case .ecdsaP256: .ecdsaP256
        case .ecdsaP384: .ecdsaP384
        }
    }
}
