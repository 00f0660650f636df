import MultipeerCore
import Synchronization

/// A queue of messages from tasks to the link. It accepts messages without a hop while there is room, and suspends
/// their senders, in order, while there is none.
///
/// Both count: what the driver has not taken yet, and what the link has queued. At the high watermark the queue is
/// full, and at the low one it accepts messages again.
public final class SendQueue: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let message: [UInt8]
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private typealias Outcome = Result<UInt64, SendFailure>

    private struct State {
        /// Whether the link takes messages.
        var isOpen = false
        /// The length of the longest message that the peer accepts.
        var maximum: UInt64 = 0
        /// The messages that have been accepted and not yet passed to the link.
        var accepted: [[UInt8]] = []
        var acceptedBytes = 0
        /// What has become of all that were accepted.
        var results = MessageResults()
        /// The number of bytes that the link has queued.
        var linkBytes = 0
        var isFull = false
        var waiters: [Waiter] = []
        /// Whether the link or the transport holds something that has not left.
        var isHeld = false
        /// Whether no link carries the association, and another one may soon.
        var isSuspended = false
        /// Those that wait until all has left.
        var watchers: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var lastTicket: UInt64 = 0
        /// The tickets whose task was cancelled before it entered the queue.
        var cancelled: Set<UInt64> = []
        /// Whether the driver has been woken, or is at work, and will look for messages again before it stops.
        var isAwake = false
        var onWake: (@Sendable () -> Void)?
        /// Since when something has waited, as far as anybody has asked (``SendQueue/trySend(_:at:)``).
        var busySince: ContinuousClock.Instant?

        /// Whether a sender need not wait.
        var hasRoom: Bool { !isFull && waiters.isEmpty }
        var isIdle: Bool { accepted.isEmpty && linkBytes == 0 && waiters.isEmpty }
        var hasLeft: Bool { isIdle && !isHeld && !isSuspended }
    }

    private let watermarks: Watermarks
    private let state = Mutex(State())

    init(watermarks: Watermarks) {
        self.watermarks = watermarks
    }

    // MARK: Tasks

    /// Queues a message of at most the peer's maximum length, at once or in its turn, and wakes the driver if
    /// necessary.
    /// - Returns: The message, which tells what has become of it.
    /// - Throws: ``SendFailure``. If the call is cancelled, the message has not been queued.
    @discardableResult
    public func send(
        _ message: [UInt8], isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SendFailure) -> SentMessage {
        guard !Task.isCancelled else { throw .cancelled }
        let (turn, wake) = state.withLock { state in offer(message, to: &state) }
        wake?()
        switch turn {
        case .settled(let outcome): return SentMessage(number: try outcome.get(), queue: self)
        case .mustWait(let ticket):
            return SentMessage(number: try await wait(for: message, ticket: ticket).get(), queue: self)
        }
    }

    /// Queues a message of at most the peer's maximum length if there is room. Returns nil if the sender would have to wait.
    package func sendIfRoom(_ message: [UInt8]) throws(SendFailure) -> SentMessage? {
        try queue(message) { $0.hasRoom }
    }

    /// Queues a message of at most the peer's maximum length without waiting, however much waits already: nothing but the caller bounds
    /// the memory. It goes before those whose senders are suspended.
    @discardableResult
    package func enqueue(_ message: [UInt8]) throws(SendFailure) -> SentMessage {
        let (number, wake) = try state.withLock { (state) throws(SendFailure) -> (UInt64, Wake) in
            if let failure = Self.refusal(of: message, in: state) { throw failure }
            return accept(message, into: &state)
        }
        wake?()
        return SentMessage(number: number, queue: self)
    }

    /// How many bytes may wait with a message that is for now or never, and for how long something may have waited.
    package static let mostBesideUrgent = 16_384
    package static let longestBesideUrgent: Duration = .milliseconds(50)

    /// Queues a message that is for now or never: if nothing waits to be sent, or little, which has not waited for long. A burst of
    /// short messages to an idle link goes whole. Returns the message if it is queued.
    @discardableResult
    package func trySend(_ message: [UInt8], at now: ContinuousClock.Instant) throws(SendFailure) -> SentMessage? {
        try queue(message) { state in
            guard !state.isSuspended else { return false }
            guard !state.isIdle else {
                state.busySince = now
                return true
            }
            let since = state.busySince ?? now
            state.busySince = since
            return state.waiters.isEmpty && since.duration(to: now) <= Self.longestBesideUrgent
                && state.acceptedBytes + state.linkBytes + message.count <= Self.mostBesideUrgent
        }
    }

    /// Queues a message if the link takes it and it is to be queued now. Returns nil if it is not.
    private func queue(
        _ message: [UInt8], if isWanted: (inout State) -> Bool
    ) throws(SendFailure) -> SentMessage? {
        let accepted = try state.withLock { (state) throws(SendFailure) -> (UInt64, Wake)? in
            if let failure = Self.refusal(of: message, in: state) { throw failure }
            return isWanted(&state) ? accept(message, into: &state) : nil
        }
        guard let (number, wake) = accepted else { return nil }
        wake?()
        return SentMessage(number: number, queue: self)
    }

    private enum Turn: Sendable {
        case settled(Outcome)
        case mustWait(ticket: UInt64)
    }

    private typealias Wake = (@Sendable () -> Void)?

    private func offer(_ message: [UInt8], to state: inout State) -> (Turn, Wake) {
        if let failure = Self.refusal(of: message, in: state) { return (.settled(.failure(failure)), nil) }
        guard state.hasRoom else {
            state.lastTicket += 1
            return (.mustWait(ticket: state.lastTicket), nil)
        }
        let (number, wake) = accept(message, into: &state)
        return (.settled(.success(number)), wake)
    }

    /// Accepts the message. Returns its number, and the function that wakes the driver, if that is necessary.
    private func accept(_ message: [UInt8], into state: inout State) -> (UInt64, Wake) {
        let number = state.results.accept()
        state.accepted.append(message)
        state.acceptedBytes += message.count
        if state.acceptedBytes + state.linkBytes >= watermarks.high { state.isFull = true }
        if state.isAwake { return (number, nil) }
        state.isAwake = true
        return (number, state.onWake)
    }

    private static func refusal(of message: [UInt8], in state: State) -> SendFailure? {
        guard state.isOpen else { return .notConnected }
        return message.count > state.maximum ? .messageTooLong(maximum: state.maximum) : nil
    }

    private func wait(
        for message: [UInt8], ticket: UInt64, isolation actor: isolated (any Actor)? = #isolation
    ) async -> Outcome {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(Waiter(ticket: ticket, message: message, continuation: continuation))
            }
        } onCancel: {
            cancel(ticket)
        }
        // A cancellation that came too late is forgotten. No other one can come.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return outcome
    }

    /// Adds the waiter to the queue.
    private func join(_ waiter: Waiter) {
        let (turn, wake): (Turn, Wake) = state.withLock { state in
            if state.cancelled.remove(waiter.ticket) != nil { return (.settled(.failure(.cancelled)), nil) }
            // Since the offer, there may be room again, or the link may have ended.
            let (turn, wake) = offer(waiter.message, to: &state)
            if case .mustWait = turn { state.waiters.append(waiter) }
            return (turn, wake)
        }
        if case .settled(let outcome) = turn { waiter.continuation.resume(returning: outcome) }
        wake?()
    }

    private func cancel(_ ticket: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            if let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) {
                return state.waiters.remove(at: index)
            }
            state.cancelled.insert(ticket)
            return nil
        }
        waiter?.continuation.resume(returning: .failure(.cancelled))
    }

    /// Returns when nothing waits to be sent any more: all messages have gone to the transport, and it takes more. The link stays open
    /// meanwhile, so that its limits of time hold for what waits.
    /// - Returns: False if the link closes or ends before, or the task is cancelled.
    public func waitUntilSent() async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // A cancellation that comes later finds the watcher.
                    if !state.isOpen || Task.isCancelled { return false }
                    if state.hasLeft { return true }
                    state.watchers.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.ticket == ticket }.map { state.watchers.remove(at: $0).continuation }
            }
            watcher?.resume(returning: false)
        }
    }

    // MARK: Results

    /// What has become of a message; nil while that is not certain.
    func result(of number: UInt64) -> MessageResult? { state.withLock { $0.results.result(of: number) } }

    /// Waits for the result of a message. Returns nil if the task is cancelled before.
    func waitForResult(of number: UInt64) async -> MessageResult? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSettled: (Bool, MessageResult?) = state.withLock { state in
                    // A cancellation that comes later finds the waiter.
                    if let result = state.results.result(of: number) { return (true, result) }
                    if Task.isCancelled { return (true, nil) }
                    state.results.wait(ticket, for: number, continuation)
                    return (false, nil)
                }
                if isSettled.0 { continuation.resume(returning: isSettled.1) }
            }
        } onCancel: {
            state.withLock { $0.results.removeWaiter(ticket) }?.resume(returning: nil)
        }
    }

    /// How many messages did not arrive for certain: none as long as the link lives.
    package var undelivered: UndeliveredMessages { state.withLock { $0.results.undelivered } }

    // MARK: The driver

    /// Notes the result of all messages up to a number that have none yet.
    func note(_ result: MessageResult, upTo number: UInt64) { settle { $0.note(result, upTo: number) } }

    /// The link has ended: what has no result yet is not sent.
    func endResults() { settle { $0.end() } }

    private func settle(_ change: (inout MessageResults) -> Void) {
        let settled = state.withLock { state in
            change(&state.results)
            return state.results.takeSettled()
        }
        for (continuation, result) in settled { continuation.resume(returning: result) }
    }

    /// Sets the function that wakes the driver, from any thread. It is nil after the driver's end.
    func setWake(_ onWake: (@Sendable () -> Void)?) {
        state.withLock { $0.onWake = onWake }
    }

    /// No link carries the association, or one does again. Messages wait meanwhile, but for those that are for now or never.
    func suspend(_ isSuspended: Bool) { state.withLock { $0.isSuspended = isSuspended } }

    /// Accepts messages of at most `maximum` bytes from now on.
    func open(maximum: UInt64) {
        state.withLock { state in
            state.isOpen = true
            state.maximum = maximum
        }
    }

    /// Takes the accepted messages, for the link to queue. The caller must then call ``report(linkBytes:)`` until that
    /// returns false. Until then senders do not wake the driver, because it is at work.
    func takeAccepted() -> [[UInt8]] {
        state.withLock { state in
            state.isAwake = true
            guard !state.accepted.isEmpty else { return [] }
            state.linkBytes += state.acceptedBytes
            return Self.removeAccepted(from: &state)
        }
    }

    /// Records how many bytes the link has queued. If there is room, suspended senders continue. Returns whether
    /// messages wait to be taken. If there are none, the driver may stop, and the next message will wake it.
    /// - Parameter isHeld: Whether the link has a message, if an empty one, or the transport takes nothing.
    func report(linkBytes: Int, isHeld: Bool = false) -> Bool {
        typealias Watcher = CheckedContinuation<Bool, Never>
        let (settled, watchers, hasMore): ([(Waiter, Outcome)], [Watcher], Bool) = state.withLock { state in
            state.linkBytes = linkBytes
            state.isHeld = isHeld
            if state.acceptedBytes + linkBytes <= watermarks.low { state.isFull = false }
            var settled: [(Waiter, Outcome)] = []
            while !state.isFull, settled.count < state.waiters.count {
                let waiter = state.waiters[settled.count]
                let failure = Self.refusal(of: waiter.message, in: state)
                settled.append(
                    (waiter, failure.map(Outcome.failure) ?? .success(accept(waiter.message, into: &state).0)))
            }
            state.waiters.removeFirst(settled.count)
            state.isAwake = !state.accepted.isEmpty
            if state.isIdle { state.busySince = nil }
            let watchers = state.hasLeft ? state.watchers.map(\.continuation) : []
            if state.hasLeft { state.watchers = [] }
            return (settled, watchers, state.isAwake)
        }
        for watcher in watchers { watcher.resume(returning: true) }
        for (waiter, outcome) in settled { waiter.continuation.resume(returning: outcome) }
        return hasMore
    }

    /// Refuses messages from now on, including suspended ones. Returns those that were accepted and not taken yet. Both
    /// happen in one step, so that no message is lost between them.
    func stop() -> [[UInt8]] {
        let (waiters, watchers, rest) = state.withLock { state in
            (state.isOpen, state.isSuspended) = (false, false)
            defer { (state.waiters, state.watchers) = ([], []) }
            return (state.waiters, state.watchers.map(\.continuation), Self.removeAccepted(from: &state))
        }
        for watcher in watchers { watcher.resume(returning: false) }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(.notConnected)) }
        return rest
    }

    private static func removeAccepted(from state: inout State) -> [[UInt8]] {
        state.acceptedBytes = 0
        defer { state.accepted = [] }
        return state.accepted
    }

    /// Whether messages were accepted that the link does not have yet.
    package var hasAccepted: Bool { state.withLock { !$0.accepted.isEmpty } }

    /// The number of bytes of accepted messages that the link does not have yet, and the number of suspended senders.
    var status: (acceptedBytes: Int, suspended: Int) {
        state.withLock { ($0.acceptedBytes, $0.waiters.count) }
    }
}
