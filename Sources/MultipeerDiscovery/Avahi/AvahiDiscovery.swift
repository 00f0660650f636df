internal import CAvahi
public import MultipeerCrypto

/// DNS-SD by Avahi (SPEC §23): by the daemon of this host, or by a responder inside this process.
///
/// A daemon that ends is waited for: what was found is lost meanwhile, and what is advertised comes back with it.
public final class AvahiDiscovery: ServiceDiscovery {
    private let loop: AvahiLoop
    private let core: AvahiCore
    private let observation: Task<Void, Never>

    private init(
        on selection: InterfaceSelection,
        _ makeStack: (AvahiLoop, AvahiCore) throws(DiscoveryError) -> any OwnedStack
    ) throws(DiscoveryError) {
        guard let loop = AvahiLoop() else { throw .system("no thread") }
        let core = AvahiCore(at: try NetworkInterface.indexes(of: selection))
        core.begin(try makeStack(loop, core), in: loop)
        loop.start()
        self.loop = loop
        self.core = core
        observation = Task.detached { [weak loop] in
            // Avahi notices by itself which interfaces there are, but not for the addresses that are published here.
            while (try? await Task.sleep(for: .seconds(2))) != nil {
                guard let loop else { return }
                await loop.run { core.interfacesMayHaveChanged() }
            }
        }
    }

    deinit {
        observation.cancel()
        // The loop ends with the last that knows of it.
        Task.detached { [loop, core] in await loop.run { core.end() } }
    }

    /// The Avahi daemon of this host.
    /// - Throws: ``DiscoveryError``, with ``DiscoveryError/noDaemon`` if none runs.
    public static func daemon(on interfaces: InterfaceSelection = .all) throws(DiscoveryError) -> AvahiDiscovery {
        try AvahiDiscovery(on: interfaces) { (loop, core) throws(DiscoveryError) in
            try DaemonStack(loop, for: core)
        }
    }

    /// A responder inside this process. Nothing has to run for it.
    /// - Throws: ``DiscoveryError``.
    public static func embedded(on interfaces: InterfaceSelection = .all) throws(DiscoveryError) -> AvahiDiscovery {
        try AvahiDiscovery(on: interfaces) { (loop, core) throws(DiscoveryError) in
            let names: [String]? = if case .only(let names) = interfaces { names } else { nil }
            return try EmbeddedStack(loop, hostName: core.freshHostLabel(), interfaces: names, for: core)
        }
    }

    /// The daemon where one runs, and a responder inside this process otherwise.
    /// - Throws: ``DiscoveryError``.
    public static func standard(on interfaces: InterfaceSelection = .all) throws(DiscoveryError) -> AvahiDiscovery {
        do throws(DiscoveryError) {
            return try daemon(on: interfaces)
        } catch {
            switch error {
            case .noDaemon, .noLibrary: return try embedded(on: interfaces)
            default: throw error
            }
        }
    }

    /// Whether the daemon does the work.
    public var usesDaemon: Bool { loop.reading { core.usesDaemon } }

    public func publish(
        _ advertisement: Advertisement, as type: ServiceType, port: UInt16
    ) async throws(DiscoveryError) -> any Publication {
        let publication = await loop.run { [core] in core.publish(advertisement, as: type, port: port) }
        let handle = AvahiPublicationHandle(self, publication)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in loop.post { publication.wait(continuation) } }
        } onCancel: {
            end(publication)
        }
        _ = try outcome.get()
        return handle
    }

    public func browse(
        for type: ServiceType, _ onEvent: @escaping @Sendable (ServiceEvent) -> Void
    ) async throws(DiscoveryError) -> any Browsing {
        let browse = await loop.run { [core] in
            Result { () throws(DiscoveryError) in try core.browse(for: type, onEvent) }
        }
        return AvahiBrowsing(self, try browse.get())
    }

    // MARK: For the handles

    fileprivate func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await loop.run(body)
    }

    fileprivate func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }

    fileprivate func reading<Result>(_ body: () -> Result) -> Result { loop.reading(body) }

    fileprivate func end(_ publication: AvahiPublication) { loop.post { [core] in core.end(publication) } }

    fileprivate func end(_ browse: AvahiBrowse) { loop.post { [core] in core.end(browse) } }
}

private final class AvahiPublicationHandle: Publication {
    private let discovery: AvahiDiscovery
    private let publication: AvahiPublication

    init(_ discovery: AvahiDiscovery, _ publication: AvahiPublication) {
        self.discovery = discovery
        self.publication = publication
    }

    deinit { discovery.end(publication) }

    var instanceName: String { discovery.reading { publication.instanceName } }

    func whenRenamed(_ tell: @escaping @Sendable (String) -> Void) {
        discovery.post { [publication] in publication.onRename = tell }
    }

    func update(_ advertisement: Advertisement) async throws(DiscoveryError) {
        let result = await discovery.run { [publication] in
            Result { () throws(DiscoveryError) in try publication.update(advertisement) }
        }
        try result.get()
    }

    func stop() async {
        discovery.end(publication)
        await discovery.run {}
        // Avahi sends the goodbye in the next turn of its loop, and does not say when it has. A task that is cancelled waits as well: the
        // program may be about to end.
        if !discovery.usesDaemon { await Task.detached { try? await Task.sleep(for: .milliseconds(50)) }.value }
    }
}

private final class AvahiBrowsing: Browsing {
    private let discovery: AvahiDiscovery
    private let browse: AvahiBrowse

    init(_ discovery: AvahiDiscovery, _ browse: AvahiBrowse) {
        self.discovery = discovery
        self.browse = browse
    }

    deinit { discovery.end(browse) }

    func stop() async {
        discovery.end(browse)
        await discovery.run {}
    }
}
