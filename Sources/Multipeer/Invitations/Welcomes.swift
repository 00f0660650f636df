import MultipeerCore
import MultipeerCrypto
import Synchronization

/// Peers whose invitation the app has accepted for a session that has members already. They come to that session when they ask to be
/// invited to it.
struct Welcomes {
    private struct Welcome {
        let session: SessionCore
        let until: ContinuousClock.Instant
    }

    /// How many are remembered. An app has accepted each of them.
    private static let most = 64

    private var welcomes: [IdentityKey: Welcome] = [:]

    mutating func add(
        _ peer: IdentityKey, to session: SessionCore, until: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) {
        welcomes = welcomes.filter { $0.value.until > now }
        guard welcomes.count < Self.most else { return }
        welcomes[peer] = Welcome(session: session, until: until)
    }

    /// Whether the peer may still come.
    func contains(_ peer: IdentityKey, at now: ContinuousClock.Instant) -> Bool { session(for: peer, at: now) != nil }

    /// To which session a peer comes. It may come again: what came of it the first time may not have become a connection.
    func session(for peer: IdentityKey, at now: ContinuousClock.Instant) -> SessionCore? {
        guard let welcome = welcomes[peer], welcome.until > now else { return nil }
        return welcome.session
    }

    /// The peer has come.
    mutating func remove(_ peer: IdentityKey, of session: SessionCore) {
        if welcomes[peer]?.session === session { welcomes[peer] = nil }
    }

    mutating func remove(_ session: SessionCore) { welcomes = welcomes.filter { $0.value.session !== session } }
}

extension SessionRegistry {
    /// The peer is invited to the session of the attempt when it comes. The attempt fails if it does not come in time.
    func welcome(_ peer: IdentityKey, _ attempt: LinkAttempt, for timeout: Duration) {
        guard let session = attempt.session else { return }
        let now = clock.now
        state.withLock { state in
            state.overtaken.add(OvertakenAttempt(attempt: attempt, peer: peer))
            state.welcomes.add(peer, to: session, until: now.advanced(by: timeout), at: now)
        }
        attempt.expire(with: .connection(.link(LinkFailure(stage: .inviting, cause: .timedOut)))) { true }
    }

    func welcome(of peer: IdentityKey) -> SessionCore? {
        state.withLock { $0.welcomes.session(for: peer, at: clock.now) }
    }
}
