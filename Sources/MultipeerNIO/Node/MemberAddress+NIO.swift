public import MultipeerWire
import NIOCore

extension MemberAddress {
    /// Where others reach a listener at `endpoint`: its own address, or those of all interfaces if it listens at every
    /// one. Addresses of this host alone are left out then, and IPv6 ones that need a scope. At most eight are shown
    /// (SPEC §14.3).
    public static func reachable(at endpoint: Endpoint) -> [MemberAddress] {
        guard case .tcp(let host, let port) = endpoint, let own = IPAddress(host) else { return [] }
        guard own.isWildcard else { return [own.member(port: port)].compactMap { $0 } }
        let devices = (try? System.enumerateDevices()) ?? []
        let addresses = devices.compactMap { $0.address?.ipAddress.flatMap(IPAddress.init) }
        let reachable = addresses.filter { !$0.isForThisHost && ($0.isIPv4 || !own.isIPv4) }
        return Array(reachable.compactMap { $0.member(port: port) }.prefix(maximumCount))
    }
}

extension MemberAddress {
    /// Where a connection leads, as entries of rosters have it; nil for what they cannot show.
    init?(remoteOf channel: any Channel) {
        guard case .tcp(let host, let port) = channel.remoteAddress.flatMap(Endpoint.init),
            let address = IPAddress(host)?.member(port: port)
        else { return nil }
        self = address
    }
}

/// An IPv4 or IPv6 address without a scope.
struct IPAddress: Hashable {
    /// 4 or 16 bytes.
    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a text; nil for a name, and for an address with a scope.
    init?(_ text: String) {
        guard let bytes = AddressText.ipv4(text) ?? AddressText.ipv6(text) else { return nil }
        self.bytes = bytes
    }

    var isIPv4: Bool { bytes.count == 4 }
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }
    var isLoopback: Bool { isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 }
    var isLinkLocal: Bool {
        isIPv4 ? bytes.starts(with: [169, 254]) : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
    /// Whether nobody else can use the address as it is.
    var isForThisHost: Bool { isLoopback || !isIPv4 && isLinkLocal }
    /// The IPv4 address that is mapped into an IPv6 one (::ffff:0:0/96), or the address itself.
    var unmapped: IPAddress {
        guard !isIPv4, bytes.dropLast(4) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] else { return self }
        return IPAddress(bytes: Array(bytes.suffix(4)))
    }

    /// The address as entries of rosters have it.
    func member(port: Int) -> MemberAddress? {
        guard let port = UInt16(exactly: port) else { return nil }
        return MemberAddress(
            kind: isIPv4 ? MemberAddress.ipv4 : MemberAddress.ipv6,
            value: bytes + [UInt8(port >> 8), UInt8(port & 0xFF)])
    }
}

extension SocketAddress {
    /// The address that an entry of a roster shows; nil for a kind that cannot be dialled.
    init?(_ member: MemberAddress) {
        let port = Int(member.value.suffix(2).reduce(0) { $0 << 8 | UInt16($1) })
        let bytes = ByteBuffer(bytes: member.value.dropLast(2))
        guard member.kind == MemberAddress.ipv4 || member.kind == MemberAddress.ipv6,
            let address = try? SocketAddress(packedIPAddress: bytes, port: port)
        else { return nil }
        self = address
    }
}

extension SocketAddress {
    /// Whether only programs of this host can be there.
    fileprivate var isWithinHost: Bool {
        switch self {
        case .unixDomainSocket: true
        case .v4, .v6: (ipAddress.flatMap(IPAddress.init)?.unmapped.isLoopback) ?? false
        }
    }
}

extension Channel {
    /// Whether the connection does not leave this host (R14.8-4).
    var isWithinHost: Bool {
        guard let local = localAddress, let remote = remoteAddress else { return false }
        return local.isWithinHost && remote.isWithinHost
    }
}

extension Endpoint {
    /// Where others reach a listener, as an app shows it: its own address, or at a wildcard those of this host.
    public static func reachable(at endpoint: Endpoint) -> [Endpoint] {
        MemberAddress.reachable(at: endpoint).compactMap { address in
            guard let socket = SocketAddress(address), let host = socket.ipAddress, let port = socket.port else {
                return nil
            }
            return .tcp(host: host, port: port)
        }
    }

    /// Whether it is an IPv4 address that means something on one link only: 169.254.0.0/16.
    public var isLinkLocalIPv4: Bool { isLinkLocal(ipv4: true) }

    /// Whether it is an IPv6 address that means something on one link only: fe80::/10.
    public var isLinkLocalIPv6: Bool { isLinkLocal(ipv4: false) }

    private func isLinkLocal(ipv4: Bool) -> Bool {
        guard case .tcp(let host, _) = self, let address = IPAddress(host) else { return false }
        return address.isLinkLocal && address.isIPv4 == ipv4
    }

    /// Whether only programs of this host can reach it.
    public var isForThisHost: Bool {
        switch self {
        case .tcp(let host, _): IPAddress(host)?.isForThisHost ?? (host == "localhost")
        case .unixSocket: true
        }
    }
}
