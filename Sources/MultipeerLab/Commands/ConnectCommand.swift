import ArgumentParser
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerSodium
import MultipeerStorage
import NIOPosix

/// `multipeer-lab connect`
struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect to a peer, invite it, send messages, a stream and files, and close.",
        discussion: """
            Say whom to trust: --expect, --trust, --pin, --trust-on-first-use or --accept-unverified. \
            Ends when all is sent and files are confirmed, or with --stay when the peer closes.

            Examples:
              multipeer-lab connect desk.local:4711 --trust-on-first-use --message hello
              multipeer-lab connect desk.local:4711 --trust-on-first-use --file holiday.jpg
              tar c photos | multipeer-lab connect desk.local:4711 --trust-on-first-use --stream backup
            """)

    @Argument(
        help: "HOST:PORT, [IPv6]:PORT or unix:PATH.", completion: .knownAddress, transform: Arguments.endpoint)
    var address: Endpoint

    @Option(
        help: ArgumentHelp(
            "The ID of the only acceptable peer. It is trusted, unless another option says whom to trust.",
            valueName: "peer-id"),
        transform: Arguments.peerID)
    var expect: IdentityKey?

    @Option(
        help: ArgumentHelp(
            "The text that the peer sees with the invitation. Without --expect, any peer that answers sees it.",
            valueName: "text"),
        transform: Arguments.context)
    var context: [UInt8] = []

    @Option(
        help: ArgumentHelp(
            "How long to wait for the peer at each step (default: 30, and 10 for the handshake).", valueName: "seconds"),
        transform: Arguments.timeout)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp("A message to send; - is all of standard input. Repeatable.", valueName: "text"))
    var message: [String] = []

    @OptionGroup var outbox: OutboxOptions

    @Option(
        help: ArgumentHelp("Send standard input as a stream of this name, after the messages.", valueName: "name"),
        transform: Arguments.streamName)
    var stream: String?

    @Flag(help: "Stay after everything has been sent, until the peer closes.")
    var stay = false

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard message.filter({ $0 == "-" }).count + (stream == nil ? 0 : 1) <= 1 else {
            throw ValidationError("Standard input can be read only once: for one --message -, or for --stream.")
        }
    }

    func run() async throws {
        let command = self
        try await session.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.connect(output)
        }
    }

    private func connect(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        var prepared = try session.prepare(expecting: expect, output: output)
        if let timeout { prepared.configuration.timeouts.handshake = timeout }
        prepared.configuration.timeouts.certificates = patience
        let outbox = try await contents(prepared)
        output.report(
            ConnectingEvent(
                endpoint: address, peer: prepared.identity.peer, isEphemeral: prepared.identity.isEphemeral))
        guard let connection = try await open(prepared, interruption) else {
            return interruption.status ?? .interrupted
        }
        // A peer that invites before the local invitation has gone out wants what the local peer wants.
        let run = Session(
            connection: connection, number: 1,
            settings: SessionSettings(prepared, acceptance: .all, outbox: outbox), output: output)
        run.tell(.connected(address: connection.remote?.description))
        let invitation = OutgoingInvitation(terms: prepared.terms, context: context, timeout: patience)
        // A link that has already failed reports the reason in its events.
        try? await connection.invite(invitation)
        interruption.whenTriggered { connection.close() }
        let outcome = await run.run()
        if let status = interruption.status { return status }
        if let failure = outcome.failure { output.fail(failure, link: 1) }
        return outcome.status
    }

    /// How long each step may take, the handshake apart.
    private var patience: Duration { timeout ?? .seconds(30) }

    /// Everything that is to be sent.
    private func contents(_ prepared: PreparedSession) async throws(CommandFailure) -> Outbox {
        var contents = try await outbox.outbox(prepared, store: session.store, stays: stay)
        for text in message { contents.messages.append(text == "-" ? try Self.standardInput() : Array(text.utf8)) }
        contents.stream = stream.map { StreamInput(name: $0, input: StandardInput()) }
        return contents
    }

    /// The whole of standard input, for one message.
    private static func standardInput() throws(CommandFailure) -> [UInt8] {
        // The longest message of a peer with default limits.
        let maximum = 16_777_216
        do throws(WholeInput.Failure) {
            return try WholeInput.read("-", maximumLength: maximum)
        } catch {
            throw CommandFailure(reading: "-", error)
        }
    }

    /// Connects. Returns nil as soon as somebody interrupts the command, also while the system still connects.
    private func open(
        _ prepared: PreparedSession, _ interruption: Interruption
    ) async throws(CommandFailure) -> LinkConnection? {
        let (address, patience) = (address, patience)
        let (results, result) = AsyncStream.makeStream(of: Result<LinkConnection, ConnectError>.self)
        let connecting = Task {
            do throws(ConnectError) {
                let connection = try await LinkConnector.connect(
                    to: address, configuration: prepared.configuration, options: prepared.linkOptions,
                    eventLoopGroup: MultiThreadedEventLoopGroup.singleton, timeout: patience)
                result.yield(.success(connection))
            } catch {
                result.yield(.failure(error))
            }
        }
        interruption.whenTriggered {
            // A connection that comes later is closed by the connector.
            connecting.cancel()
            result.finish()
        }
        for await first in results {
            if interruption.status != nil { return nil }
            do throws(ConnectError) {
                return try first.get()
            } catch {
                throw CommandFailure(error, endpoint: address)
            }
        }
        return nil
    }
}
