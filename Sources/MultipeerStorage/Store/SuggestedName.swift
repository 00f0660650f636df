import Glibc
package import MultipeerCrypto

/// What a new identity is called where nobody says a name: the host, as others on the network know it.
///
/// Two people who share a host would have one name, so theirs has the user as well: `anna@desk`. A host whose name
/// distinguishes it from no other one, such as *localhost* or the digits of a container, gives none: then the user
/// alone is the name. Accounts of the system, such as *root*, are no people.
package struct SuggestedName {
    /// What the system calls itself, with its domain or without.
    let host: String
    /// The user who runs this process, by number.
    let user: UInt32
    /// The accounts of the host, in the form of `/etc/passwd`.
    let accounts: String

    package init(host: String, user: UInt32, accounts: String) {
        (self.host, self.user, self.accounts) = (host, user, accounts)
    }

    /// The name on this host; nil where nothing distinguishes it from others.
    package static var current: DisplayName? {
        SuggestedName(
            host: hostName, user: geteuid(), accounts: text("/etc/passwd")
        ).name
    }

    /// The name; nil where nothing distinguishes this user and host from others.
    package var name: DisplayName? {
        switch (hostLabel, person) {
        case (let host?, let person?) where people.count > 1: Self.displayName("\(person)@\(host)")
        case (let host?, _): Self.displayName(host)
        case (nil, let person?): Self.displayName(person)
        case (nil, nil): nil
        }
    }

    /// The host without its domain; nil where it could be any.
    private var hostLabel: String? {
        let label = host.split(separator: "\n").first?.split(separator: ".").first.map(String.init) ?? ""
        let isAnybodys = ["", "localhost", "(none)"].contains(label.lowercased())
        // Digits alone are how tags and keys look, and how containers are called.
        let isDigits = label.count >= 4 && label.allSatisfy(\.isHexDigit)
        return isAnybodys || isDigits ? nil : label
    }

    /// The accounts of people: those that log in.
    private var people: [(name: String, number: UInt32)] {
        accounts.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 7, let number = UInt32(fields[2]), (1_000..<60_000).contains(number),
                !fields[6].hasSuffix("/nologin"), !fields[6].hasSuffix("/false")
            else { return nil }
            return (String(fields[0]), number)
        }
    }

    private var person: String? { people.first { $0.number == user }?.name }

    private static func displayName(_ text: String) -> DisplayName? {
        var name = Substring(text)
        while name.utf8.count > DisplayName.maximumLength { name.removeLast() }
        return try? DisplayName(String(name))
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        // SAFETY: the call writes at most that number of bytes, and the last one stays zero.
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func text(_ path: String) -> String {
        let bytes = try? BoundedRead.bytes(path, maximumLength: 1 << 20, .none, followingLinks: true)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
