import MultipeerCore

/// Messages whose senders are suspended, in order.
struct WaitingSends {
    struct Entry {
        let ticket: UInt64
        let message: [UInt8]
        let continuation: CheckedContinuation<SendFailure?, Never>
    }

    private var entries: [Entry?] = []
    private var head = 0
    /// Tickets whose task was cancelled before the message arrived here.
    private var cancelled: Set<UInt64> = []

    var isEmpty: Bool { count == 0 }
    private(set) var count = 0

    mutating func append(_ entry: Entry) {
        if cancelled.remove(entry.ticket) != nil {
            entry.continuation.resume(returning: .cancelled)
        } else {
            entries.append(entry)
            count += 1
        }
    }

    mutating func removeFirst() -> Entry? {
        while head < entries.count {
            let entry = entries[head]
            entries[head] = nil
            head += 1
            trim()
            if let entry {
                count -= 1
                return entry
            }
        }
        return nil
    }

    private mutating func trim() {
        if head == entries.count || head > 64 && head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    mutating func cancel(_ ticket: UInt64) {
        if let index = entries.firstIndex(where: { $0?.ticket == ticket }), let entry = entries[index] {
            entries[index] = nil
            count -= 1
            entry.continuation.resume(returning: .cancelled)
        } else {
            cancelled.insert(ticket)
        }
    }

    /// The sender of the ticket has its answer.
    mutating func forget(_ ticket: UInt64) { cancelled.remove(ticket) }
}

extension LinkHandler {
    /// Queues the message, or lets its sender wait.
    func enqueue(_ entry: WaitingSends.Entry) {
        waitingSends.append(entry)
        settle()
    }

    func cancelSend(_ ticket: UInt64) {
        waitingSends.cancel(ticket)
    }

    /// Queues messages of waiting senders while there is room. Returns whether it did.
    func admitWaitingSends() -> Bool {
        guard !waitingSends.isEmpty else { return false }
        // Once the queue was full, it has to fall low before senders go on.
        guard link.queuedByteCount <= (isSendGateClosed ? options.sends.low : options.sends.high - 1) else {
            return false
        }
        isSendGateClosed = false
        var hasAdmitted = false
        while link.queuedByteCount < options.sends.high, let entry = waitingSends.removeFirst() {
            entry.continuation.resume(returning: queue(entry.message))
            hasAdmitted = true
        }
        isSendGateClosed = link.queuedByteCount >= options.sends.high
        return hasAdmitted
    }

    private func queue(_ message: [UInt8]) -> SendFailure? {
        do {
            try link.send(message)
            return nil
        } catch {
            return .misuse(error)
        }
    }

    /// The link takes nothing more.
    func failWaitingSends() {
        while let entry = waitingSends.removeFirst() {
            entry.continuation.resume(returning: queue(entry.message))
        }
    }
}
