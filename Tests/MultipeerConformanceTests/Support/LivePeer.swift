import MultipeerCertificates
import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerGnuTLS
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOPosix
import Synchronization

/// How a live peer of our own implementation is set up.
struct LiveSettings: Sendable {
    var invites = false
    var encryption = EncryptionPreference.optional
    var certificate: LocalCertificate?
    var takesFiles = true
    /// Whether it offers a file on each link.
    var offersFile = false
    /// How many bytes of a file it takes at first.
    var fileWindow: UInt64 = 32_768
    let files = LiveFiles()
    /// What its person does to verify the tester's key (SPEC §25), with the code that both know.
    var verification = PeerProfile.Verification.nothing
    let codes = LiveCodes()
    static let typed = OneTimeCode(typed: "4-tulip-orbit")
    var suites = Suite.classical + Suite.hybrid
    var timeouts = Self.patient
    var expectedPeer: IdentityKey?
    var invitationTimeout: Duration = .seconds(120)
    /// How the identity key begins.
    var firstKeyByte: ClosedRange<UInt8> = 0...0xFF

    /// No deadline passes on a busy machine, unless a test is about one.
    private static let patient: LinkTimeouts = {
        var timeouts = LinkTimeouts()
        timeouts.handshake = .seconds(120)
        timeouts.invitation = .seconds(120)
        timeouts.certificates = .seconds(120)
        return timeouts
    }()

    func configuration() throws -> LinkConfiguration {
        var identity = try Tools.identity()
        // The second byte leaves room both below and above, for a tester that needs a key beyond this one (SPEC §8.6).
        while !firstKeyByte.contains(identity.identityKey.rawBytes[0])
            || !(0x40...0xBF).contains(identity.identityKey.rawBytes[1])
        {
            identity = try Tools.identity()
        }
        var configuration = LinkConfiguration(
            identity: identity, displayName: try DisplayName("Live"), crypto: Tools.crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: Tools.crypto.signatures))
        configuration.suites = suites
        configuration.timeouts = timeouts
        configuration.fileWindow = fileWindow
        configuration.expectedPeer = expectedPeer
        configuration.offersDatagrams = true
        return configuration
    }

    var terms: SessionTerms { SessionTerms(encryption: encryption, certificate: certificate) }
    static var options: LinkOptions { LinkOptions(random: Tools.sodium.random) }

    /// Answers everything that a link asks, until it ends. A misuse is one that the link's end has made so.
    func serve(_ link: LinkConnection) async {
        await withDiscardingTaskGroup { group in
            var peer: IdentityKey?
            var tags: Set<[UInt8]> = []
            for await event in link.events {
                switch event {
                case .identified(let identified):
                    peer = identified.key
                    if verification == .types, let code = Self.typed { try? await link.giveCode(code) }
                    if verification == .compares { try? await link.compareStrings() }
                    guard invites, verification != .shows else { break }
                    try? await link.invite(OutgoingInvitation(terms: terms, timeout: invitationTimeout))
                case .invited(let token, let invitation):
                    // It is a member of no session (R14.8-2).
                    if invitation.kind == .members {
                        try? await link.decline(token, .noSession)
                    } else {
                        try? await link.accept(token, with: terms)
                    }
                case .verify(let token, _): try? await link.submitVerdict(.accepted(.unverified), for: token)
                case .opened where offersFile: await LiveFiles.offer(on: link)
                case .stream(.opened(let stream, _)): group.addTask { await read(stream, of: link) }
                case .incomingFile(.offered(let offer)):
                    guard takesFiles, let peer else {
                        try? await link.refuseFile(offer.file)
                        break
                    }
                    let mayResume = tags.insert(offer.tag).inserted
                    group.addTask { await files.take(offer, from: peer, on: link, mayResume: mayResume) }
                case .verification(let event): await verify(event, on: link)
                case .outgoingFile(let event): await LiveFiles.supply(event, on: link)
                default: break
                }
            }
        }
        codes.end(of: link)
    }

    /// Shows the code on the link that asks for it. An invitation waits for the code.
    private func verify(_ event: VerificationEvent, on link: LinkConnection) async {
        switch event {
        case .codeWanted(let token, let number):
            let code = verification == .shows ? codes.begin(number, on: link) : nil
            try? await link.answerCode(token, with: code)
        case .codeVerified(.presenter) where invites:
            try? await link.invite(OutgoingInvitation(terms: terms, timeout: invitationTimeout))
        default: break
        }
    }

    /// Reads a stream, and ends its own direction after the peer's.
    private func read(_ stream: StreamID, of link: LinkConnection) async {
        while let part = await link.nextPart(of: stream) {
            if case .ended = part { break }
        }
        try? await link.finishStream(stream)
    }
}

/// Our own implementation as a responder, at a real socket.
final class LiveListener: Sendable {
    let listener: LinkListener
    private let task: Task<Void, Never>

    init(_ settings: LiveSettings) async throws {
        let listener = try await LinkListener.bind(
            to: .tcp(host: "127.0.0.1", port: 0), configuration: try settings.configuration(),
            options: LiveSettings.options, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        self.listener = listener
        task = Task {
            await withDiscardingTaskGroup { group in
                for await link in listener.connections { group.addTask { await settings.serve(link) } }
            }
        }
    }

    deinit { task.cancel() }

    var source: ConnectingSource {
        guard case .tcp(_, let port) = listener.localEndpoint else {
            return ConnectingSource(host: "127.0.0.1", port: 0)
        }
        return ConnectingSource(host: "127.0.0.1", port: UInt16(port))
    }
}

/// Our own implementation as an initiator: connects whenever a case wants it to.
final class LiveInitiator: PeerLauncher {
    private let settings: LiveSettings
    private let configuration: LinkConfiguration
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ settings: LiveSettings) throws {
        self.settings = settings
        configuration = try settings.configuration()
    }

    func launch(port: UInt16) {
        let (settings, configuration) = (settings, configuration)
        let task = Task {
            guard
                let link = try? await LinkConnector.connect(
                    to: .tcp(host: "127.0.0.1", port: Int(port)), configuration: configuration,
                    options: LiveSettings.options, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
            else { return }
            await settings.serve(link)
        }
        tasks.withLock { $0.append(task) }
    }

    func finish() {}

    func source() throws -> ListeningSource {
        ListeningSource(listener: try TCPListener(host: "127.0.0.1", port: 0), launcher: self)
    }
}
