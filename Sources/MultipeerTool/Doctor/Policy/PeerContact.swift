import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerGnuTLS
import MultipeerNIO
import MultipeerSodium
import MultipeerStorage
import NIOPosix

/// What came of connecting to a peer.
struct PeerContact: Sendable {
    enum End: Sendable {
        /// The peer was identified, and was not invited.
        case identified
        /// A session opened, and was closed again.
        case opened(LinkSummary)
        /// There was no link.
        case unreachable(CommandFailure)
        /// The link failed; the second one says so with options of the command line.
        case failed(LinkFailure, CommandFailure)
    }

    var peer: PeerID?
    var end: End
}

/// Connects to a peer as `multipeer-lab connect` does, and closes the link before an invitation, or once it is answered.
struct PeerProbe: Sendable {
    /// How long each step may take: the connection, the handshake, the answer, and the certificates.
    static let patience = Duration.seconds(2)
    private static let context = "multipeer doctor: a check, nothing is sent"

    let address: Endpoint
    let invites: Bool
    let policy: DoctorPolicy

    func run() async -> PeerContact {
        do throws(CommandFailure) {
            return try await contact()
        } catch {
            return PeerContact(peer: nil, end: .unreachable(error))
        }
    }

    private func contact() async throws(CommandFailure) -> PeerContact {
        let sodium = try Cryptography.start()
        let trust = try policy.trust()
        var options = LinkOptions(random: sodium.random)
        options.validator = try policy.validator()
        let (configuration, terms) = (try configuration(sodium), try terms(sodium))
        let connection: LinkConnection
        do throws(ConnectError) {
            connection = try await LinkConnector.connect(
                to: address, configuration: configuration, options: options,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, timeout: Self.patience)
        } catch {
            throw CommandFailure(error, endpoint: address, canWaitLonger: false)
        }
        return await follow(connection, terms, trust)
    }

    private func terms(_ sodium: SodiumProvider) throws(CommandFailure) -> SessionTerms {
        guard let certificate = policy.options.certificate, let key = policy.options.key else {
            return SessionTerms(encryption: policy.options.encryption.preference)
        }
        let local = try CertificateInput.local(certificate: certificate, key: key, secrets: sodium.secrets)
        return SessionTerms(encryption: policy.options.encryption.preference, certificate: local)
    }

    private func configuration(_ sodium: SodiumProvider) throws(CommandFailure) -> LinkConfiguration {
        let store = try policy.store.open()
        let identity =
            if let stored = try store.load(sodium: sodium) { stored } else {
                try LocalIdentity.ephemeral(sodium: sodium)
            }
        let crypto = try Cryptography.provider()
        var configuration = LinkConfiguration(
            identity: identity.signer, displayName: identity.name, crypto: crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        configuration.expectedPeer = policy.expected
        configuration.timeouts.handshake = Self.patience
        configuration.timeouts.certificates = Self.patience
        return configuration
    }

    private func follow(_ connection: LinkConnection, _ terms: SessionTerms, _ trust: TrustPolicy) async -> PeerContact
    {
        var contact = PeerContact(peer: nil, end: .identified)
        for await event in connection.events {
            switch event {
            case .identified(let peer):
                contact.peer = peer
                if invites {
                    let invitation = OutgoingInvitation(
                        terms: terms, context: Array(Self.context.utf8), timeout: Self.patience)
                    // A link that has already failed reports the reason in its events.
                    try? await connection.invite(invitation)
                } else {
                    connection.close()
                }
            case .invited(let token, _): try? await connection.decline(token, .busy)
            case .opened(let summary):
                contact.end = .opened(summary)
                connection.close()
            case .closed(.failed(let failure)):
                if case .opened = contact.end { return contact }
                if contact.peer != nil, !invites { return contact }
                let hint = Hints.remedy(failure, contact.peer, trust, for: .link)
                contact.end = .failed(failure, CommandFailure(failure, hint: hint))
                return contact
            case .closed: return contact
            default: break
            }
        }
        return contact
    }
}
