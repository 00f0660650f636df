#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An interface of this host, with what it can do and its addresses.
public struct NetworkInterface: Hashable, Sendable {
    /// Its name, such as `eth0`.
    public let name: String
    /// Its number on this host.
    public let index: UInt32
    /// Whether it is up.
    public let isUp: Bool
    /// Whether it leads to this host alone.
    public let isLoopback: Bool
    /// Whether it carries multicast. The loopback interface does, though it does not say so.
    public let carriesMulticast: Bool
    /// Whether it has a carrier: a cable, a radio network, or the remote end of a tunnel.
    public let isConnected: Bool
    /// Whether it leads to one other host alone, as tunnels of virtual private networks do.
    public let isPointToPoint: Bool
    /// Its IPv4 and IPv6 addresses.
    public let addresses: [ServiceAddress]

    /// All interfaces of this host, by their numbers.
    public static func all() -> [NetworkInterface] {
        // SAFETY: the list is freed below, and nothing of it is kept: names and addresses are copied.
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var found: [UInt32: NetworkInterface] = [:]
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            unsafe next = unsafe entry.ifa_next
            let index = unsafe if_nametoindex(entry.ifa_name)
            guard index != 0 else { continue }
            var addresses = found[index]?.addresses ?? []
            if let pointer = unsafe entry.ifa_addr, let address = unsafe Self.address(at: pointer, of: index) {
                addresses.append(address)
            }
            let flags = unsafe Int(entry.ifa_flags)
            found[index] = NetworkInterface(
                name: unsafe String(cString: entry.ifa_name), index: index, isUp: flags & Int(IFF_UP) != 0,
                isLoopback: flags & Int(IFF_LOOPBACK) != 0,
                carriesMulticast: flags & Int(IFF_MULTICAST | IFF_LOOPBACK) != 0,
                isConnected: flags & Int(IFF_RUNNING) != 0, isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0,
                addresses: addresses)
        }
        return found.values.sorted { $0.index < $1.index }
    }

    /// The indexes of the selected interfaces; nil for all.
    /// - Throws: ``DiscoveryError/unknownInterface(_:)``.
    static func indexes(of selection: InterfaceSelection) throws(DiscoveryError) -> [UInt32]? {
        guard case .only(let names) = selection else { return nil }
        var indexes: [UInt32] = []
        for name in names {
            // SAFETY: the C string of `name` lives for the call.
            let index = unsafe if_nametoindex(name)
            guard index != 0 else { throw .unknownInterface(name) }
            if !indexes.contains(index) { indexes.append(index) }
        }
        return indexes
    }

    private static func address(at pointer: UnsafeMutablePointer<sockaddr>, of index: UInt32) -> ServiceAddress? {
        // SAFETY: the family says which structure the pointer leads to.
        switch unsafe Int32(pointer.pointee.sa_family) {
        case AF_INET:
            return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                unsafe withUnsafeBytes(of: pointer.pointee.sin_addr) {
                    ServiceAddress(unsafe Array($0), interface: index)
                }
            }
        case AF_INET6:
            return unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                unsafe withUnsafeBytes(of: pointer.pointee.sin6_addr) {
                    ServiceAddress(unsafe Array($0), interface: index)
                }
            }
        default: return nil
        }
    }
}
