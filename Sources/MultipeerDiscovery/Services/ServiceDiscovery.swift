public import MultipeerCrypto

/// A way to advertise services on a network and to find them: DNS-SD by Avahi, or a network of the memory for tests.
public protocol ServiceDiscovery: Sendable {
    /// Advertises a service, and returns when its name is certain. It is withdrawn by ``Publication/stop()``, or when nobody
    /// keeps the publication.
    /// - Parameters:
    ///   - advertisement: What is said of the peer.
    ///   - type: The service.
    ///   - port: Where the peer listens by TCP.
    /// - Throws: ``DiscoveryError``.
    func publish(
        _ advertisement: Advertisement, as type: ServiceType, port: UInt16
    ) async throws(DiscoveryError) -> any Publication

    /// Looks for services until the result is stopped, or nobody keeps it. Those of this process are found like others.
    /// - Parameters:
    ///   - type: The service.
    ///   - onEvent: Told what happens, in order. It may run in a thread of the system's, so it must neither block nor ask anything
    ///     of this object.
    /// - Throws: ``DiscoveryError``.
    func browse(
        for type: ServiceType, _ onEvent: @escaping @Sendable (ServiceEvent) -> Void
    ) async throws(DiscoveryError) -> any Browsing
}

/// Looking for services.
public protocol Browsing: Sendable {
    /// Nothing is reported any more. To stop twice does nothing.
    func stop() async
}

/// A service that is advertised, until ``stop()`` is called or the last reference is gone.
public protocol Publication: Sendable {
    /// The name that the service has: the advertisement's own, or one with a number where that was taken. It can change when
    /// networks meet, or when two take one name in the same moment.
    var instanceName: String { get }

    /// Reports from now on when the name has become another one. It may run in a thread of the system's, so it must
    /// neither block nor ask anything of this object. Only the last that was given is called.
    func whenRenamed(_ tell: @escaping @Sendable (String) -> Void)

    /// Says something else of the peer from now on.
    /// - Throws: ``DiscoveryError``.
    func update(_ advertisement: Advertisement) async throws(DiscoveryError)

    /// Withdraws the service. The network is notified before this returns. To stop twice does nothing.
    func stop() async
}

extension Publication {
    /// Where names do not change, nothing is reported.
    public func whenRenamed(_ tell: @escaping @Sendable (String) -> Void) {}
}

/// What happens while services are looked for.
@nonexhaustive
public enum ServiceEvent: Hashable, Sendable {
    /// A service is there, or says something else than before.
    case found(FoundService)
    /// A service is gone: withdrawn, or expired.
    case lost(ServiceID)
    /// What the network knew when browsing began has been reported.
    case settled
    /// Nothing is found any more until it recovers; what was found is lost.
    case failed(DiscoveryError)
}

/// A service of one name, as seen at one interface by one address family.
public struct ServiceID: Hashable, Sendable {
    /// The instance name: up to 63 bytes, text of a stranger.
    public let instanceName: String
    /// The index of the interface.
    public let interface: UInt32
    /// Whether it was found by IPv4; by IPv6 otherwise.
    public let isIPv4: Bool

    /// Creates an identifier.
    public init(instanceName: String, interface: UInt32, isIPv4: Bool) {
        self.instanceName = instanceName
        self.interface = interface
        self.isIPv4 = isIPv4
    }
}

/// A service that was found. Everything in it is said by a stranger, and none of it is proved.
public struct FoundService: Hashable, Sendable {
    /// Which one it is.
    public let id: ServiceID
    /// Where its peer listens.
    public let address: ServiceAddress
    /// The TCP port.
    public let port: UInt16
    /// The strings of TXT, as they came.
    public let text: [[UInt8]]

    /// Creates a description.
    public init(id: ServiceID, address: ServiceAddress, port: UInt16, text: [[UInt8]]) {
        self.id = id
        self.address = address
        self.port = port
        self.text = text
    }

    /// What it says of its peer; nil if that is no advertisement of SPEC §23.2.
    public var advertisement: Advertisement? { Advertisement(reading: text, instanceName: id.instanceName) }
}
