import MultipeerCertificates

/// One permitted or excluded subtree. Whatever cannot be compared is answered so that the certificate is refused.
struct NameSubtree {
    private let base: GeneralName

    init(_ base: GeneralName) {
        self.base = base
    }

    enum Overlap {
        case outside
        /// At least one name that this one stands for may lie in the subtree.
        case possible
    }

    /// Whether all that `name` stands for certainly lies in the subtree.
    func holds(_ name: GeneralName) -> Bool {
        switch (base, name) {
        case (.dns(let subtree), .dns(let host)): HostPattern(host).isWithin(subtree)
        case (.directory(let subtree), .directory(let other)): DirectorySubtree(subtree).contains(other) == .inside
        default: contains(name) == true
        }
    }

    /// Whether something that `name` stands for may lie in the subtree.
    func overlap(_ name: GeneralName) -> Overlap {
        switch (base, name) {
        case (.dns(let subtree), .dns(let host)): HostPattern(host).overlaps(subtree) ? .possible : .outside
        case (.directory(let subtree), .directory(let other)):
            DirectorySubtree(subtree).contains(other) == .outside ? .outside : .possible
        default: contains(name) == false ? .outside : .possible
        }
    }

    /// Nil when it cannot be decided.
    private func contains(_ name: GeneralName) -> Bool? {
        switch (base, name) {
        case (.ip(let octets), .ip(let address)):
            return AddressRange(octets)?.contains(address)
        case (.email(let text), .email(let address)):
            guard let constraint = EmailConstraint(text), let mailbox = Mailbox(address) else { return nil }
            return constraint.contains(mailbox)
        case (.uri(let text), .uri(let uri)):
            // > If the URI […] does not include an authority component […] then the application MUST reject
            guard let constraint = HostConstraint(text), let host = URIReference.host(uri) else { return nil }
            return constraint.contains(host)
        default:
            return nil
        }
    }
}
