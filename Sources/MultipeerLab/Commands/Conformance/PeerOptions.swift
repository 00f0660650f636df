import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerConformance
import MultipeerCrypto
import MultipeerNIO
import MultipeerScriptedPeer
import MultipeerWire

/// Where the live peer is, and how it was started.
struct PeerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Connect to a listening peer: HOST:PORT or [IPv6]:PORT.", valueName: "address"),
        transform: Arguments.endpoint)
    var connect: Endpoint?

    @Option(help: ArgumentHelp("Wait for a peer that connects. With 0 the system chooses the port.", valueName: "port"))
    var listen: UInt16?

    @Option(help: "With --listen, the address of this host to listen at.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "With --listen, sh runs this for each connection, with HOST:PORT replaced, and it is killed after the case.",
            valueName: "command"))
    var peerCommand: String?

    @Option(
        name: .customLong("peer"),
        help: "What the peer does with invitations: accepts or invites (default: accepts with --connect, else invites)."
    )
    var invitations: InvitationsArgument?

    @Option(help: "The encryption preference that the peer must show: none, optional or required.")
    var encryption: EncryptionArgument?

    @Flag(help: "The peer expects another peer than the tester (--expect). Only the cases about this are played.")
    var peerExpectsAnother = false

    @Flag(help: "The peer offers one file on each link. Only the cases about this are played.")
    var peerOffersFile = false

    @Flag(
        help:
            "The peer continues associations, and comes again by itself if it connects. Only the cases about this are played."
    )
    var peerResumes = false

    @Option(
        help: ArgumentHelp(
            "The peer shows a one-time code, the newest in this file. Only the cases about this are played.",
            valueName: "file"), completion: .file())
    var peerShowsCode: String?

    @Option(
        help: ArgumentHelp(
            "The peer types this one-time code on each link. Only the cases about this are played.", valueName: "code"),
        transform: Self.code)
    var peerTypesCode: OneTimeCode?

    @Flag(help: "The peer's person compares short strings on each link. Only the cases about this are played.")
    var peerCompares = false

    @Option(
        help: ArgumentHelp("How long the peer waits for a handshake.", valueName: "seconds"),
        transform: Arguments.timeout)
    var handshakeDeadline: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp("How long the peer waits for an invitation.", valueName: "seconds"),
        transform: Arguments.timeout)
    var invitationDeadline: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp("How long the peer waits for certificates and READY.", valueName: "seconds"),
        transform: Arguments.timeout)
    var certificateDeadline: Duration = .seconds(60)

    func validate() throws {
        if case .unixSocket = connect { throw ValidationError("The tester connects by TCP.") }
        guard [peerShowsCode != nil, peerTypesCode != nil, peerCompares].filter(\.self).count <= 1 else {
            throw ValidationError("Give one of --peer-shows-code, --peer-types-code and --peer-compares.")
        }
    }

    /// The tester's end of the stream.
    var role: StreamRole { listen == nil ? .initiator : .responder }

    var profile: PeerProfile {
        var profile = PeerProfile(
            invitations: invitations?.value ?? (listen == nil ? .accepts : .invites), encryption: encryption?.preference
        )
        profile.expectsAnother = peerExpectsAnother
        profile.offersFile = peerOffersFile
        profile.resumes = peerResumes
        profile.verification =
            peerShowsCode != nil ? .shows : peerTypesCode != nil ? .types : peerCompares ? .compares : .nothing
        profile.handshakeDeadline = handshakeDeadline
        profile.invitationDeadline = invitationDeadline
        profile.certificateDeadline = certificateDeadline
        return profile
    }

    private static func code(_ text: String) throws -> OneTimeCode {
        guard let code = OneTimeCode(typed: text) else {
            throw ValidationError("\(SafeText.escape(text)) is no one-time code, such as 4-tulip-orbit.")
        }
        return code
    }

    /// Where the tester has codes from.
    var codes: (any CodeSource)? {
        if let peerTypesCode { return FixedCode(peerTypesCode) }
        return peerShowsCode.map { CodeFile(path: $0) }
    }

    func source(_ output: Output, showsPeer: Bool) async throws(CommandFailure) -> any PeerSource {
        if case .tcp(let host, let port) = connect {
            return ConnectingSource(host: host, port: UInt16(clamping: port))
        }
        do throws(NetworkError) {
            let listener = try TCPListener(host: host, port: listen ?? 0)
            let address = Endpoint.tcp(host: host, port: Int(listener.port)).description
            output.note { _ in "waiting for the peer at \(address)" }
            let launcher = peerCommand.map {
                PeerCommand(text: $0.replacing("HOST:PORT", with: address), showsOutput: showsPeer)
            }
            return ListeningSource(listener: listener, launcher: launcher)
        } catch {
            throw CommandFailure(
                "listening", "cannot listen at port \(listen ?? 0)",
                remedy: "Give another port, or 0 to let the system choose", .system)
        }
    }
}

/// `--peer`
enum InvitationsArgument: String, ExpressibleByArgument, CaseIterable {
    case accepts, invites

    var value: PeerProfile.Invitations { self == .accepts ? .accepts : .invites }
}
