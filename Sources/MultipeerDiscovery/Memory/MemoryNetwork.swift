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
        /// What is still to be reported, in order, and whether a thread is reporting it.
        var deliveries: [Delivery] = []
        var isDelivering = false

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func tell(_ event: ServiceEvent?, of type: ServiceType) {
            guard let event else { return }
            for (number, watcher) in watchers.sorted(by: { $0.key < $1.key }) where watcher.type == type {
                deliveries.append(.event(event, to: number))
            }
        }
    }

    enum Delivery {
        case event(ServiceEvent, to: UInt64)
        /// Somebody waits until all that is before it has been reported.
        case end(CheckedContinuation<Void, Never>)
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
        let published: (number: UInt64, name: String)? = await change { state in
            var name = advertisement.instanceName
            let taken = Set(state.services.values.filter { $0.type == type }.map(\.instanceName))
            while taken.contains(name.text) { guard name.next() else { return nil } }
            let number = state.nextNumber()
            let service = Service(type: type, port: port, instanceName: name.text, advertisement: advertisement)
            state.services[number] = service
            state.tell(service.found.map(ServiceEvent.found), of: type)
            return (number, name.text)
        }
        guard let published else { throw .nameTaken }
        return MemoryPublication(self, published.number, published.name)
    }

    public func browse(
        for type: ServiceType, _ onEvent: @escaping @Sendable (ServiceEvent) -> Void
    ) async throws(DiscoveryError) -> any Browsing {
        let number = await change { state in
            let number = state.nextNumber()
            state.watchers[number] = Watcher(type: type, onEvent: onEvent)
            for service in state.services.sorted(by: { $0.key < $1.key }).map(\.value) where service.type == type {
                if let found = service.found { state.deliveries.append(.event(.found(found), to: number)) }
            }
            state.deliveries.append(.event(.settled, to: number))
            return number
        }
        return MemoryBrowsing(self, number)
    }

    func update(_ number: UInt64, _ advertisement: Advertisement) async throws(DiscoveryError) {
        let isThere = await change { state in
            state.services[number]?.advertisement = advertisement
            guard let service = state.services[number] else { return false }
            state.tell(service.found.map(ServiceEvent.found), of: service.type)
            return true
        }
        guard isThere else { throw .stopped }
    }

    /// Ends a search or a service. Others may hear of it later.
    func remove(_ number: UInt64) {
        // Outside of the lock, because nobody knows what goes with the closure.
        let removed = state.withLock { $0.remove(number) }
        deliver()
        withExtendedLifetime(removed) {}
    }

    /// Ends a search or a service. Everybody has heard of it when this returns.
    func end(_ number: UInt64) async {
        let removed = await change { $0.remove(number) }
        withExtendedLifetime(removed) {}
    }

    // MARK: Telling

    /// Does something, and returns when all have heard of it.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) async -> Result {
        let result = state.withLock { body(&$0) }
        await withCheckedContinuation { continuation in
            state.withLock { $0.deliveries.append(.end(continuation)) }
            deliver()
        }
        return result
    }

    /// Reports what is to be reported, without the lock: a receiver may be gone afterwards, and its end come back here.
    /// One thread at a time reports, so that the order is kept, and it reports what others add meanwhile.
    private func deliver() {
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while let (delivery, watcher) = nextDelivery() {
            switch delivery {
            case .event(let event, _): watcher?.onEvent(event)
            case .end(let continuation): continuation.resume()
            }
        }
    }

    private func nextDelivery() -> (Delivery, Watcher?)? {
        state.withLock { state in
            guard !state.deliveries.isEmpty else {
                state.isDelivering = false
                return nil
            }
            let delivery = state.deliveries.removeFirst()
            guard case .event(_, let number) = delivery else { return (delivery, nil) }
            // A search that has ended meanwhile hears nothing more.
            return (delivery, state.watchers[number])
        }
    }
}

extension MemoryNetwork.State {
    /// Returns what is to be released.
    fileprivate mutating func remove(_ number: UInt64) -> MemoryNetwork.Watcher? {
        let watcher = watchers.removeValue(forKey: number)
        if let service = services.removeValue(forKey: number) { tell(.lost(service.id), of: service.type) }
        return watcher
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
        try await network.update(number, advertisement)
    }

    func stop() async { await network.end(number) }
}

private final class MemoryBrowsing: Browsing {
    private let network: MemoryNetwork
    private let number: UInt64

    init(_ network: MemoryNetwork, _ number: UInt64) {
        self.network = network
        self.number = number
    }

    deinit { network.remove(number) }

    func stop() async { await network.end(number) }
}
