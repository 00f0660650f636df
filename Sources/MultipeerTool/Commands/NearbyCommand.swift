import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerDiscovery
import MultipeerNIO
import MultipeerTerminal

/// `multipeer nearby`
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Show who is nearby: peers on the same network that advertise themselves.",
        usage: "multipeer nearby [<options>]",
        discussion: """
            For each peer: its name, a tag of its key, whether that key is new, known (it was met before) or verified (by a \
            code, or by people who have compared words), where it listens, and what its app says. None of it is proved before \
            the peer is connected. At a terminal it is a table that changes; elsewhere each change is a line. Ends by SIGINT \
            or SIGTERM, or after --seconds.

            Examples:
              multipeer nearby
              multipeer nearby --seconds 5 --json
            """)

    @Option(
        help: ArgumentHelp("Look for this long, and end.", valueName: "seconds"), transform: Arguments.timeout)
    var seconds: Duration?

    @Flag(help: "Let others see this peer meanwhile. Invitations are declined.")
    var visible = false

    @Flag(help: "With --visible, show neither name nor key.")
    var anonymous = false

    @OptionGroup var nearby: NearbyOptions

    func validate() throws {
        guard !anonymous || visible else { throw ValidationError("--anonymous requires --visible.") }
    }

    func run() async throws {
        let command = self
        try await nearby.output.run { output throws(CommandFailure) in try await command.look(output) }
    }

    private func look(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        let peer = try await nearby.peer()
        let discovery = try nearby.start()
        let advertiser = try await advertise(peer, discovery, output)
        let browser = Browser(of: peer, for: nearby.service, by: discovery)
        try await browser.begin()
        let telling = Task { [isVerbose = nearby.output.verbose] in
            if output.showsBars, output.screen.isOneTerminal {
                await Self.show(browser, NearbyTable(showsKeys: isVerbose), output)
            } else {
                await Self.tell(browser, output)
            }
        }
        interruption.whenTriggered { telling.cancel() }
        let clock = seconds.map { time in
            Task {
                try? await Task.sleep(for: time)
                telling.cancel()
            }
        }
        await telling.value
        clock?.cancel()
        await browser.stop()
        await advertiser?.stop()
        await peer.shutDown()
        // A person who looks for as long as they like has seen what they wanted.
        return interruption.status == .outputClosed ? .outputClosed : .done
    }

    private func advertise(
        _ peer: Peer, _ discovery: any ServiceDiscovery, _ output: Output
    ) async throws(CommandFailure) -> Advertiser? {
        guard visible else { return nil }
        let advertiser = Advertiser(of: peer, for: nearby.service, privately: anonymous, by: discovery)
        try await advertiser.begin(telling: output, by: nearby.finding)
        return advertiser
    }

    /// Redraws a table at the terminal, and leaves it there at the end.
    private static func show(_ browser: Browser, _ table: NearbyTable, _ output: Output) async {
        output.screen.show(list: table.lines([]))
        var peers: [NearbyPeer] = []
        for await event in browser.events {
            if case .failed(let error) = event { output.warn(SafeText.escape("\(error)")) }
            peers = browser.peers
            output.screen.show(list: table.lines(peers))
        }
        output.screen.show(list: [])
        for line in table.lines(peers) {
            let text = line.text(columns: output.screen.size.columns, output.screen.resultPalette)
            output.screen.printResult { Array((text + "\n").utf8) }
        }
    }

    private static func tell(_ browser: Browser, _ output: Output) async {
        for await event in browser.events {
            switch event {
            case .found(let peer): output.report(NearbyReport.found(peer))
            case .changed(let peer): output.report(NearbyReport.changed(peer))
            case .lost(let peer): output.report(NearbyReport.lost(peer))
            case .failed(let error): output.warn(SafeText.escape("\(error)"))
            }
        }
    }
}

extension Advertiser {
    /// Begins, and says under which name; and again, if that turns out to be taken. Without discovery it says where.
    /// - Parameters:
    ///   - place: Where the person wants it to listen.
    ///   - finding: Whether it is found.
    ///   - remoteCommand: What the remote person types before the address.
    func begin(
        telling output: Output, at place: Endpoint? = nil, by finding: DiscoveryOptions,
        remoteCommand: String? = nil
    ) async throws(CommandFailure) {
        let id = id
        whenRenamed { [weak self] name in
            guard case .tcp(_, let port) = self?.endpoint, let tag = self?.advertisedTag else { return }
            output.report(NearbyReport.advertised(name: name, id, tag: tag, port: port))
        }
        do throws(MultipeerError) {
            try await start()
        } catch {
            throw CommandFailure(error, listeningAt: place)
        }
        if finding.discovery == .none, let endpoint {
            let command = remoteCommand.map { words in
                { @Sendable (address: Endpoint) in "\(words) \(address.shellWord)" }
            }
            return output.report(ListeningEvent(endpoint, id, isEphemeral: false, remoteCommand: command))
        }
        guard let name = advertisedName, let tag = advertisedTag, case .tcp(_, let port) = endpoint else { return }
        output.report(NearbyReport.advertised(name: name, id, tag: tag, port: port))
    }
}
