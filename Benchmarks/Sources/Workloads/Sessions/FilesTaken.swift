import Multipeer

/// A task that takes every file that a session is offered.
final class FilesTaken: Sendable {
    private let task: Task<Void, Never>

    /// - Parameter onMessage: Told of messages, which come in the same events.
    init(
        in session: Session, into folder: String,
        onMessage: @escaping @Sendable (Message, Member) async -> Void = { _, _ in }
    ) {
        let events = session.events
        task = Task {
            for await event in events {
                switch event {
                // The sender hears of a failure.
                case .file(let file): Task { _ = try? await file.accept(into: folder) }
                case .message(let message, let member): await onMessage(message, member)
                default: break
                }
            }
        }
    }

    deinit { task.cancel() }
}
