import Synchronization

/// Lets tasks do something one after the other, in the order in which they ask.
final class Turns: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Does something once all that was asked before is done.
    func take<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = last.withLock { last in
            let task = Task { [last] in
                await last?.value
                return await body()
            }
            last = Task { _ = await task.value }
            return task
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
