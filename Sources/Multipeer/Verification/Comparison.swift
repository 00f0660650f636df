public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
import MultipeerNIO
import MultipeerWire

/// A short string that two persons compare (``Session/compare(with:)``). Nothing is verified before one confirms.
public final class Comparison: Sendable {
    /// The member to compare with.
    public let member: Member
    /// What both screens show if nobody is between them.
    public let string: ShortAuthenticationString
    private let session: Session
    private let link: LinkNumber

    init(_ string: ShortAuthenticationString, with member: Member, on link: LinkNumber, in session: Session) {
        (self.string, self.member, self.link, self.session) = (string, member, link, session)
    }

    /// The person says that both strings are the same: the key is remembered as verified, and
    /// ``SessionEvent/verified(_:)`` reports it. The remote peer's person confirms separately.
    /// - Throws: ``VerificationError``.
    public func confirm() async throws(VerificationError) {
        try await session.core.host.confirm(member.id, on: link, in: session.core)
    }

    /// The person says that they differ: somebody is between the two. The connection is closed, and nothing is remembered.
    public func deny() async { await session.core.host.node.close(link, .stringsDiffer) }
}

/// Why a key could not be verified.
@nonexhaustive
public enum VerificationError: Error, Hashable, Sendable {
    /// The local peer could not begin.
    case request(NodeRequestError)
    /// The connection ended before.
    case connection(ConnectionError)
    /// The peer is not connected.
    case notConnected
    /// The task was cancelled.
    case cancelled
    /// What people have said could not be remembered.
    case notRemembered(KnownPeersStoreFailure)
}

extension VerificationError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        switch self {
        case .request(let error): "verification: \(error.reason). \(error.remedy)"
        case .connection(let error): error.description
        case .notConnected: "verification: the peer is not connected. Invite it first"
        case .cancelled: "verification: the task was cancelled. Try again"
        case .notRemembered(let failure):
            "verification: the known peers could not be changed (\(failure)). Check the store, and verify again"
        }
    }
}
