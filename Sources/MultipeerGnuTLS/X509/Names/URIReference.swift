/// As much of a URI (RFC 3986) as a certificate's rules look at.
enum URIReference {
    /// > The name MUST NOT be a relative URI, and it MUST follow the URI syntax and encoding rules (RFC 5280 §4.2.1.6)
    static func hasScheme(_ uri: [UInt8]) -> Bool {
        guard let colon = uri.firstIndex(of: UInt8(ascii: ":")), let first = uri.first, isLetter(first) else {
            return false
        }
        let scheme = uri[..<colon].allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
        return scheme && colon + 1 < uri.count && uri.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The host of `scheme://[user@]host[:port]…`, or nil when there is none or it is an IP literal.
    static func host(_ uri: [UInt8]) -> [UInt8]? {
        guard let colon = uri.firstIndex(of: UInt8(ascii: ":")),
            uri[(colon + 1)...].starts(with: Array("//".utf8))
        else { return nil }
        let authority = uri[(colon + 3)...].prefix {
            ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
        }
        let hostAndPort = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        let host = hostAndPort.prefix { $0 != UInt8(ascii: ":") }
        guard let first = host.first, first != UInt8(ascii: "[") else { return nil }
        return Array(host)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.lowercase(byte))
    }
}
