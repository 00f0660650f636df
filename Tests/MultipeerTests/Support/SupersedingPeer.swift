import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import NIOPosix

/// Answers every invitation by DECLINE of reason 5, as if it invited as well, and never does.
final class SupersedingPeer: Sendable {
    let address: Endpoint
    let key: IdentityKey
    private let listener: LinkListener
    private let task: Task<Void, Never>

    init() async throws {
        var options = LinkOptions(random: TestProvider.sodium.random)
        options.validator = AcceptUnverifiedPeers()
        let configuration = try TestProvider.configuration("Mallory", seed: 666)
        key = configuration.identity.identityKey
        let listener = try await LinkListener.bind(
            to: .loopback, configuration: configuration,
            options: options, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        self.listener = listener
        address = listener.localEndpoint
        task = Task {
            for await link in listener.connections {
                for await event in link.events {
                    if case .invited(let token, _) = event { try? await link.decline(token, .superseded) }
                }
            }
        }
    }

    deinit {
        task.cancel()
        listener.stop()
    }
}
