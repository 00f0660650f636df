/// The events of a session, in order. Each is delivered once, to the first iterator that asks.
///
/// Take them until they end, after ``Session/leave()`` or the end of the peer. What is not taken makes the senders wait, each for
/// itself: of each member a bounded number of bytes is held (SPEC §13.3).
public struct SessionEvents: AsyncSequence, Sendable {
    /// Keeps the session alive.
    let session: Session

    public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let session: Session

        /// Returns the next event; nil at the end, or if the task is cancelled.
        public mutating func next() async -> SessionEvent? { await session.core.nextEvent() }

        /// Returns the next event; nil at the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
            await session.core.nextEvent(isolation: actor)
        }
    }
}
