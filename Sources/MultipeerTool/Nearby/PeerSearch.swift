import Multipeer
import MultipeerCrypto

/// The peer that a person means.
enum PeerSearch: Hashable, Sendable {
    /// A name, a label, a tag, or the beginning of a tag or of a known key.
    case named(String)
    /// The peer that has this key, whether it was met before or not.
    case key(IdentityKey)
    /// Any peer that shows a code of this number.
    case showing(Int)

    /// What a person has typed: 64 hexadecimal digits are a key.
    init(typed text: String) {
        self = IdentityKey(text.lowercased()).map(PeerSearch.key) ?? .named(text)
    }

    /// The peer that is looked for: «looking for …».
    var shown: String {
        switch self {
        case .named(let text): SafeText.escape(text)
        case .key(let key): "the key \(key.description.prefix(16))…"
        case .showing(let number): "the peer that shows a code with the number \(number)"
        }
    }

    /// What is printed if nobody matches: «nobody nearby …».
    var predicate: String {
        switch self {
        case .named(let text): "is called \(SafeText.escape(text))"
        case .key(let key): "has the key \(key)"
        case .showing(let number): "shows a code with the number \(number)"
        }
    }

    /// The same of several.
    var pluralPredicate: String {
        switch self {
        case .named(let text): "are called \(SafeText.escape(text))"
        case .key(let key): "have the key \(key)"
        case .showing(let number): "show a code with the number \(number)"
        }
    }
}

/// The number of a code in what is advertised (SPEC §25.4).
enum ShownNumber {
    static let key = "code"
}
