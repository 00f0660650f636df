import MultipeerCore

/// Watches whether the payload of an open link makes progress in both directions. It is pure: the time comes from outside.
struct ProgressWatch {
    /// How much must come or go within the patience, unless all that waits has. A peer that sends, takes or allows a byte now and then
    /// makes no progress.
    private static let leastBytes: UInt64 = 16_384

    /// What is known of one direction while it waits for the peer.
    private struct Wait {
        var mark: PayloadProgress.Mark
        var since: Instant
    }

    /// How long a direction may make no progress, or nil for ever.
    private let patience: Duration?
    /// Whether messages without credit count as standing still.
    private let countsCredit: Bool
    private var sending: Wait?
    private var receiving: Wait?
    /// When to look again. It moves only when it is reached, so that progress costs no timer.
    private(set) var deadline: Instant?

    init(patience: Duration?, countsCredit: Bool) {
        self.patience = patience
        self.countsCredit = countsCredit
    }

    /// Compares the progress with what it was.
    ///
    /// - Parameters:
    ///   - progress: Nil when the link is not open.
    ///   - isBlocked: Whether the transport takes nothing, so that what it holds waits for the peer as well.
    ///   - isPaused: Whether the local peer does not read, so that the remote peer cannot continue.
    mutating func note(_ progress: PayloadProgress?, isBlocked: Bool, isPaused: Bool, at now: Instant) {
        guard let patience else { return }
        guard let progress else {
            (sending, receiving, deadline) = (nil, nil, nil)
            return
        }
        Self.update(
            &sending, waits: progress.isSending || isBlocked || countsCredit && progress.hasUnsentMessages,
            mark: progress.sent, at: now)
        Self.update(
            &receiving, waits: progress.isReceiving && !isPaused, mark: progress.received, at: now)
        if deadline == nil, sending != nil || receiving != nil { deadline = now.advanced(by: patience) }
    }

    private static func update(
        _ wait: inout Wait?, waits: Bool, mark: PayloadProgress.Mark, at now: Instant
    ) {
        guard waits else {
            wait = nil
            return
        }
        if let known = wait, known.mark.steps == mark.steps, mark.bytes - known.mark.bytes < Self.leastBytes { return }
        wait = Wait(mark: mark, since: now)
    }

    /// Returns which direction has stood still too long, if one has.
    mutating func stall(at now: Instant) -> LocalLimit? {
        guard let patience, let due = deadline, now >= due else { return nil }
        deadline = nil
        if let sending, sending.since.advanced(by: patience) <= now { return .sendingStalled }
        if let receiving, receiving.since.advanced(by: patience) <= now { return .receivingStalled }
        deadline = [sending, receiving].compactMap { $0?.since.advanced(by: patience) }.min()
        return nil
    }
}
