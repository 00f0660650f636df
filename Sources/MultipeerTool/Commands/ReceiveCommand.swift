import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerDiscovery
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// `multipeer receive`
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Let peers nearby send files, folders and texts to this one.",
        discussion: """
            Says who wants to send what, and whether that peer was met before, and asks once about all that a sender offers at a \
            time. For a peer that was met before, the answer "always" takes all that it sends from now on; "multipeer peers ask" takes \
            that back. Texts are shown. Nothing is overwritten. A sender is remembered once something from it was taken. Serves until \
            SIGINT or SIGTERM, or with \
            --once until one sender is done.

            Examples:
              multipeer receive --name Ben --dir ~/Downloads
              multipeer receive --accept known --dir ~/Downloads --json
              multipeer receive --code
              multipeer receive 4-tulip-orbit
            """)

    @Argument(
        help: ArgumentHelp(
            "The code that the sender shows (multipeer send --show-code), or its link. Its files are taken without a question, and nobody else's.",
            valueName: "code"),
        transform: CodeArgument.parse)
    var typedCode: CodeArgument?

    @Option(help: ArgumentHelp("Where files go.", valueName: "dir"), completion: .directory)
    var dir = "."

    @Option(help: "Ask about all files, take those of peers that were met before and ask about others, or take all.")
    var accept = ReceiveAcceptance.ask

    @Option(
        help: ArgumentHelp("How long a question waits for the answer (default: 60).", valueName: "seconds"),
        transform: Arguments.timeout)
    var answerWithin: Duration = .seconds(60)

    @Flag(help: "End when one sender is done.")
    var once = false

    @Flag(
        help: ArgumentHelp(
            "Show a code for somebody to type (multipeer send --code). Files of the peer that types it are taken without a question.",
            discussion:
                "After a wrong code it asks at the terminal whether to show a new one. Otherwise it continues without a code, or ends with --once."
        ))
    var code = false

    @Flag(help: "Show the code as a QR code as well.")
    var qr = false

    @Flag(help: "Show neither name nor key to the network.")
    var anonymous = false

    @Option(
        help: ArgumentHelp(
            "Where to listen: HOST:PORT or [IPv6]:PORT (default: everywhere, at a port of the system's choice).",
            valueName: "address"),
        transform: Arguments.endpoint)
    var listen: Endpoint?

    @Option(
        help: ArgumentHelp("With a typed code, how long to look for the sender (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @OptionGroup var stall: StallOptions
    @OptionGroup var nearby: NearbyOptions

    func validate() throws {
        guard typedCode == nil || !code && !qr && !anonymous && listen == nil else {
            throw ValidationError(
                "With a typed code this command waits for nobody: leave out --code, --qr, --anonymous and --listen.")
        }
        if case .link(let link) = typedCode, link.code == nil {
            throw ValidationError("The link has no code. Have the sender show one: multipeer send --show-code")
        }
    }

    func run() async throws {
        let command = self
        try await nearby.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.receive(output)
        }
    }

    private func receive(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        do throws(StorageError) {
            let inbox = try await DownloadDirectory.open(dir)
            if let text = inbox.abandonedText { output.warn(text) }
        } catch {
            throw CommandFailure(error)
        }
        if let typedCode { return try await receive(by: typedCode, interruption, output) }
        let peer = try await nearby.peer(stallTimeout: stall.stallTimeout)
        let known = TentativeKnownPeers(KnownPeersFile(path: try nearby.store.open().knownPeersPath))
        let advertiser = Advertiser(
            of: peer, for: nearby.service, privately: anonymous, at: listen, encryption: .required,
            by: try nearby.start())
        try await advertiser.begin(
            telling: output, at: listen, by: nearby.finding, remoteCommand: "multipeer send PATH --to")
        let prompter = Prompter(patience: answerWithin)
        let screen =
            code || qr
            ? CodeScreen(of: peer, on: advertiser, showsQRCode: qr, prompter: prompter, output: output) : nil
        let run = ReceiveRun(
            peer: peer, known: known, always: try nearby.store.open().alwaysTaken, directory: dir, acceptance: accept,
            isOnce: once, codes: screen,
            prompter: prompter, output: output)
        let serving = Task { await run.run(advertiser) }
        interruption.whenTriggered { serving.cancel() }
        let showing = Task { () async -> CommandFailure? in
            guard let screen else { return nil }
            do throws(CommandFailure) {
                guard case .wrong = try await screen.run() else { return nil }
                guard once else {
                    output.warn("no code is shown any more; begin again to show a new one")
                    return nil
                }
                serving.cancel()
                return .wrongCode
            } catch {
                serving.cancel()
                return error
            }
        }
        let received = await serving.value
        showing.cancel()
        let failure = await showing.value ?? received
        await advertiser.stop()
        await peer.shutDown()
        if let status = interruption.status { return once ? status : status == .outputClosed ? status : .done }
        if let failure {
            output.fail(failure, link: nil)
            return failure.status
        }
        return .done
    }
}

extension ReceiveCommand {
    /// Takes the files of the peer that shows a code.
    private func receive(
        by code: CodeArgument, _ interruption: Interruption, _ output: Output
    ) async throws(CommandFailure) -> ExitStatus {
        let known = TentativeKnownPeers(KnownPeersFile(path: try nearby.store.open().knownPeersPath))
        let always = try nearby.store.open().alwaysTaken
        let command = self
        return try await nearby.serve(interruption, stallTimeout: stall.stallTimeout) { peer in
            let run = ReceiveRun(
                peer: peer, known: known, always: always, directory: command.dir, acceptance: command.accept,
                isOnce: true, codes: nil,
                prompter: Prompter(patience: command.answerWithin), output: output)
            var failure: CommandFailure?
            do throws(CommandFailure) {
                try await command.nearby.finding.look(as: peer) { browser throws(CommandFailure) in
                    let picker = PeerPicker(
                        browser: browser, output: output, patience: command.within, purpose: .receive)
                    failure = await CodeReceiveRun(
                        code: code, picker: picker, browser: browser, run: run, output: output
                    ).run()
                }
                return failure
            } catch {
                return error
            }
        }
    }
}

extension ReceiveAcceptance: ExpressibleByArgument {}
