import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerNIO

/// The remote peer, as a person has named it.
enum RemotePeer: Sendable {
    case nearby(NearbyPeer, OneTimeCode?)
    case link(PeerLink)
    /// The peer that listens at an address, or the peer there that has this key.
    case address(Endpoint, OneTimeCode?, IdentityKey? = nil)

    /// Finds the peer that the person means; without a word about it, lets the person choose.
    static func find(
        _ code: CodeArgument?, named peer: PeerArgument?, by picker: PeerPicker
    ) async throws(CommandFailure) -> RemotePeer {
        if case .address(let endpoint) = peer { return .address(endpoint, code?.code) }
        let name: String? = if case .nearby(let text) = peer { text } else { nil }
        return switch code {
        case .link(let link) where !link.addresses.isEmpty: .link(link)
        case .link(let link):
            // Without an address, the peer is looked for by its key.
            .nearby(try await picker.find(.key(link.key)), link.code)
        case .code(let code):
            .nearby(
                try await picker.find(
                    name.map(PeerSearch.init(typed:)) ?? .showing(code.number), byCode: code.number), code)
        case nil:
            if let name {
                .nearby(try await picker.find(PeerSearch(typed: name)), nil)
            } else {
                .nearby(try await picker.choose(), nil)
            }
        }
    }

    /// - Parameter context: What the peer is invited for, as it hears.
    func invite(
        to session: Multipeer.Session, by browser: Browser, context: String = "", asking question: NameQuestion
    ) async throws(MultipeerError) -> Member {
        switch self {
        case .nearby(let peer, let code):
            try await browser.invite(peer, to: session, context: context, code: code) {
                await question.isMeant($0, as: peer)
            }
        case .link(let link): try await session.invite(link, context: context)
        case .address(let endpoint, let code, let key):
            try await session.invite(endpoint, expecting: key, context: context, code: code)
        }
    }

    /// Verifies the peer by the code, without a session.
    func pair(_ own: Peer, by code: OneTimeCode) async throws(MultipeerError) -> PeerID {
        switch self {
        case .nearby(let peer, _): try await own.pair(with: peer, code: code)
        case .link(let link): try await own.pair(with: link, code: code)
        case .address(let endpoint, _, let key):
            try await own.pair(with: endpoint, code: code, expecting: key)
        }
    }

    func failure(_ error: MultipeerError) -> CommandFailure {
        switch self {
        case .nearby(let peer, _): CommandFailure(error, nearby: peer)
        case .link(let link):
            CommandFailure(
                error, named: link.name.map { SafeText.escape($0.description) } ?? "the peer of the link",
                at: link.addresses.map(\.description))
        case .address(let endpoint, _, _): CommandFailure(error, at: endpoint)
        }
    }
}
