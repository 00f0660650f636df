import Dispatch
import Foundation
import Synchronization

/// The advertisements of this process. They are withdrawn when it ends by `exit`: apps for Apple's framework do not stop to advertise, and
/// others would see them for two minutes more.
enum Farewells {
    /// How long the end of the process may wait for that.
    private static let patience: DispatchTimeInterval = .seconds(1)

    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
    }

    private static let state = Mutex(State())

    /// Notes a task that withdraws its advertisement when it is cancelled.
    static func add(_ task: Task<Void, Never>) {
        _ = atTheEnd
        let number = state.withLock { state in
            state.lastNumber += 1
            state.tasks[state.lastNumber] = task
            return state.lastNumber
        }
        Task {
            await task.value
            state.withLock { _ = $0.tasks.removeValue(forKey: number) }
        }
    }

    private static let atTheEnd: Void = { atexit { Farewells.say() } }()

    private static func say() {
        let tasks = Array(state.withLock { $0.tasks }.values)
        guard !tasks.isEmpty else { return }
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + patience)
    }
}
