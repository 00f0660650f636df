#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Texts of addresses, without ports and scopes.
enum AddressText {
    /// The 4 bytes of an IPv4 address; nil for another text.
    static func ipv4(_ text: String) -> [UInt8]? { parse(text, family: AF_INET, length: 4) }

    /// The 16 bytes of an IPv6 address; nil for another text.
    static func ipv6(_ text: String) -> [UInt8]? { parse(text, family: AF_INET6, length: 16) }

    private static func parse(_ text: String, family: Int32, length: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: length)
        // SAFETY: inet_pton writes as many bytes as the family's address has. The C string of `text` lives for the
        // call.
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
