import Multipeer
import MultipeerCrypto

/// What a line of a chat means.
enum ChatLine: Equatable {
    case message(String)
    case who
    case send(name: String, path: String)
    /// Compare short strings.
    case compare(String)
    /// What the person says of a short string.
    case answer(isSame: Bool, String)
    /// What the person says to a peer that wants to be let in.
    case letIn(Bool, String)
    case unknown(String)

    init(_ line: String) {
        guard line.hasPrefix("/") else {
            self = .message(line)
            return
        }
        if line.hasPrefix("//") {
            self = .message(String(line.dropFirst()))
            return
        }
        let command = String(line.prefix { $0 != " " })
        // A name may have spaces inside.
        let rest = Self.trimmed(line.dropFirst(command.count))
        switch (command, rest.isEmpty) {
        case ("/who", true): self = .who
        case ("/send", false):
            let words = rest.split(separator: " ", maxSplits: 1).map { Self.trimmed($0) }
            self = words.count == 2 ? .send(name: words[0], path: words[1]) : .unknown(command)
        case ("/verify", false): self = .compare(rest)
        case ("/same", false): self = .answer(isSame: true, rest)
        case ("/differ", false): self = .answer(isSame: false, rest)
        case ("/accept", false): self = .letIn(true, rest)
        case ("/decline", false): self = .letIn(false, rest)
        default: self = .unknown(command)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// What a person types to name a peer: its name where that can be typed, and otherwise digits of its key.
    static func handle(_ peer: PeerID) -> String {
        let digits = String(peer.key.description.prefix(16))
        guard let name = peer.displayName?.description, SafeText.escape(name) == name, trimmed(name[...]) == name else {
            return digits
        }
        return name
    }
}
