public import MultipeerCrypto
internal import Synchronization

/// A network in the memory of this process, for tests of apps: what one object advertises, all browsers of the same object find.
///
/// All services are at 127.0.0.1.
public final class MemoryNetwork: ServiceDiscovery {
    struct State {
        var services: [UInt64: Service] = [:]
        var watchers: [UInt64: Watcher] = [:]
        var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    struct Service {
        let type: ServiceType
        let port: UInt16
        let instanceName: String
        var advertisement: Advertisement

        var found: FoundService? {
            ServiceAddress([127, 0, 0, 1], interface: 1).map { address in
                FoundService(
                    id: id, address: address, port: port, text: advertisement.strings(as: instanceName))
            }
        }

        var id: ServiceID { ServiceID(instanceName: instanceName, interface: 1, isIPv4: true) }
    }

    struct Watcher {
        let type: ServiceType
        let onEvent: @Sendable (ServiceEvent) -> Void
    }

    private let state = Mutex(State())

    /// Creates a network without services.
    public init() {}

    public func publish(
        _ advertisement: Advertisement, as type: ServiceType, port: UInt16
    ) async throws(DiscoveryError) -> any Publication {
        let published: (number: UInt64, name: String)? = state.withLock { state in
            var name = advertisement.instanceName
            let taken = Set(state.services.values.filter { $0.type == type }.map(\.instanceName))
            while taken.contains(name.text) { guard name.next() else { return nil } }
            let number = state.nextNumber()
            let service = Service(type: type, port: port, instanceName: name.text, advertisement: advertisement)
            state.services[number] = service
            Self.tell(service.found.map(ServiceEvent.found), of: type, state)
            return (number, name.text)
        }
        guard let published else { throw .nameTaken }
        return MemoryPublication(self, published.number, published.name)
    }

    public func browse(
        for type: ServiceType, _ onEvent: @escaping @Sendable (ServiceEvent) -> Void
    ) async throws(DiscoveryError) -> any Browsing {
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.watchers[number] = Watcher(type: type, onEvent: onEvent)
            for service in state.services.sorted(by: { $0.key < $1.key }).map(\.value) where service.type == type {
                if let found = service.found { onEvent(.found(found)) }
            }
            onEvent(.settled)
            return number
        }
        return MemoryBrowsing(self, number)
    }

    func update(_ number: UInt64, _ advertisement: Advertisement) throws(DiscoveryError) {
        let isThere = state.withLock { state in
            state.services[number]?.advertisement = advertisement
            guard let service = state.services[number] else { return false }
            Self.tell(service.found.map(ServiceEvent.found), of: service.type, state)
            return true
        }
        guard isThere else { throw .stopped }
    }

    func remove(_ number: UInt64) {
        state.withLock { state in
            state.watchers[number] = nil
            guard let service = state.services.removeValue(forKey: number) else { return }
            Self.tell(.lost(service.id), of: service.type, state)
        }
    }

    private static func tell(_ event: ServiceEvent?, of type: ServiceType, _ state: State) {
        guard let event else { return }
        for watcher in state.watchers.sorted(by: { $0.key < $1.key }).map(\.value) where watcher.type == type {
            watcher.onEvent(event)
        }
    }
}

private final class MemoryPublication: Publication {
    private let network: MemoryNetwork
    private let number: UInt64
    let instanceName: String

    init(_ network: MemoryNetwork, _ number: UInt64, _ instanceName: String) {
        self.network = network
        self.number = number
        self.instanceName = instanceName
    }

    deinit { network.remove(number) }

    func update(_ advertisement: Advertisement) async throws(DiscoveryError) {
        try network.update(number, advertisement)
    }

    func stop() async { network.remove(number) }
}

private final class MemoryBrowsing: Browsing {
    private let network: MemoryNetwork
    private let number: UInt64

    init(_ network: MemoryNetwork, _ number: UInt64) {
        self.network = network
        self.number = number
    }

    deinit { network.remove(number) }

    func stop() async { network.remove(number) }
}
