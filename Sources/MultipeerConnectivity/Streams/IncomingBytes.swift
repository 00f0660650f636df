import Dispatch
import Foundation
import Multipeer
import MultipeerNIO
import Synchronization

/// What comes over a stream, between the task that takes it from the link and the reader. It takes as much as there is
/// room for; then the sender waits. It is taken before the app opens the stream, so that bytes are there for an app
/// that looks as soon as it has opened it.
final class IncomingBytes: Sendable {
    /// How many bytes wait here before no more are taken.
    private static let room = 65_536

    private struct State {
        var bytes: ArraySlice<UInt8> = []
        var status = Stream.Status.notOpen
        var error: MCError?
        /// All of it has come.
        var isComplete = false
        var reader: Task<Void, Never>?
        /// The reader waits for room.
        var waiting: CheckedContinuation<Void, Never>?
        /// Threads that wait for bytes.
        var sleepers: [DispatchSemaphore] = []
        var events = PendingEvents()

        /// Whether the app has the stream still, opened or not.
        var isTaking: Bool { status == .open || status == .notOpen }
    }

    private let state = Mutex(State())
    private let stream: PeerStream
    let schedule = StreamSchedule()

    init(of stream: PeerStream) { self.stream = stream }

    deinit { close() }

    /// Begins to take what comes. It is called once.
    func begin() {
        weak let bytes = self
        let reader = Task { [stream] in
            // The local peer sends nothing in it.
            try? await stream.finish()
            await Self.read(stream) { bytes }
        }
        state.withLock { $0.reader = reader }
    }

    // MARK: The app

    func open() {
        state.withLock { state in
            guard state.status == .notOpen else { return }
            state.status = .open
            state.events.isOpened = true
            Self.end(&state)
        }
        schedule.signal()
    }

    func close() {
        let (isNew, reader, waiting, sleepers) = state.withLock { state in
            let isNew = state.status != .closed
            (state.status, state.bytes) = (.closed, [])
            defer { (state.reader, state.waiting, state.sleepers) = (nil, nil, []) }
            return (isNew, state.reader, state.waiting, state.sleepers)
        }
        guard isNew else { return }
        schedule.end()
        reader?.cancel()
        waiting?.resume()
        for sleeper in sleepers { sleeper.signal() }
        Task { [stream] in await stream.stopReading() }
    }

    /// Copies bytes out, and waits for some if there are none. Returns 0 at the end, and −1 on an error.
    func read(_ count: Int, _ copy: (ArraySlice<UInt8>) -> Void) -> Int {
        while true {
            let sleeper = DispatchSemaphore(value: 0)
            let step: Step = state.withLock { Self.step($0) ?? wait(sleeper, &$0) }
            switch step {
            case .ready: if let taken = take(count, copy) { return taken }
            case .end: return 0
            case .failed: return -1
            case .wait: sleeper.wait()
            }
        }
    }

    private enum Step { case ready, end, failed, wait }

    private static func step(_ state: borrowing State) -> Step? {
        switch state.status {
        case .notOpen, .opening, .error: return .failed
        case .closed: return .failed
        case .atEnd: return .end
        case .open, .reading, .writing: return state.bytes.isEmpty ? nil : .ready
        @unknown default: return .failed
        }
    }

    private func wait(_ sleeper: DispatchSemaphore, _ state: inout State) -> Step {
        state.sleepers.append(sleeper)
        return .wait
    }

    /// Nil if another thread was faster.
    private func take(_ count: Int, _ copy: (ArraySlice<UInt8>) -> Void) -> Int? {
        let (taken, waiting, mustTell): (ArraySlice<UInt8>, CheckedContinuation<Void, Never>?, Bool) = state.withLock {
            state in
            let taken = state.bytes.prefix(max(count, 0))
            state.bytes = state.bytes.dropFirst(taken.count)
            if state.bytes.isEmpty { Self.end(&state) } else { state.events.hasBytes = true }
            let hasRoom = state.bytes.count < Self.room
            return (taken, hasRoom ? state.waiting.take() : nil, state.events.isPending)
        }
        waiting?.resume()
        if mustTell { schedule.signal() }
        guard !taken.isEmpty || count <= 0 else { return nil }
        copy(taken)
        return taken.count
    }

    /// After the last byte the stream ends as the peer has ended it.
    private static func end(_ state: inout State) {
        guard state.bytes.isEmpty, state.status == .open else { return }
        if state.error != nil {
            state.status = .error
            state.events.hasError = true
        } else if state.isComplete {
            state.status = .atEnd
            state.events.hasEnd = true
        }
    }

    /// How many bytes have come that nobody has read.
    var count: Int { state.withLock { $0.bytes.count } }
    var hasBytes: Bool { state.withLock { $0.status == .open && !$0.bytes.isEmpty } }
    var status: Stream.Status { state.withLock { $0.status } }
    /// Why it has ended, once all that came before was read.
    var error: MCError? { state.withLock { $0.status == .error ? $0.error : nil } }

    /// What is to be reported, one after the other.
    func nextEvent() -> Stream.Event? {
        state.withLock { state in
            if state.events.hasBytes, state.bytes.isEmpty { state.events.hasBytes = false }
            return [.closed, .notOpen].contains(state.status) ? nil : state.events.next()
        }
    }

    // MARK: The link

    /// Takes what comes until it ends, or nobody has the stream any more.
    private static func read(_ stream: PeerStream, _ bytes: @Sendable () -> IncomingBytes?) async {
        var parts = stream.bytes.makeAsyncIterator()
        while await bytes()?.waitForRoom() ?? false {
            do throws(StreamCut) {
                guard let part = try await parts.next() else {
                    bytes()?.finish(nil)
                    return
                }
                bytes()?.push(part)
            } catch {
                bytes()?.finish(MCError(.notConnected, "the stream ended before all of it came", underlying: error))
                return
            }
        }
    }

    /// Returns false if nobody reads any more.
    private func waitForRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.isTaking, state.bytes.count >= Self.room else { return false }
                state.waiting = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { $0.isTaking }
    }

    private func push(_ part: [UInt8]) {
        wake { state in
            state.bytes = state.bytes.isEmpty ? part[...] : state.bytes + part
            state.events.hasBytes = true
        }
    }

    private func finish(_ error: MCError?) {
        wake { state in
            state.error = error
            state.isComplete = error == nil
            Self.end(&state)
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let sleepers = state.withLock { state in
            guard state.isTaking else { return [DispatchSemaphore]() }
            change(&state)
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.signal() }
        schedule.signal()
    }
}
