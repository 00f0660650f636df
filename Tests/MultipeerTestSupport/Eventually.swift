/// Lets other tasks run until `condition` holds. For what shows in no event; a test's time limit bounds it.
package func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
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
