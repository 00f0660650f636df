import ArgumentParser
import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerStorage

/// The options of the commands that find peers nearby.
struct NearbyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What peers advertise: 1 to 15 of a–z, 0–9 and hyphen.", valueName: "label"),
        transform: NearbyOptions.service)
    var service = ServiceType.multipeer

    @Option(
        help: ArgumentHelp(
            "Use this interface only. Repeatable (default: $MULTIPEER_INTERFACE, or all).", valueName: "name"),
        completion: .networkInterface)
    var interface: [String] = []

    @Option(help: "What finds and advertises: the Avahi daemon, a responder in this process, or whichever there is.")
    var discovery = DiscoveryArgument.auto

    @Option(
        help: ArgumentHelp("The name to show instead of the identity's.", valueName: "name"),
        transform: Arguments.displayName)
    var name: DisplayName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: PeerOutputOptions

    @Sendable private static func service(_ text: String) throws -> ServiceType {
        do throws(ServiceTypeError) {
            return try ServiceType(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Begins discovery.
    func start() throws(CommandFailure) -> AvahiDiscovery {
        let interfaces = InterfaceSelection(asked: interface)
        do throws(DiscoveryError) {
            return switch discovery {
            case .auto: try .standard(on: interfaces)
            case .daemon: try .daemon(on: interfaces)
            case .embedded: try .embedded(on: interfaces)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// This side. An identity is created if there is none: others are to recognise it the next time.
    func peer() async throws(CommandFailure) -> Peer {
        let store = PeerStore(directory: try store.open().directory)
        do throws(PeerError) {
            return try await Peer.load(named: name?.description, from: store)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension NearbyOptions {
    /// Runs something as this side until it ends, or until a signal cancels it. It returns why it failed, if it did.
    func serve(
        _ output: Output, _ body: @escaping @Sendable (Peer) async -> CommandFailure?
    ) async throws(CommandFailure) -> ExitStatus {
        let peer = try await peer()
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
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
        do throws(DiscoveryError) {
            try await start()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension InterfaceSelection {
    /// Creates what `--interface` asks for, or `MULTIPEER_INTERFACE` without it.
    init(asked names: [String]) {
        self = names.isEmpty ? .standard() : .only(names)
    }
}

/// `--discovery`
enum DiscoveryArgument: String, ExpressibleByArgument, CaseIterable {
    case auto, daemon, embedded
}

extension CommandFailure {
    init(_ error: DiscoveryError) {
        let status: ExitStatus =
            switch error {
            case .unknownInterface: .usage
            case .nameTaken: .refused
            default: .system
            }
        self.init("discovery", SafeText.escape(error.reason), remedy: error.remedy, status)
    }

    init(_ error: AdvertiserError) {
        switch error {
        case .discovery(let error): self.init(error)
        case .listening(.bind(let error)): self.init(error, endpoint: .tcp(host: "::", port: 0))
        case .listening(let error): self.init("listening", "\(error)", remedy: "Give another address", .system)
        }
    }
}
