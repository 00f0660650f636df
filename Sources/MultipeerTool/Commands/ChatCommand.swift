import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
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
            //TEXT is a message that begins with a slash. Peers nearby are found by their names, and trusted on first use \
            unless an option says something else. With addresses, say whom to trust: --trust, --pin, \
            --trust-on-first-use or --accept-unverified. Ends, and leaves the session, at the end of standard input or by \
            SIGINT or SIGTERM; with --keep a signal ends the program only.

            Examples:
              multipeer chat --visible --name Ben
              multipeer chat Ben Cleo
              multipeer chat --listen 0.0.0.0:4711 --accept all --trust-on-first-use
              multipeer chat desk.local:4711 --trust-on-first-use --save ~/Downloads
            """)

    @Argument(
        help: ArgumentHelp(
            "Peers to invite: those nearby that run multipeer chat --visible, each by its name or by the beginning of its tag or key (multipeer nearby). And HOST:PORT, [IPv6]:PORT or unix:PATH of a member of the chat to join. Without any, a new chat begins.",
            valueName: "name"),
        completion: .knownPeerOrAddress,
        transform: PeerArgument.parse)
    var peers: [PeerArgument] = []

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

    @Flag(help: "Let peers nearby find this one by its name, and invite it.")
    var visible = false

    @Option(
        help: ArgumentHelp(
            "With --visible, where to listen for those who find this one (default: everywhere, at a port of the system's choice).",
            valueName: "address"),
        transform: Arguments.endpoint)
    var listenNearby: Endpoint?

    @Option(
        help:
            "Accept all invitations, and invite each peer that asks for it, if it is trusted; ask for each, to be answered by /accept NAME or /decline NAME; or none (default: ask with --visible, otherwise none)."
    )
    var accept: ChatAcceptance?

    @Option(
        help: ArgumentHelp(
            "Keep the chat under this name beside the identity: a later run with it is the same member again.",
            valueName: "name"))
    var keep: String?

    @Flag(
        help:
            "Stay at the end of standard input, until SIGINT or SIGTERM, and call an address again where nobody listens yet."
    )
    var stay = false

    @Option(
        help: ArgumentHelp("How long to look for peers nearby (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @OptionGroup var finding: DiscoveryOptions
    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard addresses.count <= 1 else {
            throw ValidationError("Only one chat can be joined: --invite ADDRESS invites the others.")
        }
        guard visible || listenNearby == nil else { throw ValidationError("--listen-nearby requires --visible.") }
        guard !visible || accept != ChatAcceptance.none else {
            throw ValidationError("--visible requires --accept ask or --accept all.")
        }
    }

    /// The addresses among the arguments.
    private var addresses: [Endpoint] {
        peers.compactMap { if case .address(let endpoint) = $0 { endpoint } else { nil } }
    }

    /// The names among the arguments.
    private var names: [String] {
        peers.compactMap { if case .nearby(let name) = $0 { name } else { nil } }
    }

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
        let prepared = try session.prepare(expecting: nil, isNearby: visible || !names.isEmpty, output: output)
        let peer = try await peer(prepared, output)
        let chat = try await session(of: peer, prepared, output)
        let run = ChatRun(
            session: chat, inbox: prepared.inbox, policy: prepared.policy, output: output,
            encryption: prepared.terms.encryption, acceptance: accept ?? (visible ? .ask : .none), stays: stay)
        try await run.listen(at: listen, isEphemeral: prepared.identity.isEphemeral)
        let advertiser = visible ? try await run.advertise(by: finding, at: listenNearby) : nil
        async let events: Void = run.takeEvents()
        let command = self
        let connecting = Task { await command.connect(run) }
        interruption.whenTriggered { [isKept = keep != nil] in
            connecting.cancel()
            Task { isKept ? await peer.shutDown() : await chat.leave() }
        }
        let (unreached, failure) = await connecting.value
        // A person who interrupts a chat that is kept wants to come back to it.
        if failure != nil, interruption.status == nil { await chat.leave() }
        let input = failure == nil ? Task { await run.takeInput(leavesAtEnd: !stay) } : nil
        let calling = Task { await run.callAgain(unreached) }
        await events
        input?.cancel()
        calling.cancel()
        await calling.value
        await advertiser?.stop()
        await peer.shutDown()
        if let status = interruption.status { return status }
        if let failure { throw failure }
        return .done
    }

    /// Joins and invites. Returns the addresses to call again, and why nobody could be connected.
    private func connect(_ run: ChatRun) async -> (unreached: [ChatRun.Call], failure: CommandFailure?) {
        let calls =
            addresses.map { ChatRun.Call(endpoint: $0, joins: true) }
            + invite.map { ChatRun.Call(endpoint: $0, joins: false) }
        do throws(CommandFailure) {
            let unreached = try await run.connect(calls)
            try await run.invite(names, within: within, by: finding)
            return (unreached, nil)
        } catch {
            return ([], error)
        }
    }

    private func session(
        of peer: Peer, _ prepared: PreparedSession, _ output: Output
    ) async throws(CommandFailure) -> Multipeer.Session {
        let trust = Trust.validator(RefusalTelling(base: prepared.validator, output: output))
        let (encryption, certificate) = (prepared.terms.encryption, prepared.terms.certificate)
        guard let keep else {
            return Multipeer.Session(of: peer, trust: trust, encryption: encryption, certificate: certificate)
        }
        do throws(MultipeerError) {
            return try await Multipeer.Session(
                of: peer, restoringAs: keep, trust: trust, encryption: encryption, certificate: certificate)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func peer(_ prepared: PreparedSession, _ output: Output) async throws(CommandFailure) -> Peer {
        let name = prepared.identity.name.description
        var options = PeerOptions()
        options.stallTimeout = prepared.stallTimeout
        // A line waits until each member has room for it: one that takes nothing must not silence the others for ever.
        options.countsCreditAsStall = true
        options.trace = trace(output)
        let store = PeerStore(directory: try session.store.open().directory)
        do throws(MultipeerError) {
            if prepared.identity.isEphemeral {
                return try await Peer.temporary(named: name, options: options)
            }
            return try await Peer.load(named: name, from: store, options: options)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// With `--trace`, the records of all links, each by the number of its link.
    private func trace(_ output: Output) -> RecordTrace? {
        guard session.trace else { return nil }
        return { (link, entry) in
            output.note { TraceText.lines(entry, link: "[\(link.rawValue)] ", $0) }
            await output.waitForRoom()
        }
    }
}
