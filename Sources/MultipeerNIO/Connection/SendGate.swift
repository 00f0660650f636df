import MultipeerCore
import Synchronization

/// Between tasks that send and the event loop that seals: takes messages without a hop while there is room, and suspends
/// their senders, in order, while there is none.
///
/// What waits is what the loop has not taken yet and what the link has queued. At the high mark the gate closes; at the low
/// one it opens again.
final class SendGate: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let message: [UInt8]
        let continuation: CheckedContinuation<SendFailure?, Never>
    }

    private struct State {
        /// Why nothing is taken; nil on an open link.
        var refusal: RequestError? = .wrongStage(.hello)
        /// The longest message that the peer takes.
        var maximum: UInt64 = 0
        /// Taken, and not yet the link's.
        var mail: [[UInt8]] = []
        var mailBytes = 0
        /// What the link has queued.
        var linkBytes = 0
        var isFull = false
        var waiters: [Waiter] = []
        var lastTicket: UInt64 = 0
        /// Tickets whose task was cancelled before it stood in the line.
        var cancelled: Set<UInt64> = []
        /// Whether the loop has been called, or is at work, and will look for mail once more before it rests.
        var isCalled = false
    }

    private let watermarks: Watermarks
    private let state = Mutex(State())

    init(watermarks: Watermarks) {
        self.watermarks = watermarks
    }

    // MARK: Tasks

    /// Takes a message, at once or in its turn. `call` is to make the loop come for it.
    func send(
        _ message: [UInt8], isolation actor: isolated (any Actor)? = #isolation, call: @Sendable () -> Void
    ) async throws(SendFailure) {
        guard !Task.isCancelled else { throw .cancelled }
        let (turn, mustCall) = state.withLock { state in offer(message, to: &state) }
        if mustCall { call() }
        let failure: SendFailure?
        switch turn {
        case .settled(let outcome): failure = outcome
        case .mustWait(let ticket): failure = await wait(for: message, ticket: ticket, isolation: actor, call: call)
        }
        if let failure { throw failure }
    }

    private enum Turn: Sendable {
        case settled(SendFailure?)
        case mustWait(ticket: UInt64)
    }

    private func offer(_ message: [UInt8], to state: inout State) -> (Turn, mustCall: Bool) {
        if let misuse = Self.misuse(of: message, in: state) { return (.settled(.misuse(misuse)), false) }
        guard !state.isFull, state.waiters.isEmpty else {
            state.lastTicket += 1
            return (.mustWait(ticket: state.lastTicket), false)
        }
        return (.settled(nil), take(message, into: &state))
    }

    /// Takes the message. Returns whether the loop is to be called.
    private func take(_ message: [UInt8], into state: inout State) -> Bool {
        state.mail.append(message)
        state.mailBytes += message.count
        if state.mailBytes + state.linkBytes >= watermarks.high { state.isFull = true }
        defer { state.isCalled = true }
        return !state.isCalled
    }

    private static func misuse(of message: [UInt8], in state: State) -> RequestError? {
        if let refusal = state.refusal { return refusal }
        return message.count > state.maximum ? .messageTooLong(maximum: state.maximum) : nil
    }

    private func wait(
        for message: [UInt8], ticket: UInt64, isolation actor: isolated (any Actor)?, call: @Sendable () -> Void
    ) async -> SendFailure? {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if join(Waiter(ticket: ticket, message: message, continuation: continuation)) { call() }
            }
        } onCancel: {
            cancel(ticket)
        }
        // A cancellation that came too late to matter is forgotten; none comes any more.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return failure
    }

    /// Puts the waiter into the line. Returns whether the loop is to be called.
    private func join(_ waiter: Waiter) -> Bool {
        let (turn, mustCall): (Turn, Bool) = state.withLock { state in
            if state.cancelled.remove(waiter.ticket) != nil { return (.settled(.cancelled), false) }
            // Since the offer the gate may have opened, or the link have ended.
            let (turn, mustCall) = offer(waiter.message, to: &state)
            if case .mustWait = turn { state.waiters.append(waiter) }
            return (turn, mustCall)
        }
        if case .settled(let failure) = turn { waiter.continuation.resume(returning: failure) }
        return mustCall
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

    // MARK: The event loop

    /// The session is open.
    func open(maximum: UInt64) {
        state.withLock { state in
            state.refusal = nil
            state.maximum = maximum
        }
    }

    /// What was taken, for the link to queue. Whoever takes it calls ``report(linkBytes:)`` afterwards, until that says that
    /// there is no more: so long nobody calls the loop, which is awake.
    func takeMail() -> [[UInt8]] {
        state.withLock { state in
            state.isCalled = true
            guard !state.mail.isEmpty else { return [] }
            state.linkBytes += state.mailBytes
            state.mailBytes = 0
            defer { state.mail = [] }
            return state.mail
        }
    }

    /// The link has so many bytes queued. Lets senders go on if that is little; returns whether there is mail then. If there
    /// is none the loop may rest: the next message calls it.
    func report(linkBytes: Int) -> Bool {
        let (settled, hasMail): ([(Waiter, SendFailure?)], Bool) = state.withLock { state in
            state.linkBytes = linkBytes
            if state.mailBytes + linkBytes <= watermarks.low { state.isFull = false }
            var settled: [(Waiter, SendFailure?)] = []
            while !state.isFull, settled.count < state.waiters.count {
                let waiter = state.waiters[settled.count]
                let misuse = Self.misuse(of: waiter.message, in: state)
                settled.append((waiter, misuse.map(SendFailure.misuse)))
                if misuse == nil { _ = take(waiter.message, into: &state) }
            }
            state.waiters.removeFirst(settled.count)
            state.isCalled = !state.mail.isEmpty
            return (settled, state.isCalled)
        }
        for (waiter, failure) in settled { waiter.continuation.resume(returning: failure) }
        return hasMail
    }

    /// The link takes nothing more. Returns how many messages were taken and will not be sent.
    func stop(_ refusal: RequestError) -> Int {
        let (waiters, unsent) = state.withLock { state in
            state.refusal = refusal
            defer {
                state.waiters = []
                state.mail = []
                state.mailBytes = 0
            }
            return (state.waiters, state.mail.count)
        }
        for waiter in waiters { waiter.continuation.resume(returning: .misuse(refusal)) }
        return unsent
    }

    /// Bytes of taken messages, and suspended senders.
    var status: (mailBytes: Int, suspended: Int) {
        state.withLock { ($0.mailBytes, $0.waiters.count) }
    }
}
