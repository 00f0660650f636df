public import MultipeerCertificates
import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
public import MultipeerWire

/// A session: peers that are connected with each other, each with each, and exchange messages, files and streams.
///
/// A session begins with one peer. It invites others (``invite(_:expecting:context:timeout:)``), accepts an invitation
/// (``listen(at:accepting:admitting:)``), or asks to be invited (``join(_:expecting:timeout:)``). Whoever is invited becomes
/// connected with all other members by itself. A peer whose connection is lost is connected again as soon as that is possible; a
/// session that others have left can be used again.
///
/// While a session has connected members, an invitation to another session is declined: invite that peer instead.
///
/// A peer can take part in several sessions at once.
public final class Session: Sendable {
    /// This side.
    public let peer: Peer
    let core: SessionCore

    /// What happens, in order. Take the events until they end.
    public var events: SessionEvents { SessionEvents(session: self) }

    /// Creates a session of this peer alone.
    /// - Parameters:
    ///   - peer: This side.
    ///   - trust: Whom to trust.
    ///   - encryption: Whether messages, files and streams must be encrypted. Both sides of each connection decide.
    ///   - certificate: What this side shows to others of itself, if it has one.
    ///   - maximumMembers: How many members a session that this side founds may have, itself included; 2–256.
    public init(
        of peer: Peer, trust: Trust = .firstUse, encryption: EncryptionPreference = .required,
        certificate: LocalCertificate? = nil, maximumMembers: Int = 256
    ) {
        self.peer = peer
        core = SessionCore(
            host: peer.host, validator: trust.validator(of: peer.host.identity),
            terms: SessionTerms(encryption: encryption, certificate: certificate),
            parameters: CharterParameters(maximumMembers: maximumMembers))
        peer.host.registry.begin(core)
    }

    deinit {
        let core = core
        Task { await core.leave() }
    }

    // MARK: Members

    /// The members that are connected with this side, by name.
    public var connectedPeers: [Member] {
        core.members.map(\.member).sorted { ($0.name, $0.id.key.description) < ($1.name, $1.id.key.description) }
    }

    /// How things stand with a peer.
    public func state(of peer: PeerID) -> ConnectionState { core.connectionState(of: peer.key) }

    /// What has passed between this side and a connected member; nil if it is not connected.
    public func statistics(of peer: PeerID) async -> PeerStatistics? {
        guard let member = core.member(peer.key) else { return nil }
        var statistics = member.counts.statistics
        statistics.queuedBytes = await member.connection.status().queuedByteCount
        statistics.roundTrip = await core.host.roundTrip(on: member.link)
        return statistics
    }

    /// Closes the connection to a member, behind what was sent before. It is connected again when one of both sides invites the
    /// other.
    public func disconnect(_ peer: PeerID) async {
        guard let member = core.member(peer.key) else { return }
        await core.host.node.close(member.link)
    }

    /// Leaves: others are told, behind what was sent before, and the events end. A session that was left is not used again.
    public func leave() async { await core.leave() }
}

extension SessionCore {
    func leave() async {
        guard !isOver else { return }
        for listener in takeListeners() { await listener.shutdown(gracefullyWithin: .zero) }
        if let id { try? await host.node.leave(id) }
        host.registry.remove(self)
        finish()
    }
}

extension PeerHost {
    func roundTrip(on link: LinkNumber) async -> Duration? {
        let time = try? await node.perform { (node, _) throws(NodeRequestError) in node.roundTrip(on: link) }
        return time ?? nil
    }
}
