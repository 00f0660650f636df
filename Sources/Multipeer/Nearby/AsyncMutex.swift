import MultipeerDriver

/// Lets one task at a time continue, in the order in which they came.
final class AsyncMutex: Sendable {
    private let tokens = AsyncQueue<Void>(watermarks: .unbounded)

    init() { tokens.push((), cost: 0) }

    /// Waits for its turn. A task that was cancelled waits as well: what it does must not meet what another does.
    func begin() async {
        await Task.detached { [tokens] in _ = await tokens.next() }.value
    }

    /// The next one may begin.
    func end() { tokens.push((), cost: 0) }
}
