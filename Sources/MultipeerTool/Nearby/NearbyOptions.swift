import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerStorage

/// The options of the commands that find peers nearby.
struct NearbyOptions: ParsableArguments {
    @OptionGroup var finding: DiscoveryOptions

    @Option(
        help: ArgumentHelp("The name to show instead of the identity's.", valueName: "name"),
        transform: Arguments.displayName)
    var name: DisplayName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: PeerOutputOptions

    /// What peers advertise.
    var service: ServiceType { finding.service }

    /// Begins discovery.
    func start() throws(CommandFailure) -> any ServiceDiscovery { try finding.start() }

    /// This side. An identity is created if there is none: others are to recognise it the next time.
    /// - Parameters:
    ///   - stallTimeout: How long a link may stand still while something waits for the other peer.
    ///   - countsCredit: Whether messages that the other peer's app does not take stand still.
    ///   - isTriedAgain: Whether a lost connection may come back. After a while the sender looks for the receiver anew, which must have room
    ///     for it then.
    func peer(
        stallTimeout: Duration = .seconds(60), countsCredit: Bool = false, isTriedAgain: Bool = true
    ) async throws(CommandFailure) -> Peer {
        let store = PeerStore(directory: try store.open().directory)
        var options = PeerOptions()
        options.stallTimeout = stallTimeout
        options.countsCreditAsStall = countsCredit
        options.grace = isTriedAgain ? .seconds(10) : .zero
        do throws(MultipeerError) {
            return try await Peer.load(named: name?.description, from: store, options: options)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension NearbyOptions {
    /// Runs something as the local peer until it ends, or until a signal cancels it. It returns why it failed, if it
    /// did.
    func serve(
        _ output: Output, _ body: @escaping @Sendable (Peer) async -> CommandFailure?
    ) async throws(CommandFailure) -> ExitStatus {
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        return try await serve(interruption, body)
    }

    /// The same, for a command that could be interrupted before.
    func serve(
        _ interruption: Interruption, stallTimeout: Duration = .seconds(60), countsCredit: Bool = false,
        isTriedAgain: Bool = true,
        _ body: @escaping @Sendable (Peer) async -> CommandFailure?
    ) async throws(CommandFailure) -> ExitStatus {
        let peer = try await peer(
            stallTimeout: stallTimeout, countsCredit: countsCredit, isTriedAgain: isTriedAgain)
        let running = Task { await body(peer) }
        interruption.whenTriggered { running.cancel() }
        let failure = await running.value
        await peer.shutDown()
        if let status = interruption.status { return status }
        if let failure { throw failure }
        return .done
    }
}

extension Browser {
    /// Begins to look.
    func begin() async throws(CommandFailure) {
        do throws(MultipeerError) {
            try await start()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    init(_ error: DiscoveryError) {
        let status: ExitStatus =
            switch error {
            case .unknownInterface: .usage
            case .nameTaken: .refused
            default: .system
            }
        self.init("discovery", SafeText.escape(error.reason), remedy: Self.remedy(error), status)
    }

    /// Remedies that name options.
    private static func remedy(_ error: DiscoveryError) -> String {
        switch error {
        case .noDaemon: "Start it (avahi-daemon), or have this process do the work: --discovery embedded"
        case .noNetwork: "End the program that keeps it for itself: multipeer doctor --only daemon names it"
        case .nameTaken: "Show another name: --name NAME"
        case .notPermitted:
            "Allow it in avahi-daemon.conf ([publish]), or have this process do the work: --discovery embedded"
        default: error.remedy
        }
    }

    /// - Parameter place: Where the person wants it to listen; nil for everywhere.
    init(_ error: MultipeerError, listeningAt place: Endpoint?) {
        if case .bind(let error) = error.cause {
            self.init(error, endpoint: place ?? .tcp(host: "::", port: 0))
        } else {
            self.init(error)
        }
    }
}
