import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import NIOPosix

/// One peer of an open link over a real socket: a task takes the events, and passes them to the transfers.
final class Peer: Sendable {
    let link: WatchedLink
    let transfers: FileTransfers
    let other: IdentityKey
    private let offers = AsyncQueue<IncomingOffer>(watermarks: .unbounded)
    private let events: Task<Void, Never>

    fileprivate init(_ connection: LinkConnection, _ settings: FileTransferSettings) async throws {
        let link = WatchedLink(connection)
        let transfers = FileTransfers(over: link, settings: settings)
        (self.link, self.transfers) = (link, transfers)
        let (opened, openings) = AsyncStream.makeStream(of: IdentityKey.self)
        events = Task { [offers] in
            for await event in connection.events {
                transfers.report(event)
                switch event {
                case .invited(let token, _): try? await connection.accept(token, with: Peer.terms)
                case .opened(let summary): openings.yield(summary.peer.key)
                case .incomingFile(.offered(let offer)): offers.push(offer, cost: 1)
                default: break
                }
            }
            transfers.finish()
            openings.finish()
            offers.finish()
        }
        guard let other = await opened.first(where: { _ in true }) else { throw DidNotOpen() }
        self.other = other
    }

    static let terms = SessionTerms(encryption: .optional)

    struct DidNotOpen: Error {}
    struct NoOffer: Error {}

    /// The next offer of the remote peer.
    func offer() async throws -> IncomingOffer {
        guard let offer = await offers.next() else { throw NoOffer() }
        return offer
    }

    /// Receives the next offer.
    func receive(
        into scratch: Scratch, onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async throws -> StoredFile {
        try await transfers.receive(try await offer(), from: other, into: scratch.path, onEvent: onEvent)
    }

    /// Waits until no more events come.
    func ended() async { await events.value }
}

/// Two peers of an open link.
struct Pair {
    let anna: Peer
    let ben: Peer

    static let settings = FileTransferSettings(digest: TestProvider.all.bulkDigest)

    private static var options: LinkOptions {
        var options = LinkOptions(random: TestProvider.sodium.random)
        options.validator = AcceptUnverifiedPeers()
        // Tests run at the same time, with the same identities.
        options.offers = OfferLimit()
        return options
    }

    /// Anna and Ben are the same identities each time.
    init(anna annas: FileTransferSettings = settings, ben bens: FileTransferSettings = settings) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await LinkListener.bind(
            to: .tcp(host: "127.0.0.1", port: 0), configuration: try TestProvider.configuration("Ben", seed: 2),
            options: Self.options, eventLoopGroup: group)
        let initiator = try await LinkConnector.connect(
            to: listener.localEndpoint, configuration: try TestProvider.configuration("Anna", seed: 1),
            options: Self.options, eventLoopGroup: group)
        var links = listener.connections.makeAsyncIterator()
        guard let responder = await links.next() else { throw Peer.DidNotOpen() }
        try await initiator.invite(OutgoingInvitation(terms: Peer.terms, timeout: .seconds(600)))
        async let ben = Peer(responder, bens)
        anna = try await Peer(initiator, annas)
        self.ben = try await ben
        listener.refuseNewLinks()
    }

    /// Closes both peers and waits for the end.
    func close() async {
        anna.link.connection.close()
        await anna.ended()
        await ben.ended()
    }
}
