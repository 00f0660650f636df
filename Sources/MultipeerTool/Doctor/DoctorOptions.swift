import ArgumentParser
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerNIO

/// The options for what both peers want of a session.
struct PolicyOptions: ParsableArguments {
    @Option(help: "The local encryption of payload: none, optional or required.")
    var encryption = EncryptionArgument.required

    @Option(
        help: ArgumentHelp("The local certificate: a chain, leaf first.", valueName: "pem"),
        completion: .file())
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate.", valueName: "pem"), completion: .file())
    var key: String?

    @OptionGroup var trust: TrustOptions

    @Option(help: "The peer's encryption of payload: none, optional or required.")
    var peerEncryption: EncryptionArgument?

    @Option(
        help: ArgumentHelp("The peer's certificate, or none.", valueName: "pem"),
        completion: .file())
    var peerCertificate: String?

    @Option(
        help: ArgumentHelp("The authorities that the peer trusts.", valueName: "pem"), completion: .file())
    var peerTrust: String?

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key require each other.")
        }
        try trust.validate()
    }
}

extension CheckName: ExpressibleByArgument {}
