import MultipeerCore

/// What has become of the messages of one queue. A link acknowledges them in order, so two numbers say it of all of them.
struct MessageResults {
    typealias Continuation = CheckedContinuation<MessageResult?, Never>

    /// The number of the last message that was accepted; the first has 1.
    private var accepted: UInt64 = 0
    /// Messages up to this number are delivered.
    private var delivered: UInt64 = 0
    /// Messages after those, up to this number, are in doubt.
    private var inDoubt: UInt64 = 0
    /// Whether the link has ended: what is neither delivered nor in doubt is not sent.
    private var isOver = false
    private var waiters: [(ticket: UInt64, number: UInt64, continuation: Continuation)] = []

    /// Takes the number of the next message.
    mutating func accept() -> UInt64 {
        accepted += 1
        return accepted
    }

    func result(of number: UInt64) -> MessageResult? {
        if number <= delivered { return .delivered }
        if number <= inDoubt { return .inDoubt }
        return isOver ? .notSent : nil
    }

    /// What did not arrive for certain, once the link has ended.
    var undelivered: UndeliveredMessages {
        var undelivered = UndeliveredMessages()
        guard isOver else { return undelivered }
        let sent = max(delivered, inDoubt)
        undelivered.notSent = Int(clamping: accepted - sent)
        undelivered.inDoubt = Int(clamping: sent - delivered)
        return undelivered
    }

    /// Notes the result of all messages up to a number that have none yet.
    mutating func note(_ result: MessageResult, upTo number: UInt64) {
        switch result {
        case .delivered: delivered = max(delivered, number)
        case .inDoubt: inDoubt = max(inDoubt, number)
        // It comes after all else, and is known at the end.
        case .notSent: break
        }
    }

    /// The link has ended.
    mutating func end() { isOver = true }

    mutating func wait(_ ticket: UInt64, for number: UInt64, _ continuation: Continuation) {
        waiters.append((ticket, number, continuation))
    }

    mutating func removeWaiter(_ ticket: UInt64) -> Continuation? {
        waiters.firstIndex { $0.ticket == ticket }.map { waiters.remove(at: $0).continuation }
    }

    /// Removes the waiters whose results are certain.
    mutating func takeSettled() -> [(Continuation, MessageResult)] {
        guard !waiters.isEmpty else { return [] }
        let settled = waiters.compactMap { waiter in result(of: waiter.number).map { (waiter.continuation, $0) } }
        waiters = waiters.filter { result(of: $0.number) == nil }
        return settled
    }
}

/// Which message of a queue has which tag of the link, in one driver.
///
/// Both grow by one for each message. Where the adapter gives the link messages of its own, a new run begins.
struct MessageNumbers {
    private var runs: [(number: UInt64, tag: UInt64)] = []
    private var last: UInt64 = 0

    /// The next message of the queue has this tag; nil if the link did not take it.
    mutating func append(_ tag: MessageTag?) {
        last += 1
        guard let tag else { return }
        if let run = runs.last, tag.number - run.tag == last - run.number { return }
        runs.append((last, tag.number))
    }

    /// The number of the last message of the queue whose tag is at most this one; nil if there is none. Runs before it are forgotten.
    mutating func number(upTo tag: MessageTag) -> UInt64? {
        guard let index = runs.lastIndex(where: { $0.tag <= tag.number }) else { return nil }
        runs.removeFirst(index)
        let end = runs.count > 1 ? runs[1].number - 1 : last
        return min(runs[0].number + (tag.number - runs[0].tag), end)
    }
}
