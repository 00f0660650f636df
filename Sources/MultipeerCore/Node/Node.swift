public import MultipeerCrypto
import MultipeerWire

/// One peer with all of its links and sessions, without any input or output of its own (SPEC §8.7, §14).
///
/// Feed it what happens: connections that come or that it asked for, bytes, their ends, time, and what the app wants. Then
/// drain it: ``nextReady()`` and ``transmit(on:into:at:)``, ``nextEffect()``, and read ``deadline``. The same configuration,
/// randomness and inputs give the same outputs.
///
/// ```swift
/// let session = try node.found(at: now)                       // or: accept an invitation, join by a memory
/// let link = node.opened(.initiator, expecting: ben, at: now) // the app has connected
/// try node.invite(on: link, to: session, at: now)
/// ```
public struct Node: ~Copyable {
    let environment: NodeEnvironment
    var links = LinkTable()
    var sessions: SessionTable
    var attempts: DialAttempts
    var reputation = PeerReputation()
    /// The associations that may outlive their links; nil if none does (SPEC §13.9).
    let book: AssociationBook?
    /// Those that wait for another link.
    var reconnections = Reconnections()
    var unconsumed = UnconsumedCreditByLink()
    /// The INVITEs that the app has accepted lately (R8.2-10).
    var accepted = AcceptedInvitations()
    /// The links on which something of the app waits for other links of its group.
    var waiting: [LinkNumber] = []
    /// What apps wait for that have invited.
    var calls = Calls()
    /// The groups that the app has left, and whose neighbours cannot hear it yet.
    var leaving = LeavingGroups()
    /// How many INVITEs have come.
    var inviteCount: UInt64 = 0
    /// What it knows of codes and short strings.
    var verificationBook = PairingState()
    /// How often the app has been asked about each peer.
    var questions = QuestionBounds()
    var effects = DrainQueue<NodeEffect>()
    /// Whether something has changed in what is dialled; and else, when the next member is due.
    var needsDialPass = false
    var nextDial: Instant?
    var now: Instant

    /// Begins a node without sessions.
    /// - Parameters:
    ///   - configuration: What it needs to know.
    ///   - random: Where unpredictable bytes come from.
    ///   - now: The time.
    public init(configuration: NodeConfiguration, random: any RandomSource, now: Instant) {
        environment = NodeEnvironment(configuration, random: random, now: now)
        sessions = SessionTable(environment)
        attempts = DialAttempts(rules: configuration.addressRules)
        book = configuration.grace > .zero ? AssociationBook() : nil
        self.now = now
    }

    /// The node's identity key.
    public var key: IdentityKey { environment.key }

    var configuration: NodeConfiguration { environment.configuration }

    // MARK: Outputs

    /// The next effect; nil when all are drained.
    public mutating func nextEffect() -> NodeEffect? {
        if let effect = effects.next() { return effect }
        return sessions.nextChanged().map { .memberChanged($0, $1) }
    }

    /// The next link that has bytes to transmit, or whose transport is to be closed for sending. Each comes once, until
    /// something changes: a driver whose transport takes no more continues by itself once it does.
    public mutating func nextReady() -> LinkNumber? { links.nextReady() }

    /// When to call ``timeout(at:holdsUnread:)``, unless another input changes it first. Nil: never.
    public var deadline: Instant? {
        mutating get {
            // A member that is due already waits for room, and not for time.
            let waits = Instant.earlier(
                Instant.earlier(calls.deadline(after: now), leaving.deadline), reconnections.deadline)
            let own = Instant.earlier(Instant.earlier(verificationBook.deadline, nextDial), waits)
            return Instant.earlier(
                Instant.earlier(links.deadline, sessions.deadline), Instant.earlier(attempts.deadline, own))
        }
    }

    // MARK: Time

    /// Lets whatever is due happen. Calls that come too early change nothing.
    ///
    /// As with `Link.timeout(at:)`, what has come over the links is given to them before: it shows that peers were not silent.
    /// - Parameters:
    ///   - now: The time.
    ///   - holdsUnread: Whether bytes of a link's peer wait where they were not read: then its silence proves nothing (R18-2).
    public mutating func timeout(at now: Instant, holdsUnread: (LinkNumber) -> Bool = { _ in false }) {
        begin(at: now, judgesSilence: true, holdsUnread: holdsUnread)
        settle()
    }

    /// Time has come so far: every input begins so, because a deadline that has passed acts first (R18-2). What links say that a
    /// driver has changed comes before what the node does then: what a link has told its session counts only with what it tells the node.
    mutating func begin(
        at now: Instant, judgesSilence: Bool = false, holdsUnread: (LinkNumber) -> Bool = { _ in false }
    ) {
        self.now = max(self.now, now)
        for link in links.takeDue(at: now) {
            if let deadline = link.flushDeadline, deadline <= now {
                release(link)
            } else {
                if judgesSilence, link.link.isSilent(at: now), holdsUnread(link.number) {
                    link.link.excuseSilence(at: now)
                }
                link.link.pass(at: now, judgesSilence: judgesSilence)
                if let held = link.heldVerdict, held.deadline <= now, link.isAlive { takeOver(by: link) }
                noteVisit(on: link)
            }
        }
        settleLinks()
        if verificationBook.timeout(at: now) { effects.append(.codeExpired) }
        while let (attempt, isConnecting, hasFailed) = attempts.endOverdue(at: now) {
            if isConnecting { effects.append(.cancelDial(attempt.number)) }
            needsDialPass = true  // there is room for another one
            if hasFailed { attemptFailed(attempt) }
        }
        if reconnections.deadline.map({ $0 <= now }) ?? false { timeoutReconnections() }
        guard sessions.isDue(at: now) else { return }
        for session in sessions.inOrder { timeout(session) }
    }

    /// The link that an input is for, if it is still there. What changes it is followed by ``settle()``.
    mutating func reach(_ number: LinkNumber, at now: Instant) -> NodeLink? {
        begin(at: now)
        return links[number]
    }

    private mutating func timeout(_ session: NodeSession) {
        if let deadline = session.membership.deadline, deadline <= now {
            do throws(LinkFailureCause) {
                try session.membership.timeout(at: now)
            } catch {
                signingFailed(error, in: session)
            }
        }
        guard session.digestDue <= now else { return }
        session.digestDue = now.advanced(by: NodeSession.digestPause)
        sendDigest(session)
    }

    // MARK: Settling

    /// Carries out what an input has led to, until nothing is left to be done.
    mutating func settle() {
        repeat { settleLinks() } while goOnWithWhatWaits() || endCalls() || leaveWhatWaits() || links.hasUnsettled
        resumeWhatIsDue()
        dialWhatIsDue()
    }

    private mutating func settleLinks() {
        repeat {
            while let link = links.nextUnsettled() {
                noteProof(of: link)
                // A link may move and end with the same bytes: its end is reported where it was then.
                noteMove(of: link)
                while let effect = link.nextEffect() {
                    take(effect, of: link)
                    noteMove(of: link)
                }
                if link.link.isFinished {
                    release(link)
                } else {
                    links.settle(link, patience: configuration.link.timeouts.closing, at: now)
                }
            }
        } while carryOutMembershipEvents() || unite() || closeLeftLinks()
    }

    /// The transport of a link is not needed any more (R16.3-2).
    mutating func release(_ link: NodeLink) {
        links.remove(link)
        effects.append(.released(link.number))
    }
}
