import Dispatch
import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import Synchronization

/// The one-time code of a live peer, for all of its links (SPEC §25.5), and the tester that reads it on the screen.
final class LiveCodes: CodeSource {
    private struct State {
        var shown: OneTimeCode
        var number = 1
        /// The link that has the only attempt.
        var attempt: ObjectIdentifier? {
            didSet {
                guard attempt == nil else { return }
                for tester in testers { tester.signal() }
                testers = []
            }
        }
        /// Wait until no link has it.
        var testers: [DispatchSemaphore] = []
    }

    private let state: Mutex<State>

    init() { state = Mutex(State(shown: Self.draw(1))) }

    private static func draw(_ number: Int) -> OneTimeCode {
        var random: any RandomSource = Tools.sodium.random
        return OneTimeCode(number: number, random: &random)
    }

    // MARK: The tester

    /// As people do, it waits while another peer tries the code: a case that is over may have left a link whose end has not been noticed.
    func code(until deadline: Deadline) -> OneTimeCode? {
        let isFree = DispatchSemaphore(value: 0)
        state.withLock { state in
            if state.attempt == nil { isFree.signal() } else { state.testers.append(isFree) }
        }
        // Every attempt ends, at the latest with its link, so only a fault of this peer would need the limit.
        guard isFree.wait(timeout: .now() + .seconds(60)) == .success else { return nil }
        return state.withLock(\.shown)
    }

    func burned(_ code: OneTimeCode) {}

    // MARK: The peer

    /// CODE_BEGIN came (R25.6-6).
    /// - Parameter takesMany: A fault: another attempt is no reason to refuse this one.
    func begin(_ number: Int, on link: AnyObject, _ takesMany: Bool = false) -> OneTimeCode? {
        state.withLock { state in
            guard state.attempt == nil || takesMany, state.shown.number == number else { return nil }
            state.attempt = ObjectIdentifier(link)
            return state.shown
        }
    }

    /// CODE_CONFIRM came: the person asks for another code at once (R25.5-5).
    func burn(on link: AnyObject) {
        state.withLock { state in
            guard state.attempt == ObjectIdentifier(link) else { return }
            state.attempt = nil
            state.number = state.number % 999 + 1
            state.shown = Self.draw(state.number)
        }
    }

    func end(of link: AnyObject) {
        state.withLock { if $0.attempt == ObjectIdentifier(link) { $0.attempt = nil } }
    }
}
