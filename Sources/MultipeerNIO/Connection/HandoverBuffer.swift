import Synchronization

/// Hands elements from an event loop to tasks, in order, counting what waits.
///
/// The producer asks ``push(_:cost:)`` whether to go on; once consumers have caught up, `onResume` is called, once for each
/// pause. Any number of consumers share the elements.
final class HandoverBuffer<Element: Sendable>: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Element?, Never>
    }

    private struct State {
        var elements: [(element: Element, cost: Int)?] = []
        var head = 0
        var cost = 0
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
        /// Waiters that were cancelled before they stood in the line.
        var cancelled: Set<UInt64> = []
        var isPaused = false
        var isFinished = false
        var isDiscarding = false
        var onResume: (@Sendable () -> Void)?
    }

    private let watermarks: Watermarks
    private let state = Mutex(State())

    init(watermarks: Watermarks) {
        self.watermarks = watermarks
    }

    /// What waits, by its costs.
    var cost: Int { state.withLock { $0.cost } }

    // MARK: The producer

    /// Sets what is called, on a consumer's thread, when a paused producer may go on.
    func setResume(_ onResume: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if !state.isFinished { state.onResume = onResume }
        }
    }

    /// Adds an element. Returns whether the producer may go on at once.
    func push(_ element: Element, cost: Int) -> Bool {
        let (waiter, mayGoOn): (Waiter?, Bool) = state.withLock { state in
            guard !state.isFinished, !state.isDiscarding else { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), !state.isPaused) }
            state.elements.append((element, cost))
            state.cost += cost
            if state.cost >= watermarks.high { state.isPaused = true }
            return (nil, !state.isPaused)
        }
        waiter?.continuation.resume(returning: element)
        return mayGoOn
    }

    /// Nothing more comes. What waits is still delivered.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            state.onResume = nil
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Forgets what waits and what will come, because there is nobody to take it. Returns what waited.
    @discardableResult
    func discard() -> [Element] {
        state.withLock { $0.isDiscarding = true }
        return takeAll()
    }

    /// All that waits, without waiting.
    func takeAll() -> [Element] {
        let (rest, resume) = state.withLock { state in
            let rest = state.elements[state.head...].compactMap { $0?.element }
            state.elements = []
            state.head = 0
            state.cost = 0
            let resume = state.isPaused ? state.onResume : nil
            state.isPaused = false
            return (rest, resume)
        }
        resume?()
        return rest
    }

    // MARK: Consumers

    /// The next element; nil at the end, or when the task is cancelled.
    func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        if Task.isCancelled { return nil }
        switch takeNext(orWaitAs: nil) {
        case .element(let element): return element
        case .end: return nil
        case .mustWait(let number): return await wait(as: number, isolation: actor)
        }
    }

    private func wait(as number: UInt64, isolation actor: isolated (any Actor)?) async -> Element? {
        let element = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                switch takeNext(orWaitAs: Waiter(number: number, continuation: continuation)) {
                case .element(let element): continuation.resume(returning: element)
                case .end: continuation.resume(returning: nil)
                case .mustWait: break
                }
            }
        } onCancel: {
            cancel(number)
        }
        // A cancellation that came too late to matter is forgotten; none comes any more.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(number) } }
        return element
    }

    private enum Turn {
        case element(Element)
        case end
        /// The number for the line; the waiter stands in it already, if there was one.
        case mustWait(UInt64)
    }

    private func takeNext(orWaitAs waiter: Waiter?) -> Turn {
        let (turn, resume): (Turn, (@Sendable () -> Void)?) = state.withLock { state in
            if let waiter, state.cancelled.remove(waiter.number) != nil { return (.end, nil) }
            if let element = Self.removeFirst(from: &state) {
                guard state.isPaused, state.cost <= watermarks.low else { return (.element(element), nil) }
                state.isPaused = false
                return (.element(element), state.onResume)
            }
            if state.isFinished { return (.end, nil) }
            if let waiter {
                state.waiters.append(waiter)
                return (.mustWait(waiter.number), nil)
            }
            state.lastNumber += 1
            return (.mustWait(state.lastNumber), nil)
        }
        resume?()
        return turn
    }

    private static func removeFirst(from state: inout State) -> Element? {
        guard state.head < state.elements.count, let (element, cost) = state.elements[state.head] else { return nil }
        state.elements[state.head] = nil
        state.head += 1
        state.cost -= cost
        if state.head == state.elements.count {
            state.elements.removeAll(keepingCapacity: state.head < 64)
            state.head = 0
        } else if state.head > 64, state.head * 2 > state.elements.count {
            state.elements.removeFirst(state.head)
            state.head = 0
        }
        return element
    }

    private func cancel(_ number: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            if let index = state.waiters.firstIndex(where: { $0.number == number }) {
                return state.waiters.remove(at: index)
            }
            state.cancelled.insert(number)
            return nil
        }
        waiter?.continuation.resume(returning: nil)
    }
}
