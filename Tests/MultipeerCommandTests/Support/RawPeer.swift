import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerGnuTLS
import MultipeerNIO
import MultipeerSodium
import MultipeerWire
import NIOPosix

/// A peer that says what the tool would not say.
struct RawPeer: Sendable {
    /// How a file ended.
    enum FileEnd: Equatable, Sendable {
        case delivered, stopped
        case ended(FileCancel.Reason)
    }

    let connection: LinkConnection

    init(_ address: String) async throws {
        let sodium = try SodiumProvider.standard()
        connection = try await LinkConnector.connect(
            to: Endpoint(parsing: address), configuration: Self.configuration(sodium),
            options: LinkOptions(random: sodium.random), eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
    }

    /// A new identity.
    static func configuration(_ sodium: SodiumProvider) throws -> LinkConfiguration {
        var random: any RandomSource = sodium.random
        var configuration = LinkConfiguration(
            identity: try SodiumIdentity(random: &random, provider: sodium), displayName: try DisplayName("Raw"),
            crypto: try CryptoProvider.standard(),
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: sodium.signatures))
        configuration.suites = [.chaChaPoly, .aesGCM]
        return configuration
    }

    /// Invites, accepts everybody, and waits until the session is open.
    func open() async throws {
        try await connection.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)))
        for await event in connection.events {
            switch event {
            case .verify(let token, _): try await connection.submitVerdict(.accepted(.unverified), for: token)
            case .opened: return
            case .closed(let end): throw Tool.Failure(description: "\(end)")
            default: break
            }
        }
        throw Tool.Failure(description: "no session")
    }

    /// Invites, and waits until it is to say whether it accepts the remote peer. It does not say it.
    func inviteUntilVerdict() async throws {
        try await connection.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)))
        for await event in connection.events {
            switch event {
            case .verify: return
            case .closed(let end): throw Tool.Failure(description: "\(end)")
            default: break
            }
        }
        throw Tool.Failure(description: "no question for a verdict")
    }

    /// Sends a file, or the beginning of one. Does something `beforeEnd`: before it supplies the last bytes.
    func send(
        _ content: [UInt8], named name: String, stoppingAfter limit: UInt64 = .max,
        beforeEnd: () throws -> Void = {}
    ) async throws -> FileEnd {
        _ = try await connection.offerFile(name: name, size: UInt64(content.count))
        for await event in connection.events {
            switch event {
            case .outgoingFile(.wanted(_, let offset, _)) where offset >= limit: return .stopped
            case .outgoingFile(.wanted(let id, let offset, let maximum)):
                if offset + UInt64(maximum) == UInt64(content.count) { try beforeEnd() }
                try await connection.supply(Array(content.dropFirst(Int(offset)).prefix(maximum)), to: id)
            case .outgoingFile(.delivered): return .delivered
            case .outgoingFile(.ended(_, let reason, _)): return .ended(reason)
            case .closed(let end): throw Tool.Failure(description: "\(end)")
            default: break
            }
        }
        throw Tool.Failure(description: "no end of the file")
    }

    func close() async {
        connection.close()
        await connection.waitUntilClosed()
    }

    func abort() async { connection.abort() }
}
