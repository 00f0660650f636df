import MultipeerCore

/// Memory that messages share: lent in instalments, in turns, and never so that all wait for each other (SPEC §13.5).
///
/// A message gets its next instalment when it has used most of the last, so that a peer that announces much and sends little holds little. An
/// instalment is lent only if the messages can be served to their ends in some order after that: the one that lacks least first, whose memory
/// serves the next one.
struct MessagePool: Sendable {
    /// The most that is lent at a time, in bytes.
    static let instalment = UInt64(1_048_576)

    /// Names a link.
    typealias Borrower = UInt64

    private struct Account {
        /// What is lent, in bytes.
        var held: UInt64 = 0
        /// What the message lacks beside that, in bytes.
        var lacking: UInt64 = 0
    }

    private struct Waiter {
        let borrower: Borrower
        let onGrant: @Sendable () -> Void
    }

    /// How many bytes are not lent.
    private(set) var free: UInt64
    private var accounts: [Borrower: Account] = [:]
    /// The waiters for an instalment. Groups take turns, and so do the links of a group.
    private var waiting: [(group: MemoryPools.Sharer, waiters: [Waiter])] = []
    /// Lent, and not taken by their links yet.
    private var granted: [Borrower: UInt64] = [:]

    init(bytes: UInt64) { free = bytes }

    /// Whether another link waits.
    func hasWaiters(beside borrower: Borrower) -> Bool {
        waiting.contains { $0.waiters.contains { $0.borrower != borrower } }
    }

    /// A message lacks N bytes, and wants an instalment.
    mutating func want(
        _ lacking: UInt64, for borrower: Borrower, of group: MemoryPools.Sharer, onGrant: @escaping @Sendable () -> Void
    ) {
        accounts[borrower, default: Account()].lacking = lacking
        let waiter = Waiter(borrower: borrower, onGrant: onGrant)
        if let index = waiting.firstIndex(where: { $0.group == group }) {
            waiting[index].waiters.append(waiter)
        } else {
            waiting.append((group, [waiter]))
        }
    }

    /// A message has come whole, perhaps without all that it lacked, because the app took others meanwhile. A link that
    /// waits for the rest gets nothing more, and is notified.
    mutating func settle(_ borrower: Borrower) {
        guard let held = accounts[borrower]?.held else { return }
        accounts[borrower] = held == 0 ? nil : Account(held: held)
    }

    /// Returns how many bytes a link was lent, once.
    mutating func takeGrant(of borrower: Borrower) -> UInt64? { granted.removeValue(forKey: borrower) }

    /// A link gives back so much of what it was lent.
    mutating func release(_ count: UInt64, of borrower: Borrower) {
        guard var account = accounts[borrower] else { return }
        let count = min(count, account.held)
        account.held -= count
        free += count
        accounts[borrower] = account.held == 0 && account.lacking == 0 ? nil : account
    }

    /// A link is over: it gives back everything, and waits no more.
    mutating func forget(_ borrower: Borrower) {
        for index in waiting.indices { waiting[index].waiters.removeAll { $0.borrower == borrower } }
        waiting.removeAll { $0.waiters.isEmpty }
        granted[borrower] = nil
        free += accounts.removeValue(forKey: borrower)?.held ?? 0
    }

    /// Lends what can be lent now. Returns the links that have got something, and what notifies them.
    mutating func lend() -> [(borrower: Borrower, onGrant: @Sendable () -> Void)] {
        var told: [(Borrower, @Sendable () -> Void)] = []
        while let (group, index) = next() {
            let waiter = waiting[group].waiters.remove(at: index)
            let turn = waiting.remove(at: group)
            if !turn.waiters.isEmpty { waiting.append(turn) }
            let part = lent(to: waiter.borrower)
            free -= part
            accounts[waiter.borrower] = afterwards(waiter.borrower)
            granted[waiter.borrower, default: 0] += part
            told.append((waiter.borrower, waiter.onGrant))
        }
        return told
    }

    /// The first in turn that can be lent its instalment.
    private func next() -> (group: Int, index: Int)? {
        guard !waiting.isEmpty else { return nil }
        let before = Self.servable(accounts, free)
        for (group, turn) in waiting.enumerated() {
            for (index, waiter) in turn.waiters.enumerated() where mayLend(to: waiter.borrower, keeping: before) {
                return (group, index)
            }
        }
        return nil
    }

    private func lent(to borrower: Borrower) -> UInt64 { min(accounts[borrower]?.lacking ?? 0, Self.instalment) }

    private func afterwards(_ borrower: Borrower) -> Account {
        let (account, part) = (accounts[borrower] ?? Account(), lent(to: borrower))
        return Account(held: account.held + part, lacking: account.lacking - part)
    }

    /// Whether this link's message, and each that could be served to its end `before`, still can once the link has its instalment.
    private func mayLend(to borrower: Borrower, keeping before: Set<Borrower>) -> Bool {
        let part = lent(to: borrower)
        guard part <= free else { return false }
        var after = accounts
        after[borrower] = afterwards(borrower)
        let servable = Self.servable(after, free - part)
        return servable.contains(borrower) && before.isSubset(of: servable)
    }

    /// The borrowers whose messages can be served to their ends, one after the other, if each gives back then what it
    /// holds.
    private static func servable(_ accounts: [Borrower: Account], _ free: UInt64) -> Set<Borrower> {
        var (available, served) = (free, Set<Borrower>())
        for (borrower, account) in accounts.sorted(by: { $0.value.lacking < $1.value.lacking }) {
            guard account.lacking <= available else { break }
            available += account.held
            served.insert(borrower)
        }
        return served
    }
}
