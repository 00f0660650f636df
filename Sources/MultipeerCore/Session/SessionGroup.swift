import MultipeerCrypto
import MultipeerWire

/// The sessions that an app holds as one (SPEC §4.3), and what UNITE makes of them (SPEC §14.11). A class, because links judge
/// UNITE in the middle of a record, each after the one before.
final class SessionGroup {
    /// How often a group follows within 60 s, and at UNITEs of one branch (R14.11-4).
    private static let followRate = 32
    private static let branchRate = 8

    private let sessions: SessionGroups
    /// Whether the group may enter the sessions of others. One without a number is a session by itself.
    private let mayFollow: Bool
    private(set) var memberships: [Membership] = []
    /// What the group has followed into, and the node has not taken up yet.
    private var followed: [Membership] = []
    /// What it would have followed into, if it had not done so too often.
    private var refused: [SessionID] = []
    private var follows = RateWindow(limit: followRate)
    /// The home that the app knows.
    var reportedHome: SessionID?
    private var followsByBranch: [IdentityKey?: RateWindow] = [:]

    init(in sessions: SessionGroups, mayFollow: Bool) {
        self.sessions = sessions
        self.mayFollow = mayFollow
    }

    func add(_ membership: Membership) {
        guard !memberships.contains(where: { $0 === membership }) else { return }
        memberships.append(membership)
    }

    func remove(_ membership: Membership) { memberships.removeAll { $0 === membership } }

    /// The least session that the group shares with others (SPEC §14.11); nil if there is none.
    var home: Membership? {
        memberships.filter { $0.isPresentMember && $0.isShared }.min { $0.session.id < $1.session.id }
    }

    /// Something has changed that UNITE may follow.
    func noteChange() { if memberships.count > 1 { sessions.signals.hasUnions = true } }

    func takeFollowed() -> Membership? { followed.isEmpty ? nil : followed.removeFirst() }
    func takeRefused() -> SessionID? { refused.isEmpty ? nil : refused.removeFirst() }

    // MARK: UNITE

    /// Whether another UNITE of a peer may be judged (R14.11-2).
    func mayJudge(uniteOf peer: IdentityKey, at now: Instant) -> Bool { sessions.mayJudge(uniteOf: peer, at: now) }

    func session(of unite: Unite) throws(LinkFailureCause) -> SessionCharter {
        do {
            return try SessionCharter(unite.charter, hashing: sessions.environment.crypto.hashing)
        } catch {
            throw LinkFailureCause(error)
        }
    }

    /// Checks the chain of the sender, and its admission of the local peer (R14.11-2).
    /// - Returns: The local peer's chain; nil if it is not admitted.
    /// - Throws: `entry_invalid`.
    func judge(
        _ unite: Unite, of peer: IdentityKey, for session: SessionCharter
    ) throws(LinkFailureCause) -> AdmissionChain? {
        let key = sessions.environment.key
        var verified = VerifiedAdmissions(verifier: sessions.environment.crypto.signatures)
        let sender = AdmissionChain(verifying: unite.chain, for: peer, in: session, with: &verified)
        guard let sender else { throw .violation(.entryInvalid) }
        guard !unite.admission.isEmpty else { return nil }
        let admission = Admission(admitter: peer.rawBytes, signature: unite.admission)
        guard sender.mayAdmit(in: session), verified.isValid(admission, of: key.rawBytes, in: session) else {
            throw .violation(.entryInvalid)
        }
        if key == session.founder { return AdmissionChain(founderOf: session) }
        let chain = [admission] + unite.chain
        guard let own = AdmissionChain(verifying: chain, for: key, in: session, with: &verified) else {
            throw .violation(.entryInvalid)
        }
        return own
    }

    /// Enters a lesser session, if nothing forbids it (R14.11-3, R14.11-4).
    /// - Parameter branch: That of the sender of UNITE, in the session of its direction.
    func follow(
        _ session: SessionCharter, by chain: AdmissionChain, from branch: IdentityKey?, at now: Instant
    ) throws(LinkFailureCause) {
        guard mayFollow, sessions.environment.configuration.followsUnions, let home,
            session.id < home.session.id, !sessions.isElsewhere(session.id, than: self)
        else { return }
        guard mayFollow(from: branch, at: now) else {
            sessions.signals.hasUnions = true
            return refused.append(session.id)
        }
        let known = memberships.first { $0.session.id == session.id }
        let membership = known ?? sessions.makeMembership(session, at: now)
        if known == nil {
            memberships.append(membership)
            followed.append(membership)
        }
        try membership.take(chain, at: now)
        membership.share()
    }

    private func mayFollow(from branch: IdentityKey?, at now: Instant) -> Bool {
        followsByBranch = followsByBranch.filter { $0.value.isInUse(at: now) }
        var ofBranch = followsByBranch[branch] ?? RateWindow(limit: Self.branchRate)
        guard follows.nextRoom(at: now) == nil, ofBranch.nextRoom(at: now) == nil else { return false }
        _ = ofBranch.take(1, at: now)
        followsByBranch[branch] = ofBranch
        return follows.take(1, at: now) == 1
    }
}

/// All groups of a node.
final class SessionGroups {
    /// How many UNITEs of one peer are judged within 60 s (R14.11-2).
    private static let uniteRate = 16
    /// Of how many peers there is a count before old ones are looked for.
    private static let mostCounts = 256

    let environment: NodeEnvironment
    let signals: SessionSignals
    private var groups: [GroupNumber: SessionGroup] = [:]
    private var unites: [IdentityKey: RateWindow] = [:]

    init(_ environment: NodeEnvironment, signals: SessionSignals) {
        self.environment = environment
        self.signals = signals
    }

    /// A group of the app; one of its own without a number.
    func group(_ number: GroupNumber?) -> SessionGroup {
        guard let number else { return SessionGroup(in: self, mayFollow: false) }
        if let known = groups[number] { return known }
        let group = SessionGroup(in: self, mayFollow: true)
        groups[number] = group
        return group
    }

    /// A group is gone with its last session.
    func prune(_ number: GroupNumber) {
        if groups[number]?.memberships.isEmpty ?? false { groups[number] = nil }
    }

    /// Whether another group of the app is in a session.
    func isElsewhere(_ session: SessionID, than group: SessionGroup) -> Bool {
        groups.values.contains { other in
            other !== group && other.memberships.contains { $0.session.id == session }
        }
    }

    func mayJudge(uniteOf peer: IdentityKey, at now: Instant) -> Bool {
        if unites.count >= Self.mostCounts { unites = unites.filter { $0.value.isInUse(at: now) } }
        return unites[peer, default: RateWindow(limit: Self.uniteRate)].take(1, at: now) == 1
    }

    func makeMembership(_ session: SessionCharter, remembering instance: UInt64? = nil, at now: Instant) -> Membership {
        Membership(
            session, as: environment.configuration.link.identity, shown: environment.configuration.shown,
            crypto: environment.crypto, clock: environment.clock, signals: signals, remembered: instance, at: now)
    }
}
