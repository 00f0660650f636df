import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// Waits for what people do to verify keys: the code on the screen, codes that were typed, strings that are to be
/// compared.
final class PairingCoordinator: Sendable {
    /// What comes of a code that was typed.
    typealias Typed = AsyncQueue<Result<Void, MultipeerError>>
    /// What comes of the wish to compare.
    typealias Compared = AsyncQueue<Result<ShortAuthenticationString, MultipeerError>>

    fileprivate struct State {
        /// The code on the screen, which its presenter keeps.
        weak var shown: DisplayedCode?
        /// The link on which a confirmation has come for a code that is not on the screen any more, and the peer that
        /// sent it.
        var burned: (link: LinkNumber, code: DisplayedCode?, peer: PeerID)?
        var typed: [LinkNumber: Typed] = [:]
        var compared: [LinkNumber: Compared] = [:]
    }

    private let state = Mutex(State())

    // MARK: The code on the screen

    /// This code is shown, and no other one any more.
    func show(_ code: DisplayedCode) {
        let before = state.withLock { state in
            defer { state.shown = code }
            return state.shown
        }
        before?.end(.withdrawn)
    }

    func expire() {
        let code = state.withLock { state in
            defer { state.shown = nil }
            return state.shown
        }
        code?.end(.expired)
    }

    /// A peer has begun to try the code, and has gone.
    func abandoned() { state.withLock(\.shown)?.abandon() }

    /// A confirmation has come, right or wrong.
    func burn(by peer: PeerID, on link: LinkNumber) {
        state.withLock { state in
            state.burned = (link, state.shown, peer)
            state.shown = nil
        }
    }

    /// A code was right, whichever peer's person has typed it.
    func verified(_ peer: PeerID, on link: LinkNumber) {
        let (code, typed) = state.withLock { state in
            (state.takeBurned(link), state.typed.removeValue(forKey: link))
        }
        code?.end(.verified(peer))
        typed?.push(.success(()), cost: 0)
    }

    // MARK: Links

    /// Says what comes of a code that is typed for a link.
    func expectTyped(on link: LinkNumber) -> Typed {
        let queue = Typed(watermarks: .unbounded)
        state.withLock { $0.typed[link] = queue }
        return queue
    }

    /// Says which string there is to compare.
    func expectString(on link: LinkNumber) -> Compared {
        let queue = Compared(watermarks: .unbounded)
        state.withLock { $0.compared[link] = queue }
        return queue
    }

    func compared(_ string: ShortAuthenticationString, on link: LinkNumber) {
        state.withLock { $0.compared.removeValue(forKey: link) }?.push(.success(string), cost: 0)
    }

    /// Nobody waits any more for what a link brings.
    func forget(_ link: LinkNumber) {
        state.withLock { state in
            state.typed[link] = nil
            state.compared[link] = nil
        }
    }

    /// A link has ended. If it had tried the code, that was wrong.
    func ended(_ link: LinkNumber, _ error: MultipeerError) {
        let (peer, code, typed, compared) = state.withLock { state in
            let peer = state.burned?.link == link ? state.burned?.peer : nil
            return (
                peer, state.takeBurned(link), state.typed.removeValue(forKey: link),
                state.compared.removeValue(forKey: link)
            )
        }
        if let peer { code?.end(.wrong(peer)) }
        typed?.push(.failure(error), cost: 0)
        compared?.push(.failure(error), cost: 0)
    }
}

extension PairingCoordinator.State {
    fileprivate mutating func takeBurned(_ link: LinkNumber) -> DisplayedCode? {
        guard burned?.link == link else { return nil }
        defer { burned = nil }
        return burned?.code
    }
}
