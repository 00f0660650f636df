import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage

/// `multipeer chat`
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Talk with several peers, each connected with each, and send them files.",
        discussion: """
            Each line of standard input is a message to all. /who lists the members, /send NAME PATH sends a file, and \
            //TEXT is a message that begins with a slash. Whom to trust must be said: --trust, --pin, \
            --trust-on-first-use or --accept-unverified. Ends, and leaves the session, at the end of standard input or by \
            SIGINT or SIGTERM; with --keep a signal ends the program only.

            Examples:
              multipeer chat --listen 0.0.0.0:4711 --accept all --trust-on-first-use
              multipeer chat desk.local:4711 --trust-on-first-use --save ~/Downloads
            """)

    @Argument(
        help: "A member of the chat to join: HOST:PORT, [IPv6]:PORT or unix:PATH. Without one, a new chat begins.",
        completion: .knownAddress,
        transform: Arguments.endpoint)
    var address: Endpoint?

    @Option(
        help: ArgumentHelp("Invite the peer at this address. Repeatable.", valueName: "address"),
        completion: .knownAddress,
        transform: Arguments.endpoint)
    var invite: [Endpoint] = []

    @Option(
        help: ArgumentHelp(
            "Where to listen: HOST:PORT, [IPv6]:PORT or unix:PATH. With port 0 the system chooses.",
            valueName: "address"),
        transform: Arguments.endpoint)
    var listen: Endpoint = .tcp(host: "0.0.0.0", port: 0)

    @Option(help: "Accept all invitations, and invite whoever asks for it, as far as the peer is trusted; or none.")
    var accept = ChatAcceptance.none

    @Option(
        help: ArgumentHelp(
            "Keep the chat under this name beside the identity: a later run with it is the same member again.",
            valueName: "name"))
    var keep: String?

    @Flag(help: "Stay at the end of standard input, until SIGINT or SIGTERM.")
    var stay = false

    @OptionGroup var session: SessionOptions

    func run() async throws {
        let command = self
        try await session.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.chat(output)
        }
    }

    private func chat(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        let prepared = try session.prepare(expecting: nil, output: output)
        let peer = try await peer(prepared)
        let chat = try await session(of: peer, prepared)
        let run = ChatRun(session: chat, inbox: prepared.inbox, policy: prepared.policy, output: output)
        try await run.listen(at: listen, accepting: accept == .all, isEphemeral: prepared.identity.isEphemeral)
        let isKept = keep != nil
        interruption.whenTriggered { Task { isKept ? await peer.shutDown() : await chat.leave() } }
        async let events: Void = run.takeEvents()
        do throws(CommandFailure) {
            try await run.connect(joining: address, inviting: invite)
        } catch {
            await chat.leave()
            await events
            await peer.shutDown()
            throw error
        }
        let input = Task { await run.takeInput(leavesAtEnd: !stay) }
        await events
        input.cancel()
        await peer.shutDown()
        return interruption.status ?? .done
    }

    private func session(
        of peer: Peer, _ prepared: PreparedSession
    ) async throws(CommandFailure) -> Multipeer.Session {
        let trust = Trust.validator(prepared.validator)
        let (encryption, certificate) = (prepared.terms.encryption, prepared.terms.certificate)
        guard let keep else {
            return Multipeer.Session(of: peer, trust: trust, encryption: encryption, certificate: certificate)
        }
        do throws(KeepingError) {
            return try await Multipeer.Session(
                of: peer, keptAs: keep, trust: trust, encryption: encryption, certificate: certificate)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func peer(_ prepared: PreparedSession) async throws(CommandFailure) -> Peer {
        let name = prepared.identity.name.description
        let store = PeerStore(directory: try session.store.open().directory)
        do throws(PeerError) {
            if prepared.identity.isEphemeral { return try await Peer.temporary(named: name) }
            return try await Peer.load(named: name, from: store)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// `--accept` of `multipeer chat`
enum ChatAcceptance: String, ExpressibleByArgument, CaseIterable {
    case all, none
}
