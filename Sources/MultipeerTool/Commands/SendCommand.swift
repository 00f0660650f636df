import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// `multipeer send`
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send files, folders and a text to a peer nearby that runs multipeer receive.",
        discussion: """
            Finds peers nearby, and lets you choose, or takes the one that --to names. A name that is remembered means the \
            remembered key; for a new name it first makes sure, in two seconds, that only one peer has it. A peer that is new is \
            remembered by its key, and a peer of its name with another key is refused. The part of a file that the peer holds \
            already is not sent again. After a lost connection the command tries again. Standard input (-) is first written to a \
            file in $XDG_CACHE_HOME/multipeer or ~/.cache/multipeer, because the peer needs the size before it takes anything, and removed at the end.

            Examples:
              multipeer send holiday.jpg --to Ben
              multipeer send photos letter.txt
              multipeer send plan.pdf --to Ben --to Cleo
              multipeer send letter.txt --to 192.168.7.20:4711
              multipeer send letter.txt --code 4-tulip-orbit
              multipeer send letter.txt --show-code
              multipeer send --text https://example.org/map --to Ben
            """)

    @Argument(help: "Files and folders; - is standard input, as a file.", completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "A text for the remote person, such as a link; - is standard input.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp("The name of standard input at the receiver (default: stdin).", valueName: "name"),
        transform: Arguments.fileName)
    var fileName: String?

    @Option(
        help: ArgumentHelp(
            "The receiver: its name, its key, the beginning of its tag (multipeer nearby) or of a known key, or HOST:PORT. Repeatable: each gets all.",
            valueName: "peer"),
        completion: .knownPeerOrAddress, transform: PeerArgument.parse)
    var to: [PeerArgument] = []

    @Option(
        help: ArgumentHelp(
            "The code that the receiver shows (multipeer receive --code), or the link of its QR code.",
            valueName: "code"),
        transform: CodeArgument.parse)
    var code: CodeArgument?

    @Flag(
        help: "Show a code for the receiver to type (multipeer receive CODE), in place of looking for a peer.")
    var showCode = false

    @Flag(help: "With --show-code, show the code as a QR code as well.")
    var qr = false

    @Option(
        help: ArgumentHelp(
            "With --show-code, where to listen: HOST:PORT or [IPv6]:PORT (default: everywhere, at a port of the system's choice).",
            valueName: "address"),
        transform: Arguments.endpoint)
    var listen: Endpoint?

    @Option(
        help: ArgumentHelp("How long to look for the peer (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @Option(
        help: ArgumentHelp(
            "How long to try again when the connection is lost (default: 120; 0: not at all).", valueName: "seconds"),
        transform: Arguments.retry)
    var retry: Duration = .seconds(120)

    @Flag(help: "Send nothing if something in a folder cannot be sent, such as a symbolic link.")
    var strict = false

    @OptionGroup var stall: StallOptions
    @OptionGroup var nearby: NearbyOptions

    private static let standardInput = "-"
    /// What standard input is called where nobody says a name.
    private static let inputName = "stdin"

    func validate() throws {
        guard !paths.isEmpty || text != nil else { throw ValidationError("Say what to send: a path, or --text TEXT.") }
        guard text != "" else { throw ValidationError("The text is empty.") }
        let files = paths.count { $0 == Self.standardInput }
        let inputs = files + (text == Self.standardInput ? 1 : 0)
        guard inputs <= 1 else { throw ValidationError("Standard input can be sent only once.") }
        guard files == 1 || fileName == nil else { throw ValidationError("--file-name requires the path -.") }
        // A person who types an answer cannot type a file.
        guard inputs == 0 || !to.isEmpty || code != nil || showCode else {
            throw ValidationError("Standard input requires --to, --code or --show-code.")
        }
        guard !showCode || to.isEmpty && code == nil else {
            throw ValidationError("--show-code sends to the peer that types the code: leave out --to and --code.")
        }
        guard !qr && listen == nil || showCode else {
            throw ValidationError("--qr and --listen require --show-code.")
        }
        guard to.count <= 1 || code == nil else { throw ValidationError("A code is that of one peer: give --to once.") }
        if case .link = code, !to.isEmpty { throw ValidationError("A link names the receiver: leave out --to.") }
    }

    func run() async throws {
        let command = self
        try await nearby.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.send(output)
        }
    }

    private func send(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let (interruption, chance) = (Interruption(), LastChance())
        let watch = interruption.watch(output, chance)
        defer { withExtendedLifetime(watch) {} }
        try await check()
        let input = try await spool(interruption)
        defer { input?.remove() }
        if let status = interruption.status { return status }
        let content = try message(input)
        let command = self
        return try await nearby.serve(
            interruption, stallTimeout: stall.stallTimeout, countsCredit: true, isTriedAgain: retry > .zero
        ) {
            await command.failure(input, content, from: $0, chance, output)
        }
    }

    /// Reads standard input, if it is to be sent. Returns nil if it is not, and if somebody interrupts the command.
    private func spool(_ interruption: Interruption) async throws(CommandFailure) -> SpooledInput? {
        guard paths.contains(Self.standardInput) || text == Self.standardInput else { return nil }
        let name = fileName ?? Self.inputName
        let reading = Task { () async -> Result<SpooledInput?, CommandFailure> in
            do throws(CommandFailure) { return .success(try await SpooledInput.read(as: name)) } catch {
                return .failure(error)
            }
        }
        interruption.whenTriggered { reading.cancel() }
        return try await reading.value.get()
    }

    /// The most bytes of a text; each peer says how many it takes.
    private static let longestText = 16_777_216

    /// The text as it is sent: of standard input without the end of its last line.
    private func message(_ input: SpooledInput?) throws(CommandFailure) -> [UInt8]? {
        guard text == Self.standardInput, let path = input?.path else { return text.map { Array($0.utf8) } }
        var bytes: [UInt8]
        do throws(WholeInput.Failure) {
            bytes = try WholeInput.read(path, maximumLength: Self.longestText)
        } catch {
            throw CommandFailure(reading: Self.standardInput, error)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            throw CommandFailure("text", "standard input is empty", remedy: "Give it a text", .input)
        }
        return bytes
    }

    private func failure(
        _ input: SpooledInput?, _ content: [UInt8]?, from peer: Peer, _ chance: LastChance, _ output: Output
    ) async -> CommandFailure? {
        do throws(CommandFailure) {
            try await nearby.finding.look(as: peer) { browser throws(CommandFailure) in
                try await send(input, content, from: peer, browser, chance, output)
            }
            return nil
        } catch {
            return error
        }
    }

    /// A wrong path is reported before anybody is looked for.
    private func check() async throws(CommandFailure) {
        for path in paths where path != Self.standardInput {
            let file: OutgoingFile
            do throws(StorageError) {
                file = try await OutgoingFile.open(path)
            } catch {
                throw CommandFailure(error)
            }
            if strict, file.omitted.count > 0 { throw .leavesOut(file.omitted, of: path) }
        }
    }

    private func send(
        _ input: SpooledInput?, _ content: [UInt8]?, from peer: Peer, _ browser: Browser, _ chance: LastChance,
        _ output: Output
    ) async throws(CommandFailure) {
        let picker = PeerPicker(browser: browser, output: output, patience: within, purpose: .send)
        let run = { @Sendable (target: RemotePeer?) in
            SendRun(
                peer: peer, browser: browser, picker: picker, code: code, name: to.first, target: target, retry: retry,
                chance: chance, output: output)
        }
        let items = paths.map { path in
            guard path == Self.standardInput, let input else { return SendRun.Item(path: path, argument: path) }
            return SendRun.Item(path: input.path, argument: fileName ?? Self.inputName)
        }
        let failure =
            showCode
            ? try await sendByCode(items, content, from: peer, run(nil), output)
            : to.count > 1
                ? await SendRuns(recipients: to, picker: picker, output: output, run: run).run(items, text: content)
                : await run(nil).run(items, text: content)
        if let failure { throw failure }
    }

    /// Shows a code, and sends to the peer at which it is typed.
    private func sendByCode(
        _ items: [SendRun.Item], _ text: [UInt8]?, from peer: Peer, _ run: SendRun, _ output: Output
    ) async throws(CommandFailure) -> CommandFailure? {
        let advertiser = Advertiser(
            of: peer, for: nearby.service, at: listen, encryption: .required, by: try nearby.start())
        try await advertiser.begin(telling: output, at: listen, by: nearby.finding)
        let screen = CodeScreen(of: peer, on: advertiser, showsQRCode: qr, prompter: Prompter(), output: output)
        let run = CodeSendRun(peer: peer, advertiser: advertiser, screen: screen, run: run, output: output)
        let failure = await run.run(items, text: text)
        await advertiser.stop()
        return failure
    }
}

extension CommandFailure {
    /// A peer could not be connected at an address that the person has named.
    init(_ error: MultipeerError, at endpoint: Endpoint) {
        if case .unreachable(let error) = error.cause {
            self.init(error, endpoint: endpoint, canWaitLonger: false)
        } else {
            let place = endpoint.description
            self.init(error, named: "the peer at \(SafeText.escape(place))", at: [place])
        }
    }

    /// A peer that was found could not be connected.
    init(_ error: MultipeerError, nearby peer: NearbyPeer, _ policy: TrustPolicy? = nil) {
        self.init(error, named: peer.name, at: peer.addresses.map(\.description), policy)
    }

    /// A peer could not be connected at addresses at which it says that it is.
    /// - Parameter policy: The peers that the local peer trusts, where options say so.
    init(_ error: MultipeerError, named name: String, at addresses: [String], _ policy: TrustPolicy? = nil) {
        switch error.cause {
        case .link(let failure):
            let hint =
                policy.map { Hints.remedy(failure, nil, $0, for: .chat) }
                ?? Hints.remedy(failure, nil, .nobody, for: .nearby)
            self.init(failure, hint: hint)
        case .unreachable:
            self.init(
                "connection",
                "\(name) is nearby, but does not answer at \(addresses.joined(separator: ", "))",
                remedy: "Check the peer's firewall: it must let TCP connections in", .unreachable)
        case .closed:
            self.init(
                "invitation", "\(name) does not let you in", remedy: "Ask the remote person",
                .refused)
        case .otherName(let peer):
            self.init(
                "identity",
                "the peer that is advertised as \(name) calls itself \(SafeText.escape(peer.shownName)), and has the key "
                    + "\(peer.key)",
                remedy: "If it is the one that you mean, look for it by the digits of its tag (multipeer nearby)",
                .refused)
        case .request(.codeUsed):
            self.init(
                "code", "this code has been tried already", remedy: "Have the peer show a new one", .refused)
        default:
            self.init("invitation", SafeText.escape(error.reason), remedy: error.remedy, error.code.status)
        }
    }
}
