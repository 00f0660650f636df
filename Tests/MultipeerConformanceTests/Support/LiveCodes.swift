import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import Synchronization

/// The one-time code of a live peer, for all of its links (SPEC §25.5), and the tester that reads it on the screen. The person at the peer
/// asks for another code as soon as one is burned.
final class LiveCodes: CodeSource {
    private struct State {
        var shown: PresentedCode
        var number = 1
        /// The links with an attempt, of a peer that does not know a second one.
        var attempts: Set<ObjectIdentifier> = []

        mutating func renew() {
            number = number % 999 + 1
            shown = LiveCodes.draw(number)
        }

        /// The code on the screen.
        mutating func current() -> PresentedCode {
            if shown.isBurned { renew() }
            return shown
        }
    }

    private let state: Mutex<State>

    init() { state = Mutex(State(shown: Self.draw(1))) }

    private static func draw(_ number: Int) -> PresentedCode {
        var random: any RandomSource = Tools.sodium.random
        return PresentedCode(OneTimeCode(number: number, random: &random))
    }

    // MARK: The tester

    func code(until deadline: Deadline) -> OneTimeCode? { state.withLock { $0.current().code } }

    func burned(_ code: OneTimeCode) {}

    // MARK: The peer

    /// CODE_BEGIN came (R25.6-6).
    /// - Parameter takesOne: A fault: another attempt is a reason to refuse this one.
    func begin(_ number: Int, on link: AnyObject, takesOne: Bool = false) -> PresentedCode? {
        state.withLock { state in
            let shown = state.current()
            guard shown.code.number == number, !takesOne || state.attempts.isEmpty else { return nil }
            state.attempts.insert(ObjectIdentifier(link))
            return shown
        }
    }

    /// CODE_CONFIRM came, at a peer whose links do not burn the code by themselves (R25.5-5). Returns whether nobody had guessed before.
    func burn(_ code: PresentedCode) -> Bool {
        state.withLock { state in
            guard state.shown === code else { return false }
            state.renew()
            return true
        }
    }

    func end(of link: AnyObject) {
        state.withLock { _ = $0.attempts.remove(ObjectIdentifier(link)) }
    }
}
