import MultipeerCertificates
import MultipeerCore
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOCore
import NIOPosix

/// Two connections of `MultipeerNIO` with one open link between them, over loopback TCP, each on an event loop of its own.
final class BareLinks: Sendable {
    let sender: LinkConnection
    let receiver: LinkConnection
    private let listener: LinkListener

    /// Opens the link. Without a suite both peers take the one that they prefer.
    init(_ peers: Peers, suite: Suite?) throws {
        (sender, receiver, listener) = try blocking { try await Self.open(peers, suite) }
    }

    private static func open(
        _ peers: Peers, _ suite: Suite?
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
