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

    private let sent = Mutex<[IdentityKey: [Sent]]>([:])

    /// Keeps a message until it has arrived. Those that have are forgotten.
    func add(_ deliveries: [Delivery], of message: [UInt8]) {
        sent.withLock { sent in
            for delivery in deliveries {
                let open = sent[delivery.peer.key, default: []].drop { $0.delivery.result == .delivered }
                sent[delivery.peer.key] = open + [Sent(delivery: delivery, message: message)]
            }
        }
    }

    /// Takes the messages to a peer that did not arrive for certain, in their order; at most ``mostNamed``, the last ones.
    func takeUndelivered(by peer: PeerID) -> [(message: [UInt8], result: MessageResult)] {
        sent.withLock { sent in
            let open = sent[peer.key] ?? []
            let ended = open.compactMap { item in item.delivery.result.map { (message: item.message, result: $0) } }
            // A message over the next connection to the peer is still on its way.
            sent[peer.key] = open.filter { $0.delivery.result == nil }
            return Array(ended.filter { $0.result != .delivered }.suffix(Self.mostNamed))
        }
    }
}
