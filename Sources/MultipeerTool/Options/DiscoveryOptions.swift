import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery

/// Options that say how peers nearby are found.
struct DiscoveryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What peers advertise: 1 to 15 of a–z, 0–9 and hyphen.", valueName: "label"),
        transform: DiscoveryOptions.service)
    var service = ServiceType.multipeer

    @Option(
        help: ArgumentHelp(
            "Use this interface only. Repeatable (default: $MULTIPEER_INTERFACE, or all).", valueName: "name"),
        completion: .networkInterface)
    var interface: [String] = []

    @Option(
        help:
            "What finds and advertises: the Avahi daemon, a responder in this process, whichever there is, or none where addresses are given."
    )
    var discovery = DiscoveryArgument.auto

    @Sendable private static func service(_ text: String) throws -> ServiceType {
        do throws(ServiceTypeError) {
            return try ServiceType(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Begins discovery.
    func start() throws(CommandFailure) -> any ServiceDiscovery {
        let interfaces = InterfaceSelection(asked: interface)
        do throws(DiscoveryError) {
            return switch discovery {
            case .auto: try AvahiDiscovery.standard(on: interfaces)
            case .daemon: try AvahiDiscovery.daemon(on: interfaces)
            case .embedded: try AvahiDiscovery.embedded(on: interfaces)
            // A network in which nobody else is.
            case .none: MemoryNetwork()
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Looks for peers while something is done.
    func look(
        as peer: Peer, _ body: (Browser) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let browser = Browser(of: peer, for: service, by: try start())
        try await browser.begin()
        do throws(CommandFailure) {
            try await body(browser)
        } catch {
            await browser.stop()
            throw error
        }
        await browser.stop()
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
    case auto, daemon, embedded, none
}
