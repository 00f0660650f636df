import Dispatch
import MultipeerCertificates
import MultipeerCore
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOCore
import NIOPosix
import Synchronization

/// Messages over loopback TCP between two connections of `MultipeerNIO`, each on an event loop of its own.
public final class NIOTransfer: Sendable {
    private let sender: LinkConnection
    private let listener: LinkListener
    private let receiver: LinkConnection
    private let message: [UInt8]

    /// Opens a session.
    public init(_ peers: Peers, suite: Suite, length: Int) throws {
        message = [UInt8](repeating: 7, count: length)
        (sender, receiver, listener) = try blocking { try await Self.open(peers, suite) }
    }

    /// Sends so many messages, and returns when the last has come out of the receiver's events.
    public func run(_ count: Int) throws {
        let (sender, receiver, message) = (sender, receiver, message)
        try blocking {
            async let received = Self.receive(count, of: message.count, from: receiver)
            for _ in 0..<count { try await sender.send(message) }
            try await received
        }
    }

    private static func receive(_ count: Int, of length: Int, from connection: LinkConnection) async throws {
        var events = connection.events.makeAsyncIterator()
        for _ in 0..<count {
            guard case .message(let message) = await events.next(), message.count == length else {
                throw WorkloadFailure.wrongResult
            }
        }
    }

    private static func open(
        _ peers: Peers, _ suite: Suite
    ) async throws -> (LinkConnection, LinkConnection, LinkListener) {
        let options = LinkOptions(random: peers.sodium.random)
        let listener = try await LinkListener.bind(
            to: .tcp(host: "127.0.0.1", port: 0), configuration: peers.configuration(1, suite: suite),
            options: options, eventLoopGroup: MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let sender = try await LinkConnector.connect(
            to: listener.localEndpoint, configuration: peers.configuration(0, suite: suite), options: options,
            eventLoopGroup: MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let terms = SessionTerms(encryption: .required)
        try await sender.invite(OutgoingInvitation(terms: terms))
        var connections = listener.connections.makeAsyncIterator()
        guard let receiver = await connections.next() else { throw WorkloadFailure.link(nil) }
        async let opened: Void = agree(receiver, terms)
        try await agree(sender, terms)
        try await opened
        return (sender, receiver, listener)
    }

    private static func agree(_ connection: LinkConnection, _ terms: SessionTerms) async throws {
        var events = connection.events.makeAsyncIterator()
        while let event = await events.next() {
            switch event {
            case .invited(let token, _): try await connection.accept(token, with: terms)
            case .verify(let token, _): try await connection.submitVerdict(.accepted(.unverified), for: token)
            case .opened: return
            case .closed(.failed(let failure)): throw WorkloadFailure.link(failure)
            default: break
            }
        }
        throw WorkloadFailure.link(nil)
    }
}

/// Waits for asynchronous work. The caller's thread belongs to nobody else.
private func blocking<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    Task {
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw WorkloadFailure.wrongResult }
    return try result.get()
}
