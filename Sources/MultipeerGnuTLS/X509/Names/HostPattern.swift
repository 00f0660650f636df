import MultipeerCertificates

/// A dNSName of a certificate: a host name, or `*.` and a host name (RFC 9525 §6.3).
struct HostPattern {
    /// Whether the leftmost label is `*`.
    let isWildcard: Bool
    /// The name without `*.`, in lower case.
    let base: [UInt8]

    init(_ name: [UInt8]) {
        isWildcard = name.starts(with: Array("*.".utf8))
        base = (isWildcard ? Array(name.dropFirst(2)) : name).map(ASCII.lowercase)
    }

    /// Whether `host` is the name, or, under a wildcard, the base after exactly one label.
    func matches(_ host: [UInt8]) -> Bool {
        let host = host.map(ASCII.lowercase)
        guard HostName.isValid(host) else { return false }
        return isWildcard ? Self.parent(of: host) == base : host == base
    }

    /// Whether every name that this stands for lies in the subtree (RFC 5280 §4.2.1.10: zero or more labels before it).
    func isWithin(_ subtree: [UInt8]) -> Bool {
        HostConstraint.contains(subtree.map(ASCII.lowercase), base)
    }

    /// Whether some name that this stands for lies in the subtree.
    ///
    /// A wildcard also stands for a subtree's own root one label below its base (CVE-2025-61727).
    func overlaps(_ subtree: [UInt8]) -> Bool {
        isWithin(subtree) || (isWildcard && Self.parent(of: subtree.map(ASCII.lowercase)) == base)
    }

    /// The name without its leftmost label; nil when it has only one.
    private static func parent(of host: [UInt8]) -> [UInt8]? {
        host.firstIndex(of: UInt8(ascii: ".")).map { Array(host[($0 + 1)...]) }
    }
}

/// Letters of ASCII without regard to case; names in certificates have no others.
enum ASCII {
    static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
