import MultipeerWire

/// Which addresses of entries are dialled although no local caller has asked for them (R14.8-4).
public struct AddressRules: Hashable, Sendable {
    /// Whether the local peer has a link-local IPv4 address itself, so that those of others mean something to it: one
    /// of IPv6 does not make 169.254.169.254 and its like a member's.
    public var allowsLinkLocalIPv4 = false
    /// Whether the local peer has a link-local IPv6 address itself.
    public var allowsLinkLocalIPv6 = false
    /// Whether the user allows every address, those of this host included, whichever peer has announced them. Hosts are
    /// then not counted either (R14.8-5).
    public var allowsEveryAddress = false

    /// No link-local addresses, and those of this host where a peer of this host has announced them.
    public init() {}

    /// Whether a member may be dialled there.
    /// - Parameter isFromThisHost: Whether its entry has come over a link within this host.
    func allow(_ address: MemberAddress, isFromThisHost: Bool) -> Bool {
        guard let host = Host(address), address.port != 0 else { return false }
        return allowsEveryAddress || isFromThisHost && host.counted.isLoopback || allow(host)
    }

    /// An IPv6 address that carries an IPv4 one is judged by that one too.
    private func allow(_ host: Host) -> Bool {
        switch host {
        case .ipv4(let bytes): allow(ipv4: bytes)
        case .ipv6(let bytes): allow(ipv6: bytes) && (host.carried.map { allow(ipv4: $0) } ?? true)
        }
    }

    /// Not unspecified, loopback, multicast or limited broadcast, and not in 0.0.0.0/8.
    private func allow(ipv4 address: [UInt8]) -> Bool {
        if address[0] == 169, address[1] == 254 { return allowsLinkLocalIPv4 }
        return address[0] != 0 && address[0] != 127 && !(224...239).contains(address[0])
            && address != [255, 255, 255, 255]
    }

    private func allow(ipv6 address: [UInt8]) -> Bool {
        if address[0] == 0xFE, address[1] & 0xC0 == 0x80 { return allowsLinkLocalIPv6 }
        // :: and ::1
        let isLow = address.dropLast().allSatisfy { $0 == 0 } && address[15] < 2
        return !isLow && address[0] != 0xFF
    }
}

/// A host, whatever the port.
enum Host: Hashable, Sendable {
    /// 4 bytes.
    case ipv4([UInt8])
    /// 16 bytes.
    case ipv6([UInt8])

    /// The host of an address of a known kind. One that is mapped into IPv6 is the same host.
    init?(_ address: MemberAddress) {
        let bytes = Array(address.value.dropLast(2))
        switch (address.kind, bytes.count) {
        case (MemberAddress.ipv4, 4): self = .ipv4(bytes)
        case (MemberAddress.ipv6, 16): self = .ipv6(bytes)
        default: return nil
        }
    }

    /// The host as it is counted: IPv4 that is mapped into IPv6 is IPv4.
    var counted: Host {
        guard case .ipv6(let bytes) = self, bytes.starts(with: Self.mapped) else { return self }
        return .ipv4(Array(bytes.suffix(4)))
    }

    /// Whether it is this host itself, by whichever of its loopback addresses. For a host as it is counted.
    var isLoopback: Bool {
        switch self {
        case .ipv4(let bytes): bytes[0] == 127
        case .ipv6(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
    private static let compatible = [UInt8](repeating: 0, count: 12)
    private static let tunnelled: [UInt8] = [0x20, 0x02]

    /// The IPv4 address in ::/96, ::ffff:0:0/96, 64:ff9b::/96 or 2002::/16 (R14.8-4).
    var carried: [UInt8]? {
        guard case .ipv6(let bytes) = self else { return nil }
        if bytes.starts(with: Self.tunnelled) { return Array(bytes[2..<6]) }
        let isCarrier = [Self.mapped, Self.translated, Self.compatible].contains { bytes.starts(with: $0) }
        return isCarrier ? Array(bytes.suffix(4)) : nil
    }
}

extension MemberAddress {
    /// The TCP port, which is zero in an address without one.
    fileprivate var port: Int { value.suffix(2).reduce(0) { $0 << 8 | Int($1) } }
}
