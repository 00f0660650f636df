import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// What happens to a code on the screen (docs/command-line.md).
enum CodeReport: Report {
    /// A new code, the link that has it, and the lines of its QR code.
    case shown(DisplayedCode, PeerLink, picture: [String])
    /// `count` peers have begun to try the code and have gone.
    case abandoned(OneTimeCode, count: Int)
    /// `isKnown` says whether the peer that has typed it is remembered.
    case ended(OneTimeCode, CodeOutcome, isKnown: Bool)
    /// The key of the peer whose code was typed here is verified.
    case paired(PeerID)

    var members: [(String, JSON)] {
        switch self {
        case .shown(let shown, let link, _):
            [
                ("event", .string("code")), ("code", .string(shown.code.normalForm)),
                ("lifetime", .integer(UInt64(shown.lifetime.components.seconds))), ("link", .string(link.description)),
                ("guessingSuspected", .boolean(shown.isGuessingSuspected)),
            ]
        case .abandoned(let code, let count):
            [
                ("event", .string("codeAbandoned")), ("code", .string(code.normalForm)),
                ("count", .integer(UInt64(count))),
            ]
        case .ended(let code, let outcome, let isKnown):
            [("event", .string("codeEnded")), ("code", .string(code.normalForm)), ("outcome", .string(outcome.name))]
                + (outcome.peer.map {
                    [("peer", .string($0.key.description)), ("name", $0.jsonName), ("known", .boolean(isKnown))]
                } ?? [])
        case .paired(let peer):
            [("event", .string("paired")), ("peer", .string(peer.key.description)), ("name", peer.jsonName)]
        }
    }

    var leastVerbosity: Verbosity { .quiet }

    func details(_ palette: Palette) -> String {
        switch self {
        case .shown, .abandoned: ""
        case .ended(_, let outcome, _): outcome.peer.map { palette.dim(", key \($0.key)") } ?? ""
        case .paired(let peer): palette.dim(", key \(peer.key)")
        }
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .shown(let shown, let link, let picture):
            let minutes = shown.lifetime.components.seconds / 60
            let warning =
                shown.isGuessingSuspected
                ? "\n" + palette.red("wrong codes come again and again: somebody may be guessing") : ""
            // The code is the last line, so that a picture that fits into a terminal is seen with it.
            return "link \(palette.dim(link.description))\n" + picture.map { $0 + "\n" }.joined()
                + "code \(palette.bold(shown.code.normalForm)), good for \(minutes) minutes and one try" + warning
        case .abandoned(_, let count):
            return palette.yellow(
                "\(count == 1 ? "a peer" : "\(count) peers") began to try the code and left: the code is still good"
            )
        case .ended(_, .verified(let peer), _):
            return palette.green("\(SafeText.escape(peer.shownName)) has typed the code: its key is verified")
        case .ended(_, .wrong(let peer), let isKnown):
            // Anybody can call itself so, and a person who types a wrong code is rather somebody else.
            let who = "\(SafeText.escape(peer.shownName)) \(NewCodeQuestion.marks(peer.key, isKnown: isKnown))"
            return palette.red("\(who) has typed a wrong code") + ": the code is used up"
        case .ended(_, .expired, _): return palette.yellow("nobody has typed the code in time")
        case .ended(_, .withdrawn, _): return palette.dim("the code is no longer shown")
        case .paired(let peer):
            return palette.green("paired with \(SafeText.escape(peer.shownName)): its key is verified")
        }
    }
}

extension CodeOutcome {
    fileprivate var name: String {
        switch self {
        case .verified: "verified"
        case .wrong: "wrong"
        case .expired: "expired"
        case .withdrawn: "withdrawn"
        }
    }

    var peer: PeerID? {
        switch self {
        case .verified(let peer), .wrong(let peer): peer
        case .expired, .withdrawn: nil
        }
    }
}
