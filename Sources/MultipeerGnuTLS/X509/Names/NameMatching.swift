import MultipeerCertificates

extension ExpectedName {
    /// Whether one of the names stands for this one. IP addresses never match host names, nor the other way round.
    func isAmong(_ names: [GeneralName]) -> Bool {
        names.contains { name in
            switch (self, name) {
            case (.dns(let host), .dns(let pattern)): HostPattern(pattern).matches(Array(host.utf8))
            case (.ip(let expected), .ip(let octets)): expected == octets
            case (.email(let expected), .email(let mailbox)): Self.equal(Array(expected.utf8), mailbox)
            case (.uri(let expected), .uri(let uri)): Array(expected.utf8) == uri
            default: false
            }
        }
    }

    private static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard let left = Mailbox(left), let right = Mailbox(right) else { return false }
        return left == right
    }
}
