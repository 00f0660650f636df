public import MultipeerCore
import MultipeerDriver

/// An event of a link. Events come in order, until the link ends.
public typealias LinkEvent = LinkEffect

/// The events of one link.
///
/// Each event is delivered once. Iterators share the events, one after the other or at the same time. The sequence ends
/// when the transport is closed, so a program that has seen the end can exit without harm to the peer. A cancelled task
/// also sees an end, while the link continues.
///
/// While the app does not take events, the link stops reading (``LinkOptions/events``), and finally the peer stops
/// sending. Take events until the sequence ends.
public struct LinkEvents: AsyncSequence, Sendable {
    // Keeps the connection alive, because a connection without references closes.
    let connection: LinkConnection

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: LinkConnection

        /// Returns the next event, or nil at the end.
        public mutating func next() async -> LinkEvent? { await connection.queue.next() }

        /// Returns the next event, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LinkEvent? {
            await connection.queue.next(isolation: actor)
        }
    }
}
