import Multipeer
import MultipeerCommandLine
import MultipeerCrypto

/// The question whether to show a new code after a wrong one was typed (SPEC §25.5): only the person who gave the code
/// away knows whether that was a slip. Nobody can guess more often than this is answered with yes.
struct NewCodeQuestion: Question {
    let caller: Caller
    let label = ""

    /// - Parameter guesser: The peer that typed it. The person has asked for codes, so a place is kept for this
    ///   question.
    init(_ guesser: PeerID) { caller = Caller(guesser.key, from: nil, isKnown: true) }

    var text: String { "The person with the code may have mistyped it. Otherwise somebody is guessing." }
    var lastLine: String { "Show a new code? [y/N] " }
}
