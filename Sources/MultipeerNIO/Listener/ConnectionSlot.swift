import MultipeerCore

/// A connection's place within the limits. It is released as the link progresses and ends.
final class ConnectionSlot: LinkObserver {
    private let limiter: ConnectionLimiter
    private let decision: ConnectionLimiter.Decision
    private let address: AddressKey?
    private var isHalfOpen: Bool
    /// The link, after it has been registered.
    var link: ObjectIdentifier?

    init(limiter: ConnectionLimiter, decision: ConnectionLimiter.Decision, address: AddressKey?) {
        self.limiter = limiter
        self.decision = decision
        self.address = address
        isHalfOpen = decision == .serve
    }

    func linkIdentified() {
        guard isHalfOpen else { return }
        isHalfOpen = false
        limiter.releaseHalfOpen(from: address)
    }

    func linkEnded() {
        linkIdentified()
        limiter.release(decision)
        if let link { limiter.forget(link) }
    }
}
