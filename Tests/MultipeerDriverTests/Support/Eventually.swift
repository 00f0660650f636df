/// Lets other tasks run until `condition` holds. For what shows in no event; a test's time limit bounds it.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
