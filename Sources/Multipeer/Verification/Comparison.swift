import MultipeerCore
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
    /// - Throws: ``MultipeerError``.
    public func confirm() async throws(MultipeerError) {
        try await session.core.host.confirm(member.id, on: link, in: session.core)
    }

    /// The person says that they differ: somebody is between the two. The connection is closed, and nothing is remembered.
    public func deny() async { await session.core.host.node.close(link, .stringsDiffer) }
}
