public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
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
    public var peer: PeerID { member.id }
    private let member: Member
    private let message: SentMessage

    init(of message: SentMessage, to member: Member) { (self.message, self.member) = (message, member) }

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
        /// Why nothing of the message will be sent to it: `notConnected`, `tooLarge` or `cancelled`.
        public let reason: MultipeerError

        /// Creates a failure.
        public init(peer: PeerID, reason: MultipeerError) { (self.peer, self.reason) = (peer, reason) }
    }

    /// The recipients that do not get the message. At least one.
    public let failures: [Failure]
    /// The deliveries to the other recipients. They continue.
    public let deliveries: [Delivery]
}

extension SendError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        failures.map { "\($0.peer): \($0.reason)." }.joined(separator: " ")
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
        let targets = targets(of: recipients)
        var (deliveries, failures, waiting): ([Delivery], [SendError.Failure], [Target]) = ([], [], [])
        for target in targets {
            do throws(SendFailure) {
                guard !Task.isCancelled else { throw .cancelled }
                if let delivery = try target.sendIfRoom(message) {
                    deliveries.append(delivery)
                } else {
                    waiting.append(target)
                }
            } catch {
                failures.append(SendError.Failure(peer: target.peer, reason: .sending(error)))
            }
        }
        if !waiting.isEmpty {
            // A recipient that has no room gets a task, so that it does not keep the others waiting.
            await withTaskGroup(of: Result<Delivery, SendError.Failure>.self) { group in
                for target in waiting { group.addTask { await target.outcome(of: message) } }
                for await outcome in group {
                    switch outcome {
                    case .success(let delivery): deliveries.append(delivery)
                    case .failure(let failure): failures.append(failure)
                    }
                }
            }
            let order = targets.map(\.peer)
            deliveries.sort { order.firstIndex(of: $0.peer) ?? 0 < order.firstIndex(of: $1.peer) ?? 0 }
            failures.sort { order.firstIndex(of: $0.peer) ?? 0 < order.firstIndex(of: $1.peer) ?? 0 }
        }
        guard failures.isEmpty else { throw SendError(failures: failures, deliveries: deliveries) }
        return deliveries
    }

    /// Sends a message to one member, as above.
    /// - Returns: The delivery.
    /// - Throws: ``MultipeerError``: `notConnected`, `tooLarge`, `cancelled`.
    @discardableResult
    public func send(_ message: [UInt8], to peer: PeerID) async throws(MultipeerError) -> Delivery {
        do throws(SendFailure) { return try await target(peer).send(message) } catch { throw .sending(error) }
    }

    /// Sends a text in UTF-8 to one member, as above.
    @discardableResult
    public func send(_ text: String, to peer: PeerID) async throws(MultipeerError) -> Delivery {
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
    /// - Throws: ``MultipeerError``: `notConnected`, `tooLarge`.
    @discardableResult
    public func enqueue(_ message: [UInt8], to peer: PeerID) throws(MultipeerError) -> Delivery {
        do throws(SendFailure) { return try target(peer).enqueue(message) } catch { throw .sending(error) }
    }

    /// Sends a message to a member at once, or drops it: where more than 16 KiB would wait to be sent, itself included, or something has
    /// waited for more than 50 ms. To an idle connection it is sent whatever its length is.
    /// - Returns: The delivery; nil if the message is dropped.
    /// - Throws: ``MultipeerError``: `notConnected`, `tooLarge`.
    @discardableResult
    public func trySend(_ message: [UInt8], to peer: PeerID) throws(MultipeerError) -> Delivery? {
        let now = core.host.clock.now
        do throws(SendFailure) { return try target(peer).trySend(message, at: now) } catch { throw .sending(error) }
    }

    /// Sends a message that may be lost to a member: a position, a sound, a keystroke, of which only the newest matters. It goes as a
    /// datagram, past all that waits for the member, at once or within 50 ms; messages that go so come in any order, each once or not at all.
    ///
    /// The first call asks for a path. Until that holds, where none does, and for a message of more than 1,167 bytes, this is
    /// ``trySend(_:to:)``.
    /// - Returns: Whether the message has gone. Nobody says whether it comes.
    /// - Throws: ``MultipeerError``: `notConnected`, `tooLarge`.
    @discardableResult
    public func trySend(unreliable message: [UInt8], to peer: PeerID) throws(MultipeerError) -> Bool {
        let now = core.host.clock.now
        do throws(SendFailure) { return try target(peer).trySend(unreliable: message, at: now) } catch {
            throw .sending(error)
        }
    }

    /// Returns when nothing waits to be sent to a peer any more (`LinkConnection.waitUntilSent()`).
    /// - Returns: False if its link closes or ends before.
    package func waitUntilSent(to peer: PeerID) async -> Bool {
        await core.member(peer.key)?.connection.waitUntilSent() ?? false
    }

    private func target(_ peer: PeerID) -> Target { core.member(peer.key).map(Target.connected) ?? .missing(peer) }

    private func targets(of recipients: Recipients) -> [Target] {
        switch recipients {
        case .all: core.mapMembers(Target.connected)
        case .only(let peers): peers.map(target)
        }
    }
}

/// A recipient.
private enum Target: Sendable {
    case connected(ConnectedMember)
    case missing(PeerID)

    var peer: PeerID {
        switch self {
        case .connected(let member): member.member.id
        case .missing(let peer): peer
        }
    }

    private var member: ConnectedMember {
        get throws(SendFailure) {
            guard case .connected(let member) = self else { throw .notConnected }
            return member
        }
    }

    func send(_ message: [UInt8]) async throws(SendFailure) -> Delivery {
        let member = try member
        return member.delivery(of: try await member.connection.send(message), message)
    }

    func enqueue(_ message: [UInt8]) throws(SendFailure) -> Delivery {
        let member = try member
        return member.delivery(of: try member.connection.enqueue(message), message)
    }

    func trySend(_ message: [UInt8], at now: ContinuousClock.Instant) throws(SendFailure) -> Delivery? {
        let member = try member
        return try member.connection.trySend(message, at: now).map { member.delivery(of: $0, message) }
    }

    func trySend(unreliable message: [UInt8], at now: ContinuousClock.Instant) throws(SendFailure) -> Bool {
        let member = try member
        switch member.connection.tryDatagram(message) {
        case .sent:
            member.counts.noteSent(message.count)
            return true
        case .dropped: return false
        case .overLink: return try trySend(message, at: now) != nil
        }
    }

    /// Returns nil if the message would have to wait.
    func sendIfRoom(_ message: [UInt8]) throws(SendFailure) -> Delivery? {
        let member = try member
        return try member.connection.sendIfRoom(message).map { member.delivery(of: $0, message) }
    }

    func outcome(of message: [UInt8]) async -> Result<Delivery, SendError.Failure> {
        do throws(SendFailure) {
            return .success(try await send(message))
        } catch {
            return .failure(SendError.Failure(peer: peer, reason: .sending(error)))
        }
    }
}

extension ConnectedMember {
    /// Counts a message that is queued.
    fileprivate func delivery(of sent: SentMessage, _ message: [UInt8]) -> Delivery {
        counts.noteSent(message.count)
        return Delivery(of: sent, to: member)
    }
}
