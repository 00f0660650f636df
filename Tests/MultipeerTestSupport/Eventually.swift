/// Lets other tasks run until `condition` holds. For what shows in no event; a test's time limit bounds it.
package func eventually(_ condition: () async throws -> Bool) async throws {
    var looks = 0
    while try await !condition() {
        try Task.checkCancellation()
        looks += 1
        // What the next tasks bring is seen at once. Whatever takes longer needs the processor, which looking must not take from it.
        if looks <= 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(3)) }
    }
}

/// Waits until the task is cancelled: a person who never answers.
package func untilCancelled() async {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    withExtendedLifetime(end) {}
}

extension Task {
    /// The task's value. A test that runs out of time cancels the task too, so that a hang ends as a failure.
    package func outcome() async throws -> Success {
        try await withTaskCancellationHandler {
            try await self.value
        } onCancel: {
            self.cancel()
        }
    }
}
