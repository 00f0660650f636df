import Multipeer
import MultipeerCrypto

/// Whom a person means.
enum PeerSearch: Sendable {
    /// A name, a label, or the beginning of a tag or of a known key.
    case named(String)
    /// Whoever shows a code of this number.
    case showing(Int)

    /// The fewest digits that count as the beginning of a tag or key.
    private static let fewestDigits = 4

    func matches(_ peer: NearbyPeer) -> Bool {
        switch self {
        case .showing(let number): return peer.info[ShownNumber.key] == String(number)
        case .named(let text):
            if peer.displayName?.description == text || peer.known?.displayName?.description == text { return true }
            let digits = text.lowercased()
            guard digits.count >= Self.fewestDigits, digits.allSatisfy(\.isHexDigit) else { return false }
            return peer.id.description.hasPrefix(digits) || peer.known?.key.description.hasPrefix(digits) == true
        }
    }

    /// What is said of whom nobody is found to be: «nobody nearby …».
    var predicate: String {
        switch self {
        case .named(let text): "is called \(SafeText.escape(text))"
        case .showing(let number): "shows a code with the number \(number)"
        }
    }

    /// The same of several.
    var pluralPredicate: String {
        switch self {
        case .named(let text): "are called \(SafeText.escape(text))"
        case .showing(let number): "show a code with the number \(number)"
        }
    }
}

/// The number of a code in what is advertised (SPEC §25.4).
enum ShownNumber {
    static let key = "code"
}
