import Foundation
import MultipeerClock
import MultipeerCrypto
import Synchronization

/// To which invitations the app need not be asked: it has accepted the same one already.
///
/// An app that invites a peer has not accepted the peer's own invitation: it is asked, and what it invites to is
/// decided by the peer's app. Where several invite each other at the same time, an invitation that was accepted may
/// fail because one of the two has become a member elsewhere first. Its sender repeats it then
/// (``SessionEngine/bring(_:in:)``), and the app's answer still holds.
final class Consents: Sendable {
    private struct Consent {
        weak let session: SessionEngine?
        let context: [UInt8]
        let until: ContinuousClock.Instant
    }

    private struct State {
        var accepted: [KeyTag: Consent] = [:]
    }

    /// How many answers are remembered. An app has given each of them.
    private static let most = 64

    private let clock: any SteadyClock
    private let state = Mutex(State())

    init(_ clock: any SteadyClock) { self.clock = clock }

    /// The app has accepted an invitation, whose sender waits until the time is over.
    func accepted(_ peer: KeyTag, _ context: [UInt8], into session: SessionEngine, until: ContinuousClock.Instant) {
        let now = clock.now
        state.withLock { state in
            state.accepted = state.accepted.filter { $0.value.until > now && $0.value.session != nil }
            guard state.accepted.count < Self.most else { return }
            state.accepted[peer] = Consent(session: session, context: context, until: until)
        }
    }

    /// The session into which an invitation is accepted without asking; nil if the app is to be asked.
    func session(for peer: KeyTag, _ context: [UInt8]) -> SessionEngine? {
        guard let accepted = state.withLock({ $0.accepted[peer] }), accepted.until > clock.now,
            accepted.context == context
        else { return nil }
        return accepted.session
    }

    /// Whether the next invitation of a peer is accepted without asking.
    func isWelcome(_ peer: KeyTag) -> Bool {
        let now = clock.now
        return state.withLock { state in (state.accepted[peer]?.until).map { $0 > now } ?? false }
    }

    /// Nothing comes of it, or the peer is connected.
    func remove(_ peer: KeyTag, of session: SessionEngine) {
        state.withLock { state in
            if state.accepted[peer]?.session === session { state.accepted[peer] = nil }
        }
    }

    /// The app has left the session.
    func remove(of session: SessionEngine) {
        state.withLock { state in
            state.accepted = state.accepted.filter { $0.value.session !== session }
        }
    }
}
