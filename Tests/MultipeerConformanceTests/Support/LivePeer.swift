import MultipeerCertificates
import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
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
    var suites: [Suite] = [.chaChaPoly, .aesGCM]
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
        // The second byte leaves room on either side, for a tester that needs a key beyond this one (SPEC §8.6).
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
        configuration.expectedPeer = expectedPeer
        return configuration
    }

    var terms: SessionTerms { SessionTerms(encryption: encryption, certificate: certificate) }
    static var options: LinkOptions { LinkOptions(random: Tools.sodium.random) }

    /// Answers everything that a link asks, until it ends. A misuse is one that the link's end has made so.
    func serve(_ link: LinkConnection) async {
        for await event in link.events {
            switch event {
            case .identified where invites:
                try? await link.invite(OutgoingInvitation(terms: terms, timeout: invitationTimeout))
            case .invited(let token, _): try? await link.accept(token, with: terms)
            case .verify(let token, _): try? await link.submitVerdict(.accepted(.unverified), for: token)
            case .incomingFile(.offered(let offer)):
                if takesFiles { try? await link.acceptFile(offer.file) } else { try? await link.refuseFile(offer.file) }
            case .incomingFile(.complete(let id, _)): try? await link.confirmFile(id)
            default: break
            }
        }
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
