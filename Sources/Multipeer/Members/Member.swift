public import MultipeerCertificates
import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// Another peer that is, or was, connected in a session. Two are equal if their keys are.
public struct Member: Sendable {
    /// The key, and the name that the peer shows.
    public var id: PeerID { content.id }
    /// Why the peer was trusted.
    public var trust: TrustBasis { content.trust }
    /// How its messages, streams and files travel.
    public var encryption: EncryptionOutcome { content.encryption }
    private let content: Content

    /// By reference: each message is delivered with its sender.
    private final class Content: Sendable {
        let id: PeerID
        let trust: TrustBasis
        let encryption: EncryptionOutcome

        init(_ id: PeerID, _ trust: TrustBasis, _ encryption: EncryptionOutcome) {
            (self.id, self.trust, self.encryption) = (id, trust, encryption)
        }
    }

    /// What people read: the name, or the key's digits where the peer shows no name. It proves nothing.
    public var name: String { id.shownName }
    /// Whether somebody has said whose key it is: an authority, the person who pinned the key, or people by a string or
    /// a code.
    public var isVerified: Bool { trust.isVerified }
    /// Whether nobody has, but the key was met before: it is the same peer, whatever its identity.
    public var isRemembered: Bool { trust.isRemembered }

    init(_ summary: LinkSummary) { self.init(Content(summary.peer, summary.trust, summary.encryption)) }

    private init(_ content: Content) { self.content = content }

    /// The same member, whose key people have verified.
    func verified(by verification: KeyVerification) -> Member {
        Member(Content(id, .verified(verification), encryption))
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
    /// There was one, and it may come back (``SessionEvent/reconnecting(_:)``).
    case reconnecting
}
