import MultipeerCrypto
import MultipeerWire

/// An association of a node between two links (SPEC §13.9), and what the node knew of the link that has ended.
final class Reconnection {
    let association: ResumableAssociation
    let member: IdentityKey
    /// The link that carried it. What becomes of the association is reported there.
    let link: LinkNumber
    let group: GroupNumber?
    /// What was agreed on when the association began, in the session where the member is now.
    let agreement: NodeLink.Agreement
    /// The chain of the member's INVITE.
    let chain: [Admission]
    let isAcceptedByApp: Bool
    /// How the link has ended.
    let end: LinkEnd
    var untaken: UnconsumedCredit
    /// When the grace time is over, or the certificates that the verdict rests on.
    let deadline: Instant
    var plan: ResumePlan
    /// From when on the addresses that the member lists are dialled, too (SPEC §14.8). Nil for the peer that made the lost link: it
    /// knows where the other one was.
    let listedFrom: Instant?

    init(
        _ association: ResumableAssociation, over link: NodeLink, as agreement: NodeLink.Agreement,
        of member: IdentityKey, ended end: LinkEnd, until deadline: Instant, at now: Instant
    ) {
        self.association = association
        self.member = member
        self.link = link.number
        group = link.group
        self.agreement = agreement
        (chain, isAcceptedByApp, untaken) = (link.chain, link.isAcceptedByApp, link.untaken)
        self.end = end
        self.deadline = deadline
        let isFirst = link.link.role == .initiator
        plan = ResumePlan(isFirst: isFirst, at: now)
        listedFrom = isFirst ? nil : plan.due
    }

    var affiliation: Affiliation { Affiliation(group: group, session: agreement.session) }
}

/// When a peer tries to continue an association (SPEC §13.9).
struct ResumePlan: Sendable {
    /// How long the peer that did not make the lost link waits for the other one.
    private static let courtesy: Duration = .milliseconds(500)
    /// The times from one attempt to the next; the last one holds from then on.
    private static let pauses: [Duration] = [.milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(2)]
    /// How often one association is tried within 60 s (R13.9-10).
    private static let rate = 32

    /// When the next attempt is due.
    private(set) var due: Instant
    /// How many there were.
    private(set) var count = 0
    private var attempts = RateWindow(limit: rate)

    /// - Parameter isFirst: Whether the local peer made the lost link.
    init(isFirst: Bool, at now: Instant) { due = isFirst ? now : now.advanced(by: Self.courtesy) }

    /// An attempt is due: whether it may begin. The next one follows after a pause that chance makes up to a quarter shorter or longer.
    /// - Parameter chance: 0 to 1,000.
    mutating func tries(chance: Int, at now: Instant) -> Bool {
        let pause = Self.pauses[min(count, Self.pauses.count - 1)]
        due = now.advanced(by: pause * (750 + chance / 2) / 1_000)
        count += 1
        return attempts.take(1, at: now) == 1
    }
}
