import MultipeerCrypto
import MultipeerWire

/// This member's part in one session: its roster, and what it says of itself (SPEC §14).
///
/// It knows no links. Links hand it what comes, each by a ``SessionExchange``, and the node carries out its
/// ``nextEvent()``s. A class because all links of the session share it, and judge frames in place: what follows an
/// entry that does not verify is not looked at (R6.3-2).
final class Membership {
    let session: SessionCharter
    private let crypto: CryptoProvider
    private let signer: any IdentitySigner
    private let clock: WallClock
    /// How the node learns that it has to look.
    let signals: SessionSignals
    private(set) var roster: Roster
    /// The members whose entries have come over a link within this host: their loopback addresses are those of this host (R14.8-4).
    private var onThisHost: Set<IdentityKey> = []
    private var budget = EntryBudget()
    private(set) var own: OwnEntry { didSet { signals.hasDeadlines = true } }
    /// The chain by which this peer is a member; nil until ADMIT has come.
    private(set) var chain: AdmissionChain? { didSet { signals.hasDeadlines = true } }
    /// What the local entry says.
    private(set) var presence = RosterEntry.Presence.present { didSet { signals.hasDeadlines = true } }
    private var shown: ShownMember
    /// When an entry that would be one too many in a minute is signed.
    private var changeDue: Instant? { didSet { signals.hasDeadlines = true } }
    private var events = DrainQueue<MembershipEvent>()
    /// Whether there is, or was, another present member while this peer was one (SPEC §14.11).
    private(set) var isShared = false

    init(
        _ session: SessionCharter, as signer: any IdentitySigner, shown: ShownMember, crypto: CryptoProvider,
        clock: WallClock, signals: SessionSignals, remembered instance: UInt64? = nil, at now: Instant
    ) {
        self.session = session
        self.signer = signer
        self.shown = shown
        self.crypto = crypto
        self.clock = clock
        self.signals = signals
        roster = Roster(session, owner: signer.identityKey, hashing: crypto.hashing, verifier: crypto.signatures)
        own = OwnEntry(milliseconds: clock.milliseconds(at: now), remembered: instance)
        if session.founder == signer.identityKey { chain = AdmissionChain(founderOf: session) }
    }

    /// The local member's identity key.
    var key: IdentityKey { signer.identityKey }

    /// Whether this peer is a present member: it was admitted, and has not left.
    var isPresentMember: Bool { chain != nil && presence == .present }
    /// Whether the local peer has entered the session, and ADMIT has not come.
    var isAwaitingAdmission: Bool { chain == nil && presence == .present }

    /// What the node has to carry out; nil when there is nothing more.
    func nextEvent() -> MembershipEvent? { events.next() }

    private func tell(_ event: MembershipEvent) {
        events.append(event)
        signals.hasEvents = true
    }

    // MARK: This member

    /// Takes a chain of one's own, and signs an entry with it, unless there is one that is as short (SPEC §14.5). A founder that has lost
    /// its memory has a chain, and no entry.
    func take(_ other: AdmissionChain, at now: Instant) throws(LinkFailureCause) {
        let isShorter = chain.map { other.admissions.count < $0.admissions.count } ?? true
        guard isShorter || own.newest == nil else { return }
        if isShorter { chain = other }
        try announce(at: now)
    }

    /// This peer has others here from now on (SPEC §14.11).
    func share() {
        guard !isShared else { return }
        isShared = true
        signals.hasUnions = true
    }

    private func shareIfInCompany() {
        guard !isShared, isPresentMember, roster.all.contains(where: { $0.isPresent && $0.member != key }) else {
            return
        }
        share()
    }

    /// A signature by which this member admits a peer; nil if it may not (R14.2-2).
    func signature(admitting peer: IdentityKey) throws(LinkFailureCause) -> [UInt8]? {
        guard mayAdmit else { return nil }
        do {
            let message = AdmissionChain.message(admitting: peer.rawBytes, to: session)
            return try signer.sign(message.span)
        } catch {
            throw .crypto(error)
        }
    }

    /// Takes the chain of ADMIT.
    /// - Throws: `entry_invalid` for one that is not valid for this member (R14.5-1).
    func receive(_ admit: Admit, at now: Instant) throws(LinkFailureCause) {
        guard let chain = roster.chain(admit.chain, for: key) else { throw .violation(.entryInvalid) }
        try take(chain, at: now)
    }

    /// A chain that was kept; nil if it is not valid for this member.
    func recalled(_ admissions: [Admission]) -> AdmissionChain? { roster.chain(admissions, for: key) }

    /// A chain for a newcomer; nil if this member may not admit (R14.1-2, R14.2-2).
    func admission(of newcomer: IdentityKey) throws(LinkFailureCause) -> AdmissionChain? {
        guard isPresentMember, let chain else { return nil }
        do {
            return try chain.admitting(newcomer, by: signer, in: session)
        } catch {
            throw .crypto(error)
        }
    }

    /// Whether this member may admit others (R14.1-2, R14.2-2).
    var mayAdmit: Bool { isPresentMember && chain?.mayAdmit(in: session) == true }

    /// Leaves the session, or comes back (SPEC §14.9). Signs an entry that says so.
    func become(_ presence: RosterEntry.Presence, at now: Instant) throws(LinkFailureCause) {
        guard self.presence != presence else { return }
        self.presence = presence
        try announce(at: now)
    }

    /// Changes what this member shows: at once, or as soon as it has not signed too much (R14.6-8).
    func show(_ shown: ShownMember, at now: Instant) throws(LinkFailureCause) {
        guard self.shown != shown else { return }
        self.shown = shown
        changeDue = own.nextChange(at: now)
        if changeDue == nil { try announce(at: now) }
    }

    /// Whether this member says where it listens.
    var showsAddresses: Bool { !shown.addresses.isEmpty }

    /// Signs a new entry of this member. Without a chain there is none.
    func announce(at now: Instant) throws(LinkFailureCause) {
        guard let chain else { return }
        changeDue = nil
        let entry: VerifiedEntry
        do {
            let content = shown.content(presence: presence, chain: chain)
            entry = try own.sign(content, by: signer, in: session, hashing: crypto.hashing, at: now)
        } catch {
            throw .crypto(error)
        }
        tell(.signed(entry))
        try note(roster.insert(own: entry), at: now)
    }

    // MARK: Entries that came

    /// An entry has come from a neighbour. Whether it may be judged (R14.6-8).
    func mayJudge(_ entry: RosterEntry, from neighbour: IdentityKey, at now: Instant) -> Bool {
        budget.take(
            from: neighbour, of: roster[neighbour]?.branch, isOwn: entry.content.member == neighbour.rawBytes, at: now)
    }

    /// Takes an entry, of whomever (R14.4-1).
    /// - Throws: `entry_invalid` for one that does not verify. Nothing changes then.
    func take(
        _ entry: RosterEntry, isFromThisHost: Bool, at now: Instant
    ) throws(LinkFailureCause) -> Roster.Outcome {
        guard entry.content.member == key.rawBytes else {
            let outcome = try roster.insert(entry)
            noteHost(of: entry, outcome, isFromThisHost)
            try note(outcome, at: now)
            return outcome
        }
        return try takeOwn(entry, at: now)
    }

    /// Whether the entry of a member has come over a link within this host.
    func isOnThisHost(_ member: IdentityKey) -> Bool { onThisHost.contains(member) }

    private func noteHost(of entry: RosterEntry, _ outcome: Roster.Outcome, _ isFromThisHost: Bool) {
        for dropped in outcome.dropped { onThisHost.remove(dropped.member) }
        switch outcome.insertion {
        case .kept(let kept, _):
            if isFromThisHost { onThisHost.insert(kept.member) } else { onThisHost.remove(kept.member) }
        case .known:
            guard isFromThisHost, let member = try? IdentityKey(rawBytes: entry.content.member) else { return }
            if onThisHost.insert(member).inserted, let known = roster[member] {
                tell(.kept(known, isNewRun: false))  // there are more addresses to try
            }
        case .noRoom, .older, .outdated: break
        }
    }

    /// Takes an entry of this member, which another program has signed, or an earlier run (R14.7-2).
    private func takeOwn(_ entry: RosterEntry, at now: Instant) throws(LinkFailureCause) -> Roster.Outcome {
        let outcome = try roster.insert(entry)
        switch outcome.insertion {
        case .kept(let entry, _): try answer(own.receive(entry, at: now), at: now)
        case .noRoom(let entry): try answer(own.receive(entry, at: now), at: now)
        case .older(let newest), .outdated(let newest):
            // Whether it contradicts counts only if it verifies.
            guard roster.version(of: entry).contradicts(newest.version) else { break }
            try answer(own.receive(try roster.verify(entry), at: now), at: now)
        case .known: break
        }
        return outcome
    }

    private func answer(_ answer: OwnEntry.Answer, at now: Instant) throws(LinkFailureCause) {
        if answer.isSuspicious { tell(.twinSuspected) }
        if answer.signsNow { try announce(at: now) }
    }

    private func note(_ outcome: Roster.Outcome, at now: Instant) throws(LinkFailureCause) {
        if case .kept(let entry, let replaced) = outcome.insertion {
            let isNewRun = replaced.map { $0.version.instance < entry.version.instance } ?? false
            tell(.kept(entry, isNewRun: isNewRun))
        }
        shareIfInCompany()
        for entry in outcome.dropped { tell(.dropped(entry.member)) }
        if case .kept(let entry, _) = outcome.insertion, outcome.isContradiction {
            tell(.contradiction(entry.member))
        }
        if case .older(let newest) = outcome.insertion, outcome.isContradiction {
            tell(.contradiction(newest.member))
        }
        try keepPlace(outcome, at: now)
    }

    /// A member of which others do not hear reports that to its app, and may come before others by a new run (SPEC
    /// §14.4).
    private func keepPlace(_ outcome: Roster.Outcome, at now: Instant) throws(LinkFailureCause) {
        var hasLost = outcome.dropped.contains { $0.member == key }
        if case .noRoom(let entry) = outcome.insertion, entry.member == key { hasLost = true }
        guard hasLost else { return }
        tell(.placeLost)
        if presence == .present, own.renews(milliseconds: clock.milliseconds(at: now), at: now) {
            try announce(at: now)
        }
    }

    /// Passes the first entry of a newcomer on to the others (R14.6-7).
    func passOn(_ entry: VerifiedEntry) { tell(.newcomer(entry)) }

    /// The digest of the roster as it is now.
    func receive(
        _ digest: DigestFrame, over exchange: inout DigestExchange, at now: Instant
    ) throws(LinkFailureCause) -> Summary? {
        try exchange.receive(digest, roster: &roster, at: now)
    }

    /// DIGEST of the roster.
    func digestFrame() -> DigestFrame { DigestFrame(digest: roster.currentDigest()) }

    // MARK: Time

    /// When to call ``timeout(at:)``.
    var deadline: Instant? {
        guard let other = own.deadline else { return changeDue }
        return changeDue.map { min($0, other) } ?? other
    }

    /// Signs what had to wait.
    func timeout(at now: Instant) throws(LinkFailureCause) {
        try answer(own.timeout(at: now), at: now)
        if let changeDue, now >= changeDue { try announce(at: now) }
    }
}

extension Membership {
    /// What a later run needs.
    var memory: SessionMemory {
        SessionMemory(
            charter: session.charter, chain: chain?.admissions, instance: own.instance,
            entries: roster.inOrder.map(\.entry), onThisHost: onThisHost)
    }

    /// Takes what an earlier run has kept. What does not verify is left out: it may have been stored badly.
    func recall(_ memory: SessionMemory, at now: Instant) throws(LinkFailureCause) {
        for entry in memory.entries where entry.content.member != key.rawBytes {
            do throws(LinkFailureCause) {
                let isFromThisHost = (try? IdentityKey(rawBytes: entry.content.member)).map(memory.onThisHost.contains)
                _ = try take(entry, isFromThisHost: isFromThisHost ?? false, at: now)
            } catch {
                continue
            }
        }
        if chain != nil {
            try announce(at: now)
        } else if let admissions = memory.chain, let chain = recalled(admissions) {
            try take(chain, at: now)
        }
    }
}
