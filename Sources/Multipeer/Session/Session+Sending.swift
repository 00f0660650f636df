public import MultipeerCore
public import MultipeerCrypto
public import MultipeerDriver
import MultipeerNIO

/// The members that something is for.
public enum Recipients: Hashable, Sendable {
    /// All members that are connected.
    case all
    /// These peers.
    case only([PeerID])
}

/// What became of a message for one peer.
public struct SendResult: Hashable, Sendable {
    /// The peer.
    public let peer: PeerID
    /// Why nothing of it will be sent; nil if it is on its way. If the connection ends before all of it has left, the departure
    /// says so (``DisconnectReason/unsentMessages``).
    public let failure: SendFailure?
}

extension Session {
    /// Sends a message to members, and returns when all of it waits to be sent to each of them, or cannot.
    ///
    /// A member that does not take its messages makes the call wait, once more than `LinkOptions.sends` waits for it;
    /// the others get theirs at once. Each member gets messages whole, once, and in the order in which they were sent
    /// from one task. If the task is cancelled, a member that has not been served gets nothing, and the result says so.
    /// - Parameters:
    ///   - message: At most as many bytes as the peer takes, 16 MiB by default.
    ///   - recipients: The members that get it.
    /// - Returns: What became of it, for each recipient.
    @discardableResult
    public func send(_ message: [UInt8], to recipients: Recipients = .all) async -> [SendResult] {
        let targets = targets(of: recipients)
        // Most messages find room at once, and need no task each.
        guard targets.count > 1 else {
            guard let (peer, member) = targets.first else { return [] }
            return [await Self.send(message, to: peer, member)]
        }
        return await withTaskGroup(of: (Int, SendResult).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask { (index, await Self.send(message, to: target.peer, target.member)) }
            }
            var results: [(Int, SendResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Sends a text in UTF-8 (``send(_:to:)``).
    @discardableResult
    public func send(_ text: String, to recipients: Recipients = .all) async -> [SendResult] {
        await send(Array(text.utf8), to: recipients)
    }

    /// Sends a message to a member without waiting, however much waits to be sent to it already: nothing but the app bounds the memory.
    /// Messages that are sent in this way arrive in the order of the calls.
    /// - Throws: `RequestError`: `wrongStage` if the peer is not connected, `messageTooLong`.
    public func sendWithoutWaiting(_ message: [UInt8], to peer: PeerID) throws(RequestError) {
        guard let member = core.member(peer.key) else { throw .wrongStage(.closed) }
        try member.connection.enqueue(message)
        member.counts.noteSent(message.count)
    }

    /// Sends a message to a member at once, or drops it: where more than 16 KiB would wait to be sent, itself included, or something has
    /// waited for more than 50 ms. To an idle connection it is sent whatever its length is.
    /// - Returns: Whether it is on its way.
    /// - Throws: `RequestError`: `wrongStage` if the peer is not connected, `messageTooLong`.
    @discardableResult
    public func sendAtOnce(_ message: [UInt8], to peer: PeerID) throws(RequestError) -> Bool {
        guard let member = core.member(peer.key) else { throw .wrongStage(.closed) }
        guard try member.connection.enqueueUrgent(message, at: core.host.clock.now) else { return false }
        member.counts.noteSent(message.count)
        return true
    }

    /// Returns when nothing waits to be sent to a peer any more (`LinkConnection.waitUntilSent()`).
    /// - Returns: False if its link closes or ends before.
    package func waitUntilSent(to peer: PeerID) async -> Bool {
        await core.member(peer.key)?.connection.waitUntilSent() ?? false
    }

    private func targets(of recipients: Recipients) -> [(peer: PeerID, member: ConnectedMember?)] {
        switch recipients {
        case .all: core.members.map { ($0.member.id, $0) }
        case .only(let peers): peers.map { ($0, core.member($0.key)) }
        }
    }

    private static func send(_ message: [UInt8], to peer: PeerID, _ member: ConnectedMember?) async -> SendResult {
        guard let member else { return SendResult(peer: peer, failure: .request(.wrongStage(.closed))) }
        do throws(SendFailure) {
            try await member.connection.send(message)
        } catch {
            return SendResult(peer: peer, failure: error)
        }
        member.counts.noteSent(message.count)
        return SendResult(peer: peer, failure: nil)
    }
}
