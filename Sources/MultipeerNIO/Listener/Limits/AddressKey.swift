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
        // A scope (`%eth0`) is not part of the address.
        let text = text.prefix { $0 != "%" }
        if let four = AddressText.ipv4(String(text)) {
            bytes = four
        } else if let sixteen = AddressText.ipv6(String(text)) {
            // A listener for both families sees IPv4 addresses as ::ffff:a.b.c.d. Those are hosts and not networks.
            let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            let isMapped = sixteen.starts(with: mapped)
            bytes = isMapped ? Array(sixteen.dropFirst(12)) : Array(sixteen.prefix(ofNetwork ? 8 : 16))
        } else {
            return nil
        }
    }

    /// The address as validators see it: digits of its bytes, because it is compared and not shown.
    var origin: PeerOrigin? {
        PeerAddress(bytes.map { String($0, radix: 16) }.joined(separator: ".")).map(PeerOrigin.accepted)
    }
}
