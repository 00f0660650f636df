import ArgumentParser
import Multipeer
import MultipeerCrypto

/// What a person was given: a code, or a link to a peer, with its code or without (SPEC §25.4, §25.9).
enum CodeArgument: Sendable {
    case code(OneTimeCode)
    case link(PeerLink)

    /// The code; nil for a link without one.
    var code: OneTimeCode? {
        switch self {
        case .code(let code): code
        case .link(let link): link.code
        }
    }

    @Sendable static func parse(_ text: String) throws -> CodeArgument {
        if text.lowercased().hasPrefix("multipeer:") {
            do throws(PeerLinkError) {
                return .link(try PeerLink(text))
            } catch {
                throw ValidationError("\(error)")
            }
        }
        guard let code = OneTimeCode(typed: text) else {
            let words = OneTimeCode.unknownWords(in: text).map { SafeText.escape($0) }.joined(separator: " and ")
            let why = words.isEmpty ? "" : ", because \(words) is no word of a code"
            throw ValidationError(
                "\(SafeText.escape(text)) is no code\(why): type the number and both words that the peer shows, such "
                    + "as 4-tulip-orbit. Nothing has been tried.")
        }
        return .code(code)
    }
}
