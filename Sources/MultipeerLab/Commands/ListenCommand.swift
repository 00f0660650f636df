import ArgumentParser
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerSodium
import MultipeerStorage
import MultipeerTerminal
import MultipeerTransfers
import NIOPosix

/// `multipeer-lab listen`
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Wait for peers, and accept their invitations, messages and files.",
        discussion: """
            Say whom to trust: --trust, --pin, --trust-on-first-use or --accept-unverified. \
            Serves until SIGINT or SIGTERM, or with --once one session, whose end is the exit status.

            Examples:
              multipeer-lab listen --host :: --port 4711 --trust-on-first-use --save ~/Downloads
              multipeer-lab listen --port 4711 --once --accept all --trust-on-first-use --stream backup | tar x
            """)

    @Option(help: "The address of this host to listen at.")
    var host = "127.0.0.1"

    @Option(help: "The TCP port. With 0 the system chooses, and the choice is printed.")
    var port: UInt16?

    @Option(help: ArgumentHelp("Listen at a Unix socket instead.", valueName: "path"))
    var unix: String?

    @Option(help: "Accept all or none of the invitations, or ask the person at the terminal.")
    var accept = AcceptArgument.ask

    @Option(
        help: ArgumentHelp(
            "With --accept ask, how long an invitation waits for the answer (default: 60).", valueName: "seconds"),
        transform: Arguments.timeout)
    var answerWithin: Duration?

    @Flag(help: "Accept one session, and exit when it ends.")
    var once = false

    @Option(
        help: ArgumentHelp(
            "Show the name to these peers only; give the option once for each. Others see the peer ID.",
            valueName: "peer-id"),
        transform: Arguments.peerID)
    var showNameTo: [IdentityKey] = []

    @OptionGroup var outbox: OutboxOptions

    @Option(
        help: ArgumentHelp(
            "Write the first stream of this name to standard output. Results then go to standard error.",
            valueName: "name"),
        transform: Arguments.streamName)
    var stream: String?

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard (port == nil) != (unix == nil) else { throw ValidationError("Give --port N, or --unix PATH.") }
    }

    func run() async throws {
        let command = self
        let results = stream == nil ? StandardStream.output : .error
        try await session.output.run(servesLinks: true, resultsTo: results) { output throws(CommandFailure) in
            try await command.listen(output)
        }
    }

    private var endpoint: Endpoint {
        unix.map { .unixSocket(path: $0) } ?? .tcp(host: host, port: Int(port ?? 0))
    }

    private func listen(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        var prepared = try session.prepare(expecting: nil, output: output)
        if !showNameTo.isEmpty { prepared.configuration.showNameOnlyTo = Set(showNameTo) }
        let outbox = outbox.file.isEmpty ? nil : try await outbox.outbox(prepared, store: session.store, stays: true)
        let outlet = stream.map(StreamOutlet.init)
        let listener: LinkListener
        do throws(BindError) {
            listener = try await LinkListener.bind(
                to: endpoint, configuration: prepared.configuration,
                options: prepared.linkOptions, limits: limits(savesFiles: prepared.inbox != nil),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        } catch {
            throw CommandFailure(error, endpoint: endpoint)
        }
        let peer = prepared.identity.peer
        output.report(
            ListeningEvent(
                listener.localEndpoint, peer, isEphemeral: prepared.identity.isEphemeral,
                remoteCommand: { "multipeer-lab connect \($0.shellWord) --expect \(peer.key)" }))
        interruption.whenTriggered {
            outlet?.giveUp()
            Task { await listener.shutdown() }
        }
        let settings = SessionSettings(
            prepared, acceptance: accept.acceptance(answerWithin), outbox: outbox, outlet: outlet, showsNumbers: !once)
        if once {
            let single = SingleSession(listener)
            await Self.serve(listener, settings, output) { session in await single.run(session) }
            return interruption.status ?? single.status
        }
        await Self.serve(listener, settings, output) { session in
            if let failure = await session.run().failure { session.fail(failure) }
        }
        return .done
    }

    /// A file that is received needs descriptors as well.
    private func limits(savesFiles: Bool) -> ListenerLimits {
        var limits = ListenerLimits()
        if savesFiles {
            limits.descriptorsPerConnection =
                1 + DownloadDirectory.descriptorsPerFile * FileTransferSettings.usualFilesAtOnce
        }
        return limits
    }

    /// Serves any number of links at a time, until the listener is shut down.
    private static func serve(
        _ listener: LinkListener, _ settings: SessionSettings, _ output: Output,
        _ run: @escaping @Sendable (Session) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var number = 0
            for await connection in listener.connections {
                number += 1
                var session = Session(connection: connection, number: number, settings: settings, output: output)
                session.voice = Voice(isHeard: output.hearsStranger())
                let served = session
                group.addTask {
                    served.tell(.connected(address: connection.remote?.description))
                    await run(served)
                }
            }
        }
        output.tellStrangers()
    }
}

/// `--accept`
enum AcceptArgument: String, ExpressibleByArgument, CaseIterable {
    case all, ask, none

    /// - Parameter patience: How long a question may wait for its answer.
    func acceptance(_ patience: Duration?) -> SessionSettings.Acceptance {
        switch self {
        case .all: .all
        case .ask: .ask(Prompter(patience: patience ?? .seconds(60)))
        case .none: .none
        }
    }
}
