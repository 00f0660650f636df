public import Synchronization

/// A queue from one producer, which never waits, to tasks, which do. It counts the cost of waiting elements.
///
/// The queue pauses its producer at the high watermark. When consumers have caught up, `onResume` is called, once for
/// each pause. Any number of consumers can share the elements.
///
/// Everything is inlinable, because other modules would otherwise call a generic class unspecialised: half of the time of a small
/// message went there.
@usableFromInline
package final class AsyncQueue<Element: Sendable>: Sendable {
    /// A task that waits, by reference: continuations are opaque structures, and a queue without waiters would look up their metadata for
    /// each element.
    @usableFromInline
    final class Waiter: Sendable {
        @usableFromInline let number: UInt64
        @usableFromInline let continuation: CheckedContinuation<Element?, Never>

        @inlinable
        init(number: UInt64, continuation: CheckedContinuation<Element?, Never>) {
            self.number = number
            self.continuation = continuation
        }
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var elements: [(element: Element, cost: Int)?] = []
        @usableFromInline var head = 0
        @usableFromInline var cost = 0
        @usableFromInline var waiters: [Waiter] = []
        @usableFromInline var lastNumber: UInt64 = 0
        /// Waiters that were cancelled before they entered the queue.
        @usableFromInline var cancelled: Set<UInt64> = []
        @usableFromInline var isPaused = false
        @usableFromInline var isFinished = false
        @usableFromInline var isDiscarding = false
        @usableFromInline var onResume: (@Sendable () -> Void)?

        @inlinable init() {}
    }

    @usableFromInline let watermarks: Watermarks
    @usableFromInline let state = Mutex(State())

    @inlinable
    package init(watermarks: Watermarks) {
        self.watermarks = watermarks
    }

    /// The total cost of the waiting elements.
    @inlinable var cost: Int { state.withLock { $0.cost } }

    /// Whether the producer should stop.
    @inlinable var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: The producer

    /// Sets the function that is called, on a consumer's thread, when a paused producer may continue. It is dropped at
    /// the end.
    @inlinable
    func setResume(_ onResume: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if !state.isFinished { state.onResume = onResume }
        }
    }

    /// Adds an element. Returns false if nobody can take it any more.
    @inlinable
    @discardableResult
    package func push(_ element: Element, cost: Int) -> Bool {
        let (waiter, isTaken): (Waiter?, Bool) = state.withLock { state in
            guard !state.isFinished, !state.isDiscarding else { return (nil, false) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), true) }
            state.elements.append((element, cost))
            state.cost += cost
            if state.cost >= watermarks.high { state.isPaused = true }
            return (nil, true)
        }
        waiter?.continuation.resume(returning: element)
        return isTaken
    }

    /// Ends the queue. Waiting elements are still delivered.
    @inlinable
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            state.onResume = nil
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Drops all waiting and later elements, because there is no consumer. Returns the waiting ones.
    @inlinable
    @discardableResult
    package func discard() -> [Element] {
        state.withLock { $0.isDiscarding = true }
        return takeAll()
    }

    /// Takes all waiting elements at once.
    @inlinable
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

    /// Removes the first element that fits, and that no consumer has taken.
    @inlinable
    package func removeFirst(where fits: (Element) -> Bool) {
        let (_, resume): (Element?, (@Sendable () -> Void)?) = state.withLock { state in
            let index = (state.head..<state.elements.count).first { index in
                state.elements[index].map { fits($0.element) } ?? false
            }
            guard let index, let (element, cost) = state.elements.remove(at: index) else { return (nil, nil) }
            state.cost -= cost
            guard state.isPaused, state.cost <= watermarks.low else { return (element, nil) }
            state.isPaused = false
            return (element, state.onResume)
        }
        resume?()
    }

    // MARK: Consumers

    /// Returns the next element, if there is one.
    @inlinable
    func takeReady() -> Element? {
        let (element, resume) = state.withLock { state in Self.take(from: &state, low: watermarks.low) }
        resume?()
        return element
    }

    /// Returns the next element, or nil at the end or if the task is cancelled.
    @inlinable
    package func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        if Task.isCancelled { return nil }
        switch takeNext(orWaitAs: nil) {
        case .element(let element): return element
        case .end: return nil
        case .mustWait(let number): return await wait(as: number, isolation: actor)
        }
    }

    @inlinable
    func wait(as number: UInt64, isolation actor: isolated (any Actor)?) async -> Element? {
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
        // A cancellation that came too late is forgotten. No other one can come.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(number) } }
        return element
    }

    @usableFromInline
    enum Turn: Sendable {
        case element(Element)
        case end
        /// The number to wait with. A waiter that was passed in is already in the queue.
        case mustWait(UInt64)
    }

    @inlinable
    func takeNext(orWaitAs waiter: Waiter?) -> Turn {
        let (turn, resume): (Turn, (@Sendable () -> Void)?) = state.withLock { state in
            if let waiter, state.cancelled.remove(waiter.number) != nil { return (.end, nil) }
            let (element, resume) = Self.take(from: &state, low: watermarks.low)
            if let element { return (.element(element), resume) }
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

    /// Takes the first element. Also returns the function to call if the producer may continue.
    @inlinable
    static func take(from state: inout State, low: Int) -> (Element?, (@Sendable () -> Void)?) {
        guard let element = removeFirst(from: &state) else { return (nil, nil) }
        guard state.isPaused, state.cost <= low else { return (element, nil) }
        state.isPaused = false
        return (element, state.onResume)
    }

    @inlinable
    static func removeFirst(from state: inout State) -> Element? {
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

    @inlinable
    func cancel(_ number: UInt64) {
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
