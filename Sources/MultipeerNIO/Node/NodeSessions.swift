public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto

/// What an app knows of the sessions of its node. It is asked and notified on the event loop, so it must not block.
public protocol NodeSessions: Sendable {
    /// Something has happened that the app will get by ``NetworkNode/nextEvent(isolation:)``.
    func note(_ effect: NodeEffect)
    /// What verifies the peers of a session; nil for the validator of all sessions (``LinkOptions/validator``).
    func validator(of session: SessionID) -> (any CertificateValidator)?
}

/// Sessions that are all alike.
public struct AnySession: NodeSessions {
    /// Creates it.
    public init() {}

    public func note(_ effect: NodeEffect) {}
    public func validator(of session: SessionID) -> (any CertificateValidator)? { nil }
}
