import MultipeerDiscovery
import MultipeerStorage
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What an app has chosen for discovery, or what there is, which is looked for when it is needed.
final class DiscoveryChoice: Sendable {
    private let discovery: Mutex<(any ServiceDiscovery)?>

    init(_ discovery: (any ServiceDiscovery)?) { self.discovery = Mutex(discovery) }

    func get() throws(DiscoveryError) -> any ServiceDiscovery {
        if let discovery = discovery.withLock({ $0 }) { return discovery }
        var environment: [String: String] = [:]
        if let text = unsafe getenv("MULTIPEER_INTERFACE") {
            environment["MULTIPEER_INTERFACE"] = unsafe String(cString: text)
        }
        let made = try AvahiDiscovery.standard(on: .standard(environment: environment))
        discovery.withLock { $0 = made }
        return made
    }
}
