import MultipeerCrypto
import MultipeerNIO

/// The question whether to show a new code after a wrong one was typed (SPEC §25.5): only the person who told the code knows whether that
/// was a slip. Nobody can guess more often than this is answered with yes.
struct NewCodeQuestion: Question {
    /// Who typed it.
    let peer: PeerID
    let address: AddressKey? = nil
    let label = ""

    var text: String { "Whoever was told the code may have mistyped it. Otherwise somebody is guessing." }
    var lastLine: String { "Show a new code? [y/N] " }
}
