import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerDiscovery
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// `multipeer send`
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send files and folders to a peer nearby that runs multipeer receive.",
        discussion: """
            Finds who is nearby, and lets one choose, or takes the one that --to names. A peer that is new is remembered by \
            its key, and whoever comes under its name with another key is refused. What the peer holds of a file already is \
            not sent again.

            Examples:
              multipeer send holiday.jpg --to Ben
              multipeer send photos letter.txt
            """)

    @Argument(help: "Files and folders.", completion: .file())
    var paths: [String]

    @Option(
        help: ArgumentHelp(
            "To whom: its name, or the beginning of its tag or key (multipeer nearby).", valueName: "peer"),
        completion: .knownPeer)
    var to: String?

    @Option(
        help: ArgumentHelp("How long to look for the peer (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @OptionGroup var nearby: NearbyOptions

    func run() async throws {
        let command = self
        try await nearby.output.run(servesLinks: true) { output throws(CommandFailure) in
            try await command.send(output)
        }
    }

    private func send(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        try await Self.check(paths)
        let peer = try await nearby.peer()
        let browser = Browser(of: peer, for: nearby.service, by: try nearby.start())
        do throws(DiscoveryError) {
            try await browser.start()
        } catch {
            throw CommandFailure(error)
        }
        let command = self
        let sending = Task { await command.failure(from: peer, browser, output) }
        interruption.whenTriggered { sending.cancel() }
        let failure = await sending.value
        await browser.stop()
        await peer.shutDown()
        if let status = interruption.status { return status }
        if let failure { throw failure }
        return .done
    }

    private func failure(from peer: Peer, _ browser: Browser, _ output: Output) async -> CommandFailure? {
        do throws(CommandFailure) {
            try await send(from: peer, browser, output)
            return nil
        } catch {
            return error
        }
    }

    /// A wrong path is reported before anybody is looked for.
    private static func check(_ paths: [String]) async throws(CommandFailure) {
        for path in paths {
            do throws(StorageError) {
                _ = try await OutgoingFile.open(path)
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    private func send(from peer: Peer, _ browser: Browser, _ output: Output) async throws(CommandFailure) {
        let picker = PeerPicker(browser: browser, output: output, patience: within)
        let target: NearbyPeer
        if let to { target = try await picker.find(PeerSearch(text: to)) } else { target = try await picker.choose() }
        let session = Multipeer.Session(of: peer)
        let events = Task { for await _ in session.events {} }
        defer { events.cancel() }
        let member: Member
        do throws(ConnectionError) {
            member = try await browser.invite(target, to: session)
        } catch {
            await session.leave()
            throw CommandFailure(error, nearby: target)
        }
        output.report(ChatEvent.connected(member))
        let failure = await send(to: member, session, output)
        await session.leave()
        if let failure { throw failure }
    }

    /// Sends all files at a time, and returns the first failure.
    private func send(to member: Member, _ session: Multipeer.Session, _ output: Output) async -> CommandFailure? {
        let bar = TransferBar(.sent, output)
        defer { bar.end() }
        return await withTaskGroup(of: CommandFailure?.self) { group in
            for path in paths {
                group.addTask {
                    await session.sendFile(path, to: member.id, telling: output, onEvent: { bar.show($0) })
                }
            }
            var first: CommandFailure?
            for await failure in group { first = first ?? failure }
            return first
        }
    }
}

extension CommandFailure {
    /// A peer that was found could not be connected.
    init(_ error: ConnectionError, nearby peer: NearbyPeer) {
        switch error {
        case .failed(let failure): self.init(failure, hint: nil)
        case .unreachable:
            self.init(
                "connection",
                "\(peer.name) is nearby, but does not answer at \(peer.addresses.joined(separator: ", "))",
                remedy: "Check the firewall of the other side: it must let TCP connections in", .unreachable)
        case .closed:
            self.init(
                "invitation", "\(peer.name) does not let this side in", remedy: "Ask the person at the other side",
                .refused)
        default:
            self.init("invitation", SafeText.escape("\(error)"), remedy: "Try again", .software)
        }
    }
}
