import MultipeerCertificates
import MultipeerCore
import MultipeerDefaults
import MultipeerDriver
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOPosix

/// A peer that opens one session and then reads nothing more: what is sent to it stays with its sender.
struct DeafPeer: Sendable {
    private let listener: LinkListener
    private let opened: Task<LinkConnection?, any Error>

    init(at endpoint: Endpoint) async throws {
        let sodium = try SodiumProvider.standard()
        var configuration = try RawPeer.configuration(sodium)
        // It will not read the remote peer's CLOSE either.
        configuration.timeouts.closing = .seconds(1)
        var options = LinkOptions(random: sodium.random)
        options.validator = AcceptUnverifiedPeers()
        // One event that nobody takes stops reading.
        options.events = Watermarks(low: 0, high: 1)
        let listener = try await LinkListener.bind(
            to: endpoint, configuration: configuration, options: options,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        self.listener = listener
        opened = Task {
            for await connection in listener.connections {
                for await case .invited(let token, _) in connection.events {
                    try await connection.accept(token, with: SessionTerms(encryption: .optional))
                    return connection
                }
            }
            return nil
        }
    }

    /// Closes the session.
    func close() async throws { try await opened.value?.close() }
}
