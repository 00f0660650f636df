import MultipeerCrypto
import MultipeerWire

/// A node's links by number, by peer, and by what they wait for.
struct LinkTable {
    private var links: [LinkNumber: NodeLink] = [:]
    /// All numbers, in ascending order: what a node does must not depend on how a dictionary is laid out.
    private var order: [LinkNumber] = []
    private var numbers: [IdentityKey: [LinkNumber]] = [:]
    private var lastNumber: UInt64 = 0
    private var deadlines = DeadlineQueue()
    private var ready = DrainQueue<NodeLink>()
    /// The links whose effects have to be drained.
    let changes = ChangedLinks()

    subscript(number: LinkNumber) -> NodeLink? { links[number] }

    /// How many there are.
    var count: Int { links.count }

    /// All links, the oldest first.
    var all: [NodeLink] { order.compactMap { links[$0] } }

    /// All links of a peer, the oldest first, those that are expected to be its own included.
    func links(of key: IdentityKey) -> [NodeLink] { (numbers[key] ?? []).compactMap { links[$0] } }

    mutating func nextNumber() -> LinkNumber {
        lastNumber += 1
        return LinkNumber(rawValue: lastNumber)
    }

    mutating func add(_ link: NodeLink) {
        links[link.number] = link
        order.append(link.number)
        if let key = link.expected { bind(link, to: key) }
        link.handle.noteChange()
    }

    /// The link is a peer's.
    mutating func bind(_ link: NodeLink, to key: IdentityKey) {
        var known = numbers[key] ?? []
        guard !known.contains(link.number) else { return }
        known.append(link.number)
        known.sort()
        numbers[key] = known
    }

    /// The link needs its transport no longer, or has lost it.
    mutating func remove(_ link: NodeLink) {
        link.isRemoved = true
        links[link.number] = nil
        order.removeAll { $0 == link.number }
        for key in [link.key, link.expected] {
            guard let key, var known = numbers[key] else { continue }
            known.removeAll { $0 == link.number }
            numbers[key] = known.isEmpty ? nil : known
        }
    }

    // MARK: What has changed

    /// Whether effects of a link have to be drained.
    var hasUnsettled: Bool { !changes.isEmpty }

    /// The next link whose effects have to be drained.
    func nextUnsettled() -> NodeLink? {
        while let number = changes.next() {
            if let link = links[number] { return link }
        }
        return nil
    }

    /// The effects of a link are drained. One that is over, and whose last bytes are not taken, has `patience`.
    mutating func settle(_ link: NodeLink, patience: Duration, at now: Instant) {
        if link.link.stage == .closed, link.flushDeadline == nil { link.flushDeadline = now.advanced(by: patience) }
        if link.link.hasOutput || link.link.isOutputFinished, !link.isReady {
            link.isReady = true
            ready.append(link)
        }
        let own = Instant.earlier(link.heldVerdict?.deadline, link.waitDeadline)
        let deadline = Instant.earlier(link.link.deadline ?? link.flushDeadline, own)
        guard deadline != link.deadline else { return }
        link.deadline = deadline
        if let deadline { deadlines.append(deadline, link.number) }
        if deadlines.count > 4 * links.count + 64 { rebuildDeadlines() }
    }

    private mutating func rebuildDeadlines() {
        deadlines.removeAll()
        for number in order {
            if let deadline = links[number]?.deadline { deadlines.append(deadline, number) }
        }
    }

    // MARK: What waits

    /// The next link that has something to transmit, or to end. Each once, until it changes again.
    mutating func nextReady() -> LinkNumber? {
        while let link = ready.next() {
            guard !link.isRemoved else { continue }
            link.isReady = false
            return link.number
        }
        return nil
    }

    /// When the first deadline of a link is.
    var deadline: Instant? {
        mutating get {
            while let (at, number) = deadlines.first {
                if links[number]?.deadline == at { return at }
                deadlines.removeFirst()
            }
            return nil
        }
    }

    /// The links whose deadlines have passed, each once. The caller lets them act.
    mutating func takeDue(at now: Instant) -> [NodeLink] {
        var due: [NodeLink] = []
        guard let first = deadlines.first, first.at <= now else { return due }
        while let deadline, deadline <= now, let number = deadlines.first?.link, let link = links[number] {
            deadlines.removeFirst()
            link.deadline = nil
            due.append(link)
        }
        return due
    }
}
