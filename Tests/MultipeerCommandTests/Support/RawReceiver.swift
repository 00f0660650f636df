import MultipeerCertificates
import MultipeerCore
import MultipeerDefaults
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOPosix

/// A listener that accepts everybody, and does what the tool would not do to a file.
struct RawReceiver: Sendable {
    private let listener: LinkListener

    init() async throws {
        let sodium = try SodiumProvider.standard()
        listener = try await LinkListener.bind(
            to: .tcp(host: "127.0.0.1", port: 0), configuration: RawPeer.configuration(sodium),
            options: LinkOptions(random: sodium.random), eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
    }

    var address: String { listener.localEndpoint.description }

    /// Takes one file of one link, and closes the link after it if it should. Returns why the file ended early; nil if it
    /// came whole.
    func receive(closing: Bool = false, beforeAccepting: () throws -> Void = {}) async throws -> FileCancel.Reason? {
        var links = listener.connections.makeAsyncIterator()
        guard let link = await links.next() else { throw Tool.Failure(description: "nobody came") }
        for await event in link.events {
            switch event {
            case .invited(let token, _): try await link.accept(token, with: SessionTerms(encryption: .optional))
            case .verify(let token, _): try await link.submitVerdict(.accepted(.unverified), for: token)
            case .incomingFile(.offered(let offer)):
                try beforeAccepting()
                try await link.acceptFile(offer.file)
            case .incomingFile(.complete(let id, _)):
                try await link.confirmFile(id)
                if closing {
                    link.close()
                    await link.waitUntilClosed()
                }
                return nil
            case .incomingFile(.ended(_, let reason, _)): return reason
            case .closed(let end): throw Tool.Failure(description: "\(end)")
            default: break
            }
        }
        throw Tool.Failure(description: "no end of the file")
    }

    func shutdown() async { await listener.shutdown() }
}
