import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery

/// `multipeer pair`
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Verify the key of a peer nearby: one peer shows a code, and the other one types it.",
        usage: "multipeer pair [<code>] [<options>]",
        discussion: """
            Without a code it shows one, and ends when the peer has typed it. Both peers remember the other one's key as \
            verified. A code is good for ten minutes and one try; a wrong guess uses it up. At a terminal it then asks whether to \
            show a new one.

            Examples:
              multipeer pair
              multipeer pair 4-tulip-orbit
            """)

    @Argument(
        help: ArgumentHelp("The code that the peer shows, or the link of its QR code.", valueName: "code"),
        transform: CodeArgument.parse)
    var code: CodeArgument?

    @Flag(help: "Show the code as a QR code as well.")
    var qr = false

    @Option(
        help: ArgumentHelp("How long to look for the peer (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @OptionGroup var nearby: NearbyOptions

    func validate() throws {
        if case .link(let link) = code, link.code == nil {
            throw ValidationError("The link has no code. Have the peer show one: multipeer pair --qr")
        }
    }

    func run() async throws {
        let command = self
        try await nearby.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.nearby.serve(output) { await command.failure($0, output) }
        }
    }

    private func failure(_ peer: Peer, _ output: Output) async -> CommandFailure? {
        do throws(CommandFailure) {
            if let code { try await type(code, peer, output) } else { try await show(peer, output) }
            return nil
        } catch {
            return error
        }
    }

    // MARK: Both peers

    private func show(_ peer: Peer, _ output: Output) async throws(CommandFailure) {
        let advertiser = Advertiser(of: peer, for: nearby.service, by: try nearby.start())
        try await advertiser.begin(telling: output, by: nearby.finding)
        let declining = Task { for await incoming in advertiser.invitations { incoming.decline() } }
        defer { declining.cancel() }
        let screen = CodeScreen(
            of: peer, on: advertiser, showsQRCode: qr, prompter: Prompter(), output: output)
        let outcome: CodeOutcome?
        do throws(CommandFailure) {
            outcome = try await screen.run()
        } catch {
            await advertiser.stop()
            throw error
        }
        await advertiser.stop()
        guard case .verified = outcome else { throw .wrongCode }
    }

    private func type(_ argument: CodeArgument, _ peer: Peer, _ output: Output) async throws(CommandFailure) {
        guard let code = argument.code else { return }
        try await nearby.finding.look(as: peer) { browser throws(CommandFailure) in
            let picker = PeerPicker(browser: browser, output: output, patience: within, purpose: .pair)
            let remote = try await RemotePeer.find(argument, named: nil, by: picker)
            do throws(MultipeerError) {
                output.report(CodeReport.paired(try await remote.pair(peer, by: code)))
            } catch {
                throw remote.failure(error)
            }
        }
    }
}
