import MultipeerCrypto
import Synchronization

/// The peers to which the app connects by exchanged data (`connectPeer`): their invitations are accepted, and those that come before the
/// app's call wait for it.
final class Expectations: Sendable {
    private struct State {
        /// How many calls expect each.
        var expected: [IdentityKey: Int] = [:]
        var waiting: [Int: (key: IdentityKey, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var lastNumber = 0
        /// Those that were cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    /// How many invitations may wait: any program that knows where the local peer listens can send them.
    private static let mostWaiting = 64

    private let state = Mutex(State())

    func add(_ key: IdentityKey) {
        let waiting = state.withLock { state in
            state.expected[key, default: 0] += 1
            let waiting = state.waiting.filter { $0.value.key == key }
            for number in waiting.keys { state.waiting[number] = nil }
            return waiting.values.map(\.continuation)
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// One call is over. Others may expect the peer still.
    func remove(_ key: IdentityKey) {
        state.withLock { state in
            guard let count = state.expected[key] else { return }
            state.expected[key] = count > 1 ? count - 1 : nil
        }
    }

    /// Nobody is expected, and a peer that waits is refused.
    func removeAll() {
        let waiting = state.withLock { state in
            state.expected = [:]
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.continuation)
        }
        for continuation in waiting { continuation.resume(returning: false) }
    }

    /// Whether a peer that invites is expected, now or before its time is over, when the task is cancelled.
    func wait(for key: IdentityKey) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isExpected = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.expected[key] != nil { return true }
                    guard state.cancelled.remove(number) == nil, state.waiting.count < Self.mostWaiting else {
                        return false
                    }
                    state.waiting[number] = (key, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        return isExpected
    }

    private func cancel(_ number: Int) {
        let waiting = state.withLock { state in
            let waiting = state.waiting.removeValue(forKey: number)
            if waiting == nil { state.cancelled.insert(number) }
            return waiting
        }
        waiting?.continuation.resume(returning: false)
    }
}
