public import MultipeerCore
import MultipeerDriver

/// What happens on a link, in order, to its end.
public typealias LinkEvent = LinkEffect

/// The events of one link.
///
/// Every event is delivered once: iterators, one after the other or at the same time, share them. The sequence ends when
/// the transport is closed, so that a program that has seen it end can exit without harm to the peer. A cancelled task
/// sees the end as well, while the link goes on.
///
/// As long as the app does not take events, the link stops reading (``LinkOptions/events``), and in the end the peer stops
/// sending. Keep consuming until the end.
public struct LinkEvents: AsyncSequence, Sendable {
    // Keeps the connection: a dropped connection closes.
    let connection: LinkConnection

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

    /// Takes events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: LinkConnection

        /// The next event, or nil at the end.
        public mutating func next() async -> LinkEvent? { await connection.queue.next() }

        /// The next event, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LinkEvent? {
            await connection.queue.next(isolation: actor)
        }
    }
}
