import MultipeerCertificates

/// A mailbox, `local@host`. Quoted local parts are not read: none has an `@` here.
struct Mailbox: Equatable {
    /// Compared exactly.
    let local: [UInt8]
    /// Lower case.
    let host: [UInt8]

    /// Nil unless there is exactly one `@` between visible characters and a host name.
    init?(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ (0x21...0x7E).contains($0) }),
            HostName.isValid(Array(parts[1]))
        else { return nil }
        local = Array(parts[0])
        host = parts[1].map(ASCII.lowercase)
    }
}

/// > A name constraint for Internet mail addresses MAY specify a particular mailbox, all addresses at a particular host,
/// > or all mailboxes in a domain. (RFC 5280 §4.2.1.10)
enum EmailConstraint {
    case mailbox(Mailbox)
    case hosts(HostConstraint)

    init?(_ text: [UInt8]) {
        if text.contains(UInt8(ascii: "@")) {
            guard let mailbox = Mailbox(text) else { return nil }
            self = .mailbox(mailbox)
        } else {
            guard let host = HostConstraint(text) else { return nil }
            self = .hosts(host)
        }
    }

    func contains(_ mailbox: Mailbox) -> Bool {
        switch self {
        case .mailbox(let permitted): permitted == mailbox
        case .hosts(let hosts): hosts.contains(mailbox.host)
        }
    }
}
