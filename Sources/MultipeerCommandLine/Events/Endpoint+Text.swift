import Multipeer
import MultipeerDiscovery
import MultipeerNIO

extension Endpoint {
    /// The addresses that others can type for this one: for *everywhere*, those of this host's interfaces.
    var reachable: [Endpoint] {
        guard case .tcp(let host, let port) = self, host == "0.0.0.0" || host == "::" else { return [self] }
        let interfaces = NetworkInterface.all().filter(\.isUp)
        // An address of one link alone says nothing without the name that the interface has at the remote peer.
        let addresses = interfaces.filter { !$0.isLoopback }.flatMap(\.addresses)
            .filter { $0.scope == nil && ($0.isIPv4 || host == "::") }
        guard addresses.isEmpty else { return addresses.map { .tcp(host: $0.description, port: port) } }
        return [.tcp(host: host == "::" ? "::1" : "127.0.0.1", port: port)]
    }

    /// The text as one word for a shell; with escapes that no shell knows if it could harm a terminal.
    package var shellWord: String {
        let text = description
        return ShellWord.quoted(text.unicodeScalars.contains(where: SafeText.isHarmful) ? SafeText.escape(text) : text)
    }
}

/// Words for a POSIX shell.
enum ShellWord {
    private static let harmless = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:%@+=,")

    /// Returns the text, in quotes if a shell would make something else of it.
    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy({ harmless.contains($0) }) { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
