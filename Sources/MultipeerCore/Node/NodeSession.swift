import MultipeerCrypto
import MultipeerWire

/// A session as a node sees it: the membership, and what it remembers of the other members. Links are the node's.
final class NodeSession {
    /// How long it takes from one DIGEST to a neighbour to the next (R14.6-3).
    static let digestPause: Duration = .seconds(30)
    /// How long a member is counted to which there is no link (R14.1-2).
    static let absence: Duration = .seconds(60)
    /// Of how many peers without an entry something is remembered.
    static let mostStrangers = 256
    /// How many peers are remembered that the app has turned away.
    static let mostTurnedAway = 1_024

    let membership: Membership
    /// The group of the app to which it belongs; nil if it is one of its own. A session that the local peer has left can come back in
    /// another one.
    private(set) var group: GroupNumber?
    /// What it shares with the other sessions of the group.
    private(set) var sharing: SessionGroup
    private var records: [IdentityKey: MemberRecord] = [:]
    /// The members of which something is planned.
    private var planned: Set<IdentityKey> = []
    /// Peers without an entry of which something is remembered, the oldest first.
    private var strangers: [IdentityKey] = []
    /// Peers of which the local app has closed the last link or declined the last INVITE, and for which it has not asked since
    /// (R14.8-2). They are no part of the records: anybody can have a record forgotten, by being a stranger or by
    /// taking a place in the roster.
    private(set) var turnedAway = PeersByBranch(capacity: mostTurnedAway)
    var digestDue: Instant { didSet { membership.signals.hasDeadlines = true } }
    /// What the local peer brings into links between members of this session; nil for what the node brings into any
    /// (R14.8-2).
    var memberTerms: SessionTerms?
    /// Whether the session was founded for one invitation, or joined by one, and no link has been open yet.
    var isProvisional: Bool
    /// Members of which the app has something new to see, in the order in which that happened.
    private var changed: [IdentityKey] = []
    private var isChanged: Set<IdentityKey> = []

    init(
        _ membership: Membership, in group: GroupNumber?, of groups: SessionGroups, isProvisional: Bool, at now: Instant
    ) {
        self.membership = membership
        self.group = group
        sharing = groups.group(group)
        sharing.add(membership)
        self.isProvisional = isProvisional
        digestDue = now.advanced(by: Self.digestPause)
    }

    /// It belongs to another group from now on.
    func enter(_ group: GroupNumber?, of groups: SessionGroups) {
        guard let group, group != self.group else { return }
        leaveGroup(groups)
        self.group = group
        sharing = groups.group(group)
        sharing.add(membership)
    }

    func leaveGroup(_ groups: SessionGroups) {
        sharing.remove(membership)
        if let group { groups.prune(group) }
    }

    var id: SessionID { membership.session.id }
    var affiliation: Affiliation { Affiliation(group: group, session: id) }
    var key: IdentityKey { membership.key }
    var charter: SessionCharter { membership.session }

    /// The entry of a member.
    func entry(of member: IdentityKey) -> VerifiedEntry? { membership.roster[member] }

    /// The branch of a peer (SPEC §14.4), by its entry or else by a chain that it has shown; nil for one that has shown none.
    func branch(of peer: IdentityKey, showing chain: [Admission] = []) -> IdentityKey? {
        entry(of: peer)?.branch ?? (chain.isEmpty ? nil : chain.branch(of: peer))
    }

    /// Where a member lists that it can be dialled, in its order.
    func targets(of member: IdentityKey) -> [DialTarget] {
        guard let entry = entry(of: member) else { return [] }
        let isFromThisHost = membership.isOnThisHost(member)
        return entry.entry.content.addresses.map { address in
            DialTarget(
                address: address, member: member, branch: entry.branch, isFromThisHost: isFromThisHost)
        }
    }

    /// All other members of the roster, in ascending order.
    var others: [IdentityKey] { membership.roster.members.filter { $0 != key } }

    // MARK: Records

    /// What is remembered of a member.
    func record(of member: IdentityKey) -> MemberRecord { records[member] ?? MemberRecord() }

    /// Remembers something of a member. Of peers without an entry the oldest is forgotten: anybody can be one.
    func change(_ member: IdentityKey, _ record: MemberRecord) {
        if records[member] == nil, entry(of: member) == nil {
            strangers.append(member)
            if strangers.count > Self.mostStrangers {
                let oldest = strangers.removeFirst()
                if entry(of: oldest) == nil { drop(oldest) }
            }
        }
        records[member] = record
        if record.plan.due != nil { planned.insert(member) } else { planned.remove(member) }
    }

    private func drop(_ member: IdentityKey) {
        records[member] = nil
        planned.remove(member)
    }

    /// The entry of a member was dropped, or the app forgets it.
    func forget(_ member: IdentityKey) {
        drop(member)
        strangers.removeAll { $0 == member }
    }

    /// A member is dialled and accepted again as if nothing had been.
    func welcome(_ member: IdentityKey) {
        var record = record(of: member)
        record.avoidance = nil
        record.plan.renew()
        change(member, record)
        turnedAway.remove(member)
    }

    /// Whether the app is asked about a peer's INVITE because it has turned the peer away.
    func isTurnedAway(_ peer: IdentityKey) -> Bool { turnedAway.contains(peer) }

    /// The local app has closed the last link to a member, or declined its last INVITE: it is asked about until the app asks for it.
    /// - Parameters:
    ///   - member: The peer.
    ///   - chain: The chain that it has shown, if any.
    ///   - avoidance: Why it is not dialled from now on, where no end of a link will tell.
    func turnAway(_ member: IdentityKey, showing chain: [Admission] = [], avoiding avoidance: Avoidance? = nil) {
        turnedAway.insert(member, of: branch(of: member, showing: chain))
        var record = record(of: member)
        record.isAskedFor = false
        if let avoidance {
            (record.avoidance, record.avoidedInstance) = (avoidance, entry(of: member)?.version.instance)
        }
        change(member, record)
    }

    /// Members that are not dialled elsewhere are not dialled here.
    func takeAvoidances(of other: NodeSession) {
        for (member, theirs) in other.records {
            guard let avoidance = theirs.avoidance, record(of: member).avoidance == nil else { continue }
            var record = record(of: member)
            (record.avoidance, record.avoidedInstance) = (avoidance, entry(of: member)?.version.instance)
            change(member, record)
        }
    }

    /// The local app asks for a member: whatever was held against it is over.
    func askFor(_ member: IdentityKey) {
        welcome(member)
        var record = record(of: member)
        record.isAskedFor = true
        change(member, record)
    }

    // MARK: What the app sees

    /// There is something new to see of a member. Only the newest counts, so that this is a set.
    func note(_ member: IdentityKey) {
        guard member != key, isChanged.insert(member).inserted else { return }
        changed.append(member)
        membership.signals.hasChanges = true
    }

    /// The next member of which there is something new to see.
    func nextChanged() -> IdentityKey? {
        guard !changed.isEmpty else { return nil }
        let next = changed.removeFirst()
        isChanged.remove(next)
        return next
    }

    // MARK: Time

    /// When there is something to do.
    var deadline: Instant? { membership.isPresentMember ? nextCheck : membership.deadline }

    /// When to look whether there is. Digests are due whether anybody is to get one or not.
    var nextCheck: Instant? { Instant.earlier(membership.deadline, digestDue) }

    // MARK: Counting

    /// How many members the local peer counts (R14.1-2): itself, those that are present, and `invited`, which have no
    /// entry yet. Those to which there has been no link for 60 s are left out.
    func memberCount(invited: Int, at now: Instant) -> Int {
        let present = membership.roster.all.count { entry in
            guard entry.isPresent, entry.member != key else { return false }
            guard let since = records[entry.member]?.unlinkedSince else { return true }
            return now < since.advanced(by: Self.absence)
        }
        return 1 + present + invited
    }

    // MARK: Dialling

    /// When the next member is to be dialled that is not due yet.
    func nextDial(after now: Instant) -> Instant? {
        planned.compactMap { records[$0]?.plan.due }.filter { $0 > now }.min()
    }

    /// Members that are due, in the order of R14.8-6: linked before, then tried least. Keys settle the rest, so that the order
    /// does not depend on how a set is laid out.
    func dueMembers(at now: Instant) -> [IdentityKey] {
        let due = planned.filter { member in records[member]?.plan.due.map { $0 <= now } ?? false }
        return due.sorted { one, two in
            let (left, right) = (record(of: one), record(of: two))
            if left.hasBeenLinked != right.hasBeenLinked { return left.hasBeenLinked }
            if left.plan.tries != right.plan.tries { return left.plan.tries < right.plan.tries }
            return one < two
        }
    }
}
