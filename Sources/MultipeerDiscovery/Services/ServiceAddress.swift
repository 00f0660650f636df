#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IP address that a service was found at.
public struct ServiceAddress: Hashable, Sendable {
    /// 4 bytes of IPv4, or 16 of IPv6.
    public let bytes: [UInt8]
    /// The index of the interface that an IPv6 address of one link alone belongs to; nil for all others.
    public let scope: UInt32?

    /// Nil unless there are 4 or 16 bytes. `interface` counts for addresses of one link alone (`fe80::/10`).
    public init?(_ bytes: [UInt8], interface: UInt32) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        let isLinkLocal = bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        scope = isLinkLocal ? interface : nil
    }

    /// Whether it is IPv4.
    public var isIPv4: Bool { bytes.count == 4 }
}

extension ServiceAddress: CustomStringConvertible {
    /// The usual text, such as `192.0.2.7` or `fe80::1%2`.
    public var description: String {
        let text = Self.text(of: bytes)
        return scope.map { "\(text)%\($0)" } ?? text
    }

    /// The text with a port, as people type it: `192.0.2.7:4711` or `[fe80::1%2]:4711`.
    public func text(port: UInt16) -> String { isIPv4 ? "\(self):\(port)" : "[\(self)]:\(port)" }

    private static func text(of bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        // SAFETY: `bytes` has as many bytes as the family's address, and `text` is as long as inet_ntop is told.
        _ = unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
