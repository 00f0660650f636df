import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto

/// Tells the limiter how far a served link has come.
final class ConnectionSlot: LinkObserver {
    private let limiter: ConnectionLimiter
    private let number: Place.Number
    private let validator: (any CertificateValidator)?
    /// What else happens at the end of the link.
    var onEnd: (() -> Void)?

    init(limiter: ConnectionLimiter, number: Place.Number, validator: (any CertificateValidator)? = nil) {
        self.limiter = limiter
        self.number = number
        self.validator = validator
    }

    func linkIdentified(_ peer: PeerID) {
        limiter.identified(number, as: peer.key)
        guard let validator else { return limiter.recognized(number, isKnown: false) }
        Task { [limiter, number] in
            limiter.recognized(number, isKnown: await validator.recognizes(peer))
        }
    }

    func linkOpened() { limiter.opened(number) }

    func linkEnded() {
        onEnd?()
        onEnd = nil
        limiter.ended(number)
    }
}

/// Tells the limiter when a link that is being refused is over.
final class RefusalSlot: LinkObserver {
    private let limiter: ConnectionLimiter
    /// The link, after it has been registered.
    var link: ObjectIdentifier?

    init(limiter: ConnectionLimiter) {
        self.limiter = limiter
    }

    func linkIdentified(_ peer: PeerID) {}
    func linkOpened() {}
    func linkEnded() { limiter.refusalEnded(link) }
}
