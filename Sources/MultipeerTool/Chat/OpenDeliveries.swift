import Multipeer
import MultipeerCore
import MultipeerCrypto
import Synchronization

/// The messages of a chat that are on their way, so that those that do not arrive can be named.
final class OpenDeliveries: Sendable {
    /// The most messages of one departure that are named, each by a line.
    static let mostNamed = 10

    private struct Sent {
        let delivery: Delivery
        let message: [UInt8]
    }

    private let sent = Mutex<[IdentityKey: DrainQueue<Sent>]>([:])

    /// Keeps a message until it has arrived. Those that have are forgotten.
    func add(_ deliveries: [Delivery], of message: [UInt8]) {
        sent.withLock { sent in
            for delivery in deliveries {
                sent[delivery.peer.key, default: DrainQueue()].dropFirst { $0.delivery.result == .delivered }
                sent[delivery.peer.key]?.append(Sent(delivery: delivery, message: message))
            }
        }
    }

    /// Takes the messages to a peer that did not arrive for certain, in their order; at most ``mostNamed``, the last ones.
    func takeUndelivered(by peer: PeerID) -> [(message: [UInt8], result: MessageResult)] {
        sent.withLock { sent in
            var undelivered: [(message: [UInt8], result: MessageResult)] = []
            // Messages over the next connection to the peer come after these, and are still on their way.
            sent[peer.key]?.dropFirst { item in
                guard let result = item.delivery.result else { return false }
                if result != .delivered { undelivered.append((item.message, result)) }
                return true
            }
            return undelivered.suffix(Self.mostNamed)
        }
    }
}

extension DrainQueue {
    /// Drops the elements at the beginning that are meant.
    fileprivate mutating func dropFirst(while isMeant: (Element) -> Bool) {
        while let first, isMeant(first) { _ = next() }
    }
}
