import MultipeerCertificates

/// A host in a URI or mailbox constraint: the host itself, or with a leading period all hosts below it.
struct HostConstraint {
    private let isSubdomainsOnly: Bool
    private let host: [UInt8]

    /// Nil unless the text is a host name, perhaps with a leading period.
    init?(_ text: [UInt8]) {
        isSubdomainsOnly = text.first == UInt8(ascii: ".")
        host = (isSubdomainsOnly ? Array(text.dropFirst()) : text).map(ASCII.lowercase)
        guard HostName.isValid(host) else { return nil }
    }

    /// > When the constraint begins with a period, it MAY be expanded with one or more labels. (RFC 5280 §4.2.1.10)
    func contains(_ candidate: [UInt8]) -> Bool {
        let candidate = candidate.map(ASCII.lowercase)
        return isSubdomainsOnly ? candidate != host && Self.contains(host, candidate) : candidate == host
    }

    /// Whether `name` is `subtree` or lies below it. An empty subtree holds all names. Both in lower case.
    static func contains(_ subtree: [UInt8], _ name: [UInt8]) -> Bool {
        guard !subtree.isEmpty, name != subtree else { return true }
        guard name.count > subtree.count else { return false }
        return name.suffix(subtree.count).elementsEqual(subtree)
            && name[name.count - subtree.count - 1] == UInt8(ascii: ".")
    }
}
