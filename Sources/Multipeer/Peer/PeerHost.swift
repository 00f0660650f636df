import MultipeerCertificates
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerGnuTLS
import MultipeerNIO
import MultipeerSodium
import MultipeerStorage
import MultipeerTransfers
import NIOCore
import NIOPosix

/// The running part of a peer: its node, and the task that takes the node's events.
/// Deadlines, and how often something is done, come from the clock.
final class PeerHost: Sendable {
    let identity: PeerIdentity
    let clock: any SteadyClock
    let node: NetworkNode
    let registry: SessionRegistry
    let transfers: FileTransferSettings
    let nearby: NearbyIdentity
    let verification = PairingCoordinator()

    var id: PeerID { identity.identity.peer }

    private init(
        _ identity: PeerIdentity, _ clock: any SteadyClock, _ node: NetworkNode, _ registry: SessionRegistry
    ) {
        self.identity = identity
        self.clock = clock
        self.node = node
        self.registry = registry
        transfers = FileTransferSettings(digest: identity.crypto.bulkDigest)
        nearby = NearbyIdentity(identity.identity.peer.key, hashing: identity.crypto.hashing)
    }

    static func start(
        _ identity: PeerIdentity, _ chosen: PeerOptions
    ) async -> PeerHost {
        let (clock, trace) = (chosen.clock, chosen.trace)
        let crypto = identity.crypto
        var link = LinkConfiguration(
            identity: identity.identity.signer, displayName: identity.identity.name, crypto: crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        link.tracesRecords = trace != nil
        link.offersDatagrams = chosen.takesDatagrams
        var options = LinkOptions(random: identity.sodium.random)
        options.validator = StrangersAreRefused(knownPeers: identity.knownPeers)
        options.clock = clock
        options.logger = chosen.logger
        options.stallTimeout = chosen.stallTimeout
        options.countsCreditAsStall = chosen.countsCreditAsStall
        let registry = SessionRegistry(clock)
        var configuration = NodeConfiguration(link: link)
        configuration.courtesy = .milliseconds(500)
        configuration.grace = chosen.grace
        configuration.milliseconds = UInt64(clamping: SystemClock.wall()) * 1_000
        let node = await NetworkNode.start(
            configuration: configuration, options: options, sessions: registry,
            eventLoop: chosen.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next())
        let host = PeerHost(identity, clock, node, registry)
        let handle = WeakHost(host)
        Task { await Self.run(node, registry, handle, trace) }
        return host
    }

    /// Takes the node's events until they end.
    private static func run(
        _ node: NetworkNode, _ registry: SessionRegistry, _ handle: WeakHost, _ trace: RecordTrace?
    ) async {
        while let event = await node.nextEvent() {
            if case .payload(let link, .trace(let entry)) = event.effect {
                await trace?(link, entry)
            } else {
                await handle.host?.handle(event.effect, event.connection)
            }
        }
        registry.finish()
    }

    func shutDown(gracefullyWithin grace: Duration) async {
        for session in registry.all { await session.keeper?.finish(session) }
        await node.shutDown(gracefullyWithin: grace)
    }
}

/// The task that takes events must not keep the host alive.
private struct WeakHost: Sendable {
    weak let host: PeerHost?

    init(_ host: PeerHost) {
        self.host = host
    }
}

/// For links that are of no session, which nobody asks for. It says which peers are known, so that strangers cannot
/// take all places of a listener.
private struct StrangersAreRefused: CertificateValidator {
    let knownPeers: any KnownPeersStore

    func verify(_ evidence: PeerEvidence) async -> Verdict { .rejected(.refusedByApplication) }

    func recognizes(_ peer: PeerID) async -> Bool {
        await TrustOnFirstUseValidator(store: knownPeers).recognizes(peer)
    }
}
