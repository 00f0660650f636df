import MultipeerCore

/// A connection's place within the limits. It is given back as the link goes on and ends.
final class ConnectionSlot: LinkObserver {
    private let limiter: ConnectionLimiter
    private let decision: ConnectionLimiter.Decision
    private let address: AddressKey?
    private var isHalfOpen: Bool
    /// The link, once it is registered.
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
