public import MultipeerCertificates
import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// Another peer that is, or was, connected in a session. Two are equal if their keys are.
public struct Member: Sendable {
    /// The key, and the name that the peer shows.
    public let id: PeerID
    /// Why the peer was trusted.
    public private(set) var trust: TrustBasis
    /// How its messages, streams and files travel.
    public let encryption: EncryptionOutcome

    /// What people read: the name, or the key's digits where the peer shows no name. It proves nothing.
    public var name: String { id.shownName }
    /// Whether somebody has said whose key it is: an authority, the person who pinned the key, or people by a string or
    /// a code.
    public var isVerified: Bool { trust.isVerified }
    /// Whether nobody has, but the key was met before: it is the same peer, whatever its identity.
    public var isRemembered: Bool { trust.isRemembered }

    init(_ summary: LinkSummary) {
        id = summary.peer
        trust = summary.trust
        encryption = summary.encryption
    }

    /// The same member, whose key people have verified.
    func verified(by verification: KeyVerification) -> Member {
        var member = self
        member.trust = .verified(verification)
        return member
    }
}

extension Member: Hashable {
    public static func == (left: Member, right: Member) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The state of a peer in a session.
public enum ConnectionState: Hashable, Sendable {
    /// There is no connection, and why there is none any more if there was one.
    case notConnected(DisconnectReason?)
    /// A connection is being made.
    case connecting
    /// There is one.
    case connected
}
