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

/// A message on its way to one member.
public struct Delivery: Sendable {
    /// The member.
    public let peer: PeerID
    private let message: SentMessage

    init(of message: SentMessage, to peer: PeerID) { (self.message, self.peer) = (message, peer) }

    /// What has become of the message; nil while that is not certain.
    public var result: MessageResult? { message.result }

    /// Waits until it is certain what has become of the message: the member has it for its app, or the connection has ended.
    /// - Throws: `CancellationError` if the task is cancelled before.
    public func outcome() async throws(CancellationError) -> MessageResult { try await message.outcome() }
}

/// A message that at least one recipient does not get.
public struct SendError: Error, Sendable {
    /// A recipient that does not get the message, and the reason.
    public struct Failure: Error, Hashable, Sendable {
        /// The recipient.
        public let peer: PeerID
        /// Why nothing of the message will be sent to it.
        public let reason: SendFailure

        /// Creates a failure.
        public init(peer: PeerID, reason: SendFailure) { (self.peer, self.reason) = (peer, reason) }
    }

    /// The recipients that do not get the message. At least one.
    public let failures: [Failure]
    /// The deliveries to the other recipients. They continue.
    public let deliveries: [Delivery]
}

extension SendError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        failures.map { "\($0.peer): \($0.reason). \($0.reason.remedy)." }.joined(separator: " ")
    }
}

extension Session {
    /// Sends a message to members, and returns when all of it waits to be sent to each of them.
    ///
    /// A member that does not take its messages makes the call wait, once more than `LinkOptions.sends` waits for it;
    /// the others get theirs at once. Each member gets messages whole, once, and in the order in which they were sent
    /// from one task. A message of ``enqueue(_:to:)`` or ``trySend(_:to:)`` goes before those whose calls wait.
    ///
    /// ```swift
    /// for delivery in try await session.send("Lunch?") where try await delivery.outcome() != .delivered {
    ///     print("\(delivery.peer) may not have got it")
    /// }
    /// ```
    /// - Parameters:
    ///   - message: At most as many bytes as the peer takes, 16 MiB by default.
    ///   - recipients: The members that get it.
    /// - Returns: A delivery for each recipient; none if the message is for all and nobody is connected.
    /// - Throws: ``SendError`` if a recipient does not get the message: it is not connected, does not take so long a message, or the task
    ///   was cancelled before the message waited for it. The message is on its way to the other recipients.
    @discardableResult
    public func send(_ message: [UInt8], to recipients: Recipients = .all) async throws(SendError) -> [Delivery] {
        let outcomes = await outcomes(of: message, targets(of: recipients))
        let deliveries = outcomes.compactMap { try? $0.get() }
        guard deliveries.count < outcomes.count else { return deliveries }
        let failures = outcomes.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }
        throw SendError(failures: failures, deliveries: deliveries)
    }

    /// Sends a message to one member, as above.
    /// - Returns: The delivery.
    /// - Throws: `SendFailure`.
    @discardableResult
    public func send(_ message: [UInt8], to peer: PeerID) async throws(SendFailure) -> Delivery {
        do throws(SendError.Failure) {
            return try await Self.send(message, to: peer, core.member(peer.key)).get()
        } catch {
            throw error.reason
        }
    }

    /// Sends a text in UTF-8 to one member, as above.
    @discardableResult
    public func send(_ text: String, to peer: PeerID) async throws(SendFailure) -> Delivery {
        try await send(Array(text.utf8), to: peer)
    }

    /// Sends a text in UTF-8 (``send(_:to:)``).
    @discardableResult
    public func send(_ text: String, to recipients: Recipients = .all) async throws(SendError) -> [Delivery] {
        try await send(Array(text.utf8), to: recipients)
    }

    /// Sends a message to a member without waiting, however much waits to be sent to it already: nothing but the app bounds the memory.
    /// Messages that are sent in this way arrive in the order of the calls.
    /// - Returns: The delivery.
    /// - Throws: `SendFailure`: `notConnected`, `messageTooLong`.
    @discardableResult
    public func enqueue(_ message: [UInt8], to peer: PeerID) throws(SendFailure) -> Delivery {
        let member = try connected(peer)
        let sent = try member.connection.enqueue(message)
        member.counts.noteSent(message.count)
        return Delivery(of: sent, to: peer)
    }

    /// Sends a message to a member at once, or drops it: where more than 16 KiB would wait to be sent, itself included, or something has
    /// waited for more than 50 ms. To an idle connection it is sent whatever its length is.
    /// - Returns: The delivery; nil if the message is dropped.
    /// - Throws: `SendFailure`: `notConnected`, `messageTooLong`.
    @discardableResult
    public func trySend(_ message: [UInt8], to peer: PeerID) throws(SendFailure) -> Delivery? {
        let member = try connected(peer)
        guard let sent = try member.connection.trySend(message, at: core.host.clock.now) else { return nil }
        member.counts.noteSent(message.count)
        return Delivery(of: sent, to: peer)
    }

    /// Returns when nothing waits to be sent to a peer any more (`LinkConnection.waitUntilSent()`).
    /// - Returns: False if its link closes or ends before.
    package func waitUntilSent(to peer: PeerID) async -> Bool {
        await core.member(peer.key)?.connection.waitUntilSent() ?? false
    }

    private func connected(_ peer: PeerID) throws(SendFailure) -> ConnectedMember {
        guard let member = core.member(peer.key) else { throw .notConnected }
        return member
    }

    private func targets(of recipients: Recipients) -> [(peer: PeerID, member: ConnectedMember?)] {
        switch recipients {
        case .all: core.members.map { ($0.member.id, $0) }
        case .only(let peers): peers.map { ($0, core.member($0.key)) }
        }
    }

    private typealias Outcome = Result<Delivery, SendError.Failure>

    /// What comes of a message for each target, in their order.
    private func outcomes(
        of message: [UInt8], _ targets: [(peer: PeerID, member: ConnectedMember?)]
    ) async -> [Outcome] {
        // Most messages find room at once. A recipient that has none gets a task, so that it does not keep the others waiting.
        var (outcomes, waiting): ([Outcome?], [Int]) = ([], [])
        for (index, target) in targets.enumerated() {
            outcomes.append(Self.sendIfRoom(message, to: target.peer, target.member))
            if outcomes[index] == nil { waiting.append(index) }
        }
        if waiting.count == 1 {
            let target = targets[waiting[0]]
            outcomes[waiting[0]] = await Self.send(message, to: target.peer, target.member)
        } else if !waiting.isEmpty {
            await withTaskGroup(of: (Int, Outcome).self) { group in
                for index in waiting {
                    group.addTask {
                        (index, await Self.send(message, to: targets[index].peer, targets[index].member))
                    }
                }
                for await (index, outcome) in group { outcomes[index] = outcome }
            }
        }
        return outcomes.compactMap(\.self)
    }

    /// Sends a message to a member if there is room. Returns nil if the call would have to wait.
    private static func sendIfRoom(_ message: [UInt8], to peer: PeerID, _ member: ConnectedMember?) -> Outcome? {
        do throws(SendFailure) {
            guard !Task.isCancelled else { throw .cancelled }
            guard let member else { throw .notConnected }
            guard let sent = try member.connection.sendIfRoom(message) else { return nil }
            member.counts.noteSent(message.count)
            return .success(Delivery(of: sent, to: peer))
        } catch {
            return .failure(SendError.Failure(peer: peer, reason: error))
        }
    }

    private static func send(_ message: [UInt8], to peer: PeerID, _ member: ConnectedMember?) async -> Outcome {
        do throws(SendFailure) {
            guard let member else { throw .notConnected }
            let sent = try await member.connection.send(message)
            member.counts.noteSent(message.count)
            return .success(Delivery(of: sent, to: peer))
        } catch {
            return .failure(SendError.Failure(peer: peer, reason: error))
        }
    }
}
