import MultipeerCertificates
import NIOCore

/// What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one host.
package struct AddressKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates a key. Returns nil for Unix sockets.
    package init?(_ endpoint: Endpoint) {
        guard case .tcp(let host, _) = endpoint else { return nil }
        self.init(host)
    }

    /// The key of one host: of IPv6 all of the address counts. Nil for Unix sockets.
    package static func wholeAddress(of endpoint: Endpoint) -> AddressKey? {
        guard case .tcp(let host, _) = endpoint else { return nil }
        return AddressKey(host, ofNetwork: false)
    }

    /// Creates a key. Returns nil for Unix sockets.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// Creates a key. Returns nil if the text is neither an IPv4 nor an IPv6 address.
    init?(_ text: String, ofNetwork: Bool = true) {
        // A scope (`%eth0`) is not part of the address. A listener for both families sees IPv4 addresses as ::ffff:a.b.c.d, which are
        // hosts and not networks.
        guard let address = IPAddress(String(text.prefix { $0 != "%" }))?.unmapped else { return nil }
        bytes = address.isIPv4 || !ofNetwork ? address.bytes : Array(address.bytes.prefix(8))
    }

    /// The address as validators see it: digits of its bytes, because it is compared and not shown.
    var origin: PeerOrigin? {
        PeerAddress(bytes.map { String($0, radix: 16) }.joined(separator: ".")).map(PeerOrigin.accepted)
    }
}
