internal import CAvahi
internal import MultipeerCrypto

/// One service that is advertised.
///
/// `@unchecked Sendable`: everything in it is used in the loop's thread.
@safe final class AvahiPublication: @unchecked Sendable {
    /// What the publisher waits for: the name of the service.
    typealias Outcome = Result<String, DiscoveryError>

    /// How long it takes to probe for a name, in milliseconds (RFC 6762 §8.1).
    private static let probing = 800

    private let type: String
    private let port: UInt16
    /// The interfaces, or `AVAHI_IF_UNSPEC`.
    private let interfaces: [Int32]
    /// The name of the host, where it is published with the service.
    private let host: String?
    private var advertisement: Advertisement
    private var name: InstanceName
    /// The addresses that are published.
    private var hostAddresses: [HostAddress] = []
    private var group: OpaquePointer?
    private weak var stack: (any AvahiStack)?
    private var outcome: Outcome?
    private var waiting: CheckedContinuation<Outcome, Never>?
    /// Told when the name has become another one.
    var onRename: (@Sendable (String) -> Void)?
    /// Grows with each time that something is registered, so that a late attempt is known.
    private var round = 0
    /// How many names in a row were taken.
    private var collisions = 0
    private weak var loop: AvahiLoop?

    init(
        _ advertisement: Advertisement, as type: ServiceType, port: UInt16, at interfaces: [Int32], host: String?,
        in loop: AvahiLoop?
    ) {
        self.loop = loop
        self.advertisement = advertisement
        self.type = type.dnsName
        self.port = port
        self.interfaces = interfaces
        self.host = host
        name = advertisement.instanceName
    }

    var instanceName: String { name.text }

    // MARK: The outcome

    func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        if let outcome { continuation.resume(returning: outcome) } else { waiting = continuation }
    }

    private func resolve(_ outcome: Outcome) {
        self.outcome = outcome
        waiting.take()?.resume(returning: outcome)
    }

    // MARK: Registering

    /// Begins, or begins anew after the daemon was away.
    func begin(by stack: any AvahiStack) {
        self.stack = stack
        register()
    }

    private func register() {
        guard let stack, stack.isRunning else { return }
        round += 1
        if unsafe group == nil { unsafe group = unsafe stack.makeGroup(for: self) }
        guard let group = unsafe group else { return resolve(.failure(DiscoveryError(avahi: stack.lastError))) }
        var error: Int32
        repeat { error = unsafe fill(group, stack) } while error == Int32(AVAHI_ERR_COLLISION) && name.next()
        if error != 0 { resolve(.failure(DiscoveryError(avahi: error))) }
    }

    /// Puts everything into the group, in place of what was in it.
    private func fill(_ group: OpaquePointer, _ stack: any AvahiStack) -> Int32 {
        unsafe stack.resetGroup(group)
        hostAddresses = host == nil ? [] : HostAddress.all(at: interfaces)
        if let host {
            for address in hostAddresses {
                let interface = Int32(clamping: address.interface)
                let error = unsafe stack.addAddress(address.address, of: host, at: interface, to: group)
                if error != 0, error != Int32(AVAHI_ERR_COLLISION) { return error }
            }
        }
        for interface in interfaces {
            let error = unsafe stack.addService(service, at: interface, to: group)
            if error != 0 { return error }
        }
        return unsafe stack.commit(group)
    }

    private var service: AvahiService {
        AvahiService(
            name: name.text, type: type, host: host, port: port, text: advertisement.strings(as: name.text))
    }

    /// The addresses of this host may be others than before.
    func interfacesMayHaveChanged() {
        guard host != nil, HostAddress.all(at: interfaces) != hostAddresses else { return }
        register()
    }

    func update(_ advertisement: Advertisement) throws(DiscoveryError) {
        let isSameName = advertisement.instanceName.text == self.advertisement.instanceName.text
        self.advertisement = advertisement
        guard let stack, let group = unsafe group else { return }
        guard isSameName else {
            name = advertisement.instanceName
            return register()
        }
        for interface in interfaces {
            let error = unsafe stack.updateText(of: service, at: interface, in: group)
            if error != 0 { throw DiscoveryError(avahi: error) }
        }
    }

    // MARK: Ending

    /// Withdraws the service for now: the host's name is not certain.
    func pause() {
        if let group = unsafe group { unsafe stack?.resetGroup(group) }
    }

    /// Avahi has freed everything with the connection to the daemon.
    func forget() {
        stack = nil
        unsafe group = nil
    }

    func end() {
        if let group = unsafe group { unsafe stack?.freeGroup(group) }
        forget()
        resolve(.failure(.stopped))
    }

    // MARK: Callbacks

    func groupTold(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: established()
        case AVAHI_ENTRY_GROUP_COLLISION:
            if name.next() { registerLater() } else { resolve(.failure(.nameTaken)) }
        case AVAHI_ENTRY_GROUP_FAILURE: resolve(.failure(DiscoveryError(avahi: stack?.lastError ?? 0)))
        default: break
        }
    }

    /// The name is certain, until networks meet or somebody takes it in spite of it.
    private func established() {
        collisions = 0
        let before = outcome
        resolve(.success(name.text))
        if case .success(let old) = before, old != name.text { onRename?(name.text) }
    }

    /// Tries the next name, at a time of its own.
    ///
    /// Avahi compares the records of two that probe for one name one by one, and not all of them at once (RFC 6762
    /// §8.2.1): the one can lose by its SRV, and the other by its TXT. Both would then try the next name in the same
    /// moment, and so on. The one that has sent its three probes before the other begins has the name, so each draws
    /// one of a few beginnings that lie so far apart, of more each time.
    private func registerLater() {
        collisions += 1
        if let group = unsafe group { unsafe stack?.resetGroup(group) }
        guard let loop else { return register() }
        let current = round
        let place = Int.random(in: 0..<(1 << min(collisions, 3)))
        loop.post(after: place * Self.probing) { [weak self] in
            guard let self, round == current else { return }
            register()
        }
    }

    /// What callbacks report to.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer?) -> AvahiPublication? {
        // SAFETY: a publication frees its group before it goes, so it is there.
        unsafe context.map { unsafe Unmanaged<AvahiPublication>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// An address that is published for this host.
private struct HostAddress: Hashable {
    let interface: UInt32
    let address: ServiceAddress

    /// Each interface publishes its own addresses alone.
    static func all(at interfaces: [Int32]) -> [HostAddress] {
        let isAll = interfaces == [Int32(AVAHI_IF_UNSPEC)]
        return NetworkInterface.all().filter { interface in
            interface.isUp && interface.carriesMulticast
                && (isAll || interfaces.contains(Int32(clamping: interface.index)))
        }.flatMap { interface in interface.addresses.map { HostAddress(interface: interface.index, address: $0) } }
    }
}
