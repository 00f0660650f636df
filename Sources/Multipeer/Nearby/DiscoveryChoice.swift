import MultipeerDiscovery
import Synchronization

/// What an app has chosen for discovery, or what there is, which is looked for when it is needed.
final class DiscoveryChoice: Sendable {
    private let discovery: Mutex<(any ServiceDiscovery)?>

    init(_ discovery: (any ServiceDiscovery)?) { self.discovery = Mutex(discovery) }

    func get() throws(DiscoveryError) -> any ServiceDiscovery {
        if let discovery = discovery.withLock({ $0 }) { return discovery }
        let made = try AvahiDiscovery.standard(on: .standard())
        discovery.withLock { $0 = made }
        return made
    }
}
