import MultipeerCrypto

/// A node's sessions, in the order in which it entered them, and when they have something to do.
struct SessionTable {
    let signals = SessionSignals()
    let groups: SessionGroups
    private var sessions: [SessionID: NodeSession] = [:]
    /// What a node does must not depend on how a dictionary is laid out.
    private(set) var inOrder: [NodeSession] = []
    private var nextCheck: Instant?
    private var nextDeadline: Instant?

    init(_ environment: NodeEnvironment) { groups = SessionGroups(environment, signals: signals) }

    subscript(id: SessionID) -> NodeSession? { sessions[id] }

    mutating func add(_ session: NodeSession) {
        sessions[session.id] = session
        inOrder.append(session)
        signals.hasDeadlines = true
    }

    mutating func remove(_ id: SessionID) {
        sessions[id]?.leaveGroup(groups)
        sessions[id] = nil
        inOrder.removeAll { $0.id == id }
        signals.hasDeadlines = true
    }

    /// The sessions of a session's group, itself included.
    func group(of session: NodeSession) -> [NodeSession] {
        inOrder.filter { $0.sharing === session.sharing }
    }

    /// The sessions of a group, in the order in which the node entered them.
    func group(of affiliation: Affiliation) -> [NodeSession] {
        inOrder.filter { $0.affiliation.isOneGroup(with: affiliation) }
    }

    // MARK: Time

    /// When the first of them has something to do.
    var deadline: Instant? {
        mutating get {
            lookForDeadlines()
            return nextDeadline
        }
    }

    /// Whether one of them is to be looked at. That is more often than one has something to do.
    mutating func isDue(at now: Instant) -> Bool {
        lookForDeadlines()
        return nextCheck.map { $0 <= now } ?? false
    }

    private mutating func lookForDeadlines() {
        guard signals.hasDeadlines else { return }
        signals.hasDeadlines = false
        (nextCheck, nextDeadline) = (nil, nil)
        for session in inOrder {
            nextCheck = Instant.earlier(nextCheck, session.nextCheck)
            nextDeadline = Instant.earlier(nextDeadline, session.deadline)
        }
    }

    // MARK: What the app sees

    /// The next member of which there is something new to see.
    func nextChanged() -> (SessionID, IdentityKey)? {
        guard signals.hasChanges else { return nil }
        for session in inOrder {
            if let member = session.nextChanged() { return (session.id, member) }
        }
        signals.hasChanges = false
        return nil
    }
}
