import MultipeerCore
import Synchronization

/// Messages on their way from tasks to the link: taken without a hop while there is room, and with suspended senders, in
/// order, while there is none.
///
/// What counts is what the driver has not collected yet and what the link has queued. At the high watermark the queue
/// is full, and at the low one it takes messages again.
public final class SendQueue: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let message: [UInt8]
        let continuation: CheckedContinuation<SendFailure?, Never>
    }

    private struct State {
        /// Why nothing is taken. Nil on an open link.
        var refusal: RequestError? = .wrongStage(.hello)
        /// The longest message that the peer takes.
        var maximum: UInt64 = 0
        /// Accepted, and not yet the link's.
        var accepted: [[UInt8]] = []
        var acceptedBytes = 0
        /// What the link has queued.
        var linkBytes = 0
        var isFull = false
        var waiters: [Waiter] = []
        var lastTicket: UInt64 = 0
        /// Tickets whose task was cancelled before it stood in line.
        var cancelled: Set<UInt64> = []
        /// Whether the driver has been woken, or is at work, and will look for messages once more before it rests.
        var isAwake = false
        var onWake: (@Sendable () -> Void)?
    }

    private let watermarks: Watermarks
    private let state = Mutex(State())

    init(watermarks: Watermarks) {
        self.watermarks = watermarks
    }

    // MARK: Tasks

    /// Queues a message of at most the peer's maximum, at once or in its turn, and wakes the driver if that rests.
    ///
    /// That a message is queued does not say that it arrives: see `LinkEnd`.
    /// - Throws: ``SendFailure``. A cancelled call has not queued the message.
    public func send(
        _ message: [UInt8], isolation actor: isolated (any Actor)? = #isolation
    ) async throws(SendFailure) {
        guard !Task.isCancelled else { throw .cancelled }
        let (turn, wake) = state.withLock { state in offer(message, to: &state) }
        wake?()
        let failure: SendFailure?
        switch turn {
        case .settled(let outcome): failure = outcome
        case .mustWait(let ticket): failure = await wait(for: message, ticket: ticket, isolation: actor)
        }
        if let failure { throw failure }
    }

    private enum Turn: Sendable {
        case settled(SendFailure?)
        case mustWait(ticket: UInt64)
    }

    private typealias Wake = (@Sendable () -> Void)?

    private func offer(_ message: [UInt8], to state: inout State) -> (Turn, Wake) {
        if let error = Self.refusal(of: message, in: state) { return (.settled(.request(error)), nil) }
        guard !state.isFull, state.waiters.isEmpty else {
            state.lastTicket += 1
            return (.mustWait(ticket: state.lastTicket), nil)
        }
        return (.settled(nil), accept(message, into: &state))
    }

    /// Accepts the message. Returns what wakes the driver, if it rests.
    private func accept(_ message: [UInt8], into state: inout State) -> Wake {
        state.accepted.append(message)
        state.acceptedBytes += message.count
        if state.acceptedBytes + state.linkBytes >= watermarks.high { state.isFull = true }
        if state.isAwake { return nil }
        state.isAwake = true
        return state.onWake
    }

    private static func refusal(of message: [UInt8], in state: State) -> RequestError? {
        if let refusal = state.refusal { return refusal }
        return message.count > state.maximum ? .messageTooLong(maximum: state.maximum) : nil
    }

    private func wait(
        for message: [UInt8], ticket: UInt64, isolation actor: isolated (any Actor)?
    ) async -> SendFailure? {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(Waiter(ticket: ticket, message: message, continuation: continuation))
            }
        } onCancel: {
            cancel(ticket)
        }
        // A cancellation that came too late to matter is forgotten: none comes any more.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return failure
    }

    /// Puts the waiter in line.
    private func join(_ waiter: Waiter) {
        let (turn, wake): (Turn, Wake) = state.withLock { state in
            if state.cancelled.remove(waiter.ticket) != nil { return (.settled(.cancelled), nil) }
            // Since the offer there may be room again, or the link may have ended.
            let (turn, wake) = offer(waiter.message, to: &state)
            if case .mustWait = turn { state.waiters.append(waiter) }
            return (turn, wake)
        }
        if case .settled(let failure) = turn { waiter.continuation.resume(returning: failure) }
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
        waiter?.continuation.resume(returning: .cancelled)
    }

    // MARK: The driver

    /// Sets what wakes the driver, from any thread. Nil after the driver's end.
    func setWake(_ onWake: (@Sendable () -> Void)?) {
        state.withLock { $0.onWake = onWake }
    }

    /// Takes messages of at most `maximum` bytes from now on.
    func open(maximum: UInt64) {
        state.withLock { state in
            state.refusal = nil
            state.maximum = maximum
        }
    }

    /// Takes what was accepted, for the link to queue. Whoever takes it calls ``report(linkBytes:)`` afterwards, until that
    /// says that there is no more: until then nobody wakes the driver, which is at work.
    func takeAccepted() -> [[UInt8]] {
        state.withLock { state in
            state.isAwake = true
            guard !state.accepted.isEmpty else { return [] }
            state.linkBytes += state.acceptedBytes
            return Self.removeAccepted(from: &state)
        }
    }

    /// Notes how many bytes the link has queued, and lets senders go on if that is little. Returns whether messages wait to
    /// be taken. If none do the driver may rest: the next message wakes it.
    func report(linkBytes: Int) -> Bool {
        let (settled, hasMore): ([(Waiter, SendFailure?)], Bool) = state.withLock { state in
            state.linkBytes = linkBytes
            if state.acceptedBytes + linkBytes <= watermarks.low { state.isFull = false }
            var settled: [(Waiter, SendFailure?)] = []
            while !state.isFull, settled.count < state.waiters.count {
                let waiter = state.waiters[settled.count]
                let error = Self.refusal(of: waiter.message, in: state)
                settled.append((waiter, error.map(SendFailure.request)))
                if error == nil { _ = accept(waiter.message, into: &state) }
            }
            state.waiters.removeFirst(settled.count)
            state.isAwake = !state.accepted.isEmpty
            return (settled, state.isAwake)
        }
        for (waiter, failure) in settled { waiter.continuation.resume(returning: failure) }
        return hasMore
    }

    /// Refuses messages from now on, suspended ones included. Returns those that were accepted and not taken yet, in one
    /// step, so that none is lost between the two.
    func stop(_ refusal: RequestError) -> [[UInt8]] {
        let (waiters, rest) = state.withLock { state in
            state.refusal = refusal
            defer { state.waiters = [] }
            return (state.waiters, Self.removeAccepted(from: &state))
        }
        for waiter in waiters { waiter.continuation.resume(returning: .request(refusal)) }
        return rest
    }

    private static func removeAccepted(from state: inout State) -> [[UInt8]] {
        state.acceptedBytes = 0
        defer { state.accepted = [] }
        return state.accepted
    }

    /// Bytes of accepted messages that the link does not have yet, and the number of suspended senders.
    var status: (acceptedBytes: Int, suspended: Int) {
        state.withLock { ($0.acceptedBytes, $0.waiters.count) }
    }
}
