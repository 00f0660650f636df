import MultipeerDriver
import Synchronization

/// The queue of a listener's links that nobody has taken yet.
///
/// Existing links are bounded by ``ListenerLimits``. Links that have ended in the queue are not, so only the last of them
/// stay, for apps that want to know why they ended.
final class LinkQueue: Sendable {
    /// How many links that have ended may wait to be taken.
    static let maximumEnded = 32

    private struct Item: Sendable {
        let number: Place.Number
        let connection: LinkConnection
    }

    private let queue = AsyncQueue<Item>(watermarks: .unbounded)
    /// The links that have ended, in that order. Some of them may have been taken.
    private let ended = Mutex<[Place.Number]>([])

    func push(_ connection: LinkConnection, as number: Place.Number) {
        queue.push(Item(number: number, connection: connection), cost: 1)
    }

    func finish() { queue.finish() }

    func discard() { queue.discard() }

    func next(isolation actor: isolated (any Actor)? = #isolation) async -> LinkConnection? {
        await queue.next(isolation: actor)?.connection
    }

    /// A link is over. Drops the link that ended before all others, if there are too many.
    func linkEnded(_ link: Place.Number) {
        let surplus: Place.Number? = ended.withLock { ended in
            ended.append(link)
            return ended.count > Self.maximumEnded ? ended.removeFirst() : nil
        }
        if let surplus { queue.removeFirst { $0.number == surplus } }
    }
}
