public import MultipeerCertificates
import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
public import MultipeerWire

/// A session: peers that are connected with each other, each with each, and exchange messages, files and streams.
///
/// A session begins with one peer. It invites others (``invite(_:expecting:context:timeout:code:)``), accepts an
/// invitation (``listen(at:)``), or asks to be invited (``join(_:expecting:)``). A peer
/// that is invited becomes connected with all other members by itself. A peer whose connection is lost is connected
/// again as soon as that is possible; a session that others have left can be used again.
///
/// While a session has connected members, an invitation to another session is declined: invite that peer instead.
///
/// A peer can take part in several sessions at once.
public final class Session: Sendable {
    /// The local peer.
    public let peer: Peer
    /// Whether the local peer takes part again in a session of an earlier run.
    public let isResumed: Bool
    let core: SessionCore

    /// What happens, in order. Take the events until they end.
    public var events: SessionEvents { SessionEvents(session: self) }

    /// Creates a session of this peer alone.
    /// - Parameters:
    ///   - peer: The local peer.
    ///   - trust: The peers to trust.
    ///   - encryption: Whether messages, files and streams must be encrypted. Both peers of each connection decide.
    ///   - certificate: The certificate that the local peer shows to others, if it has one.
    ///   - maximumMembers: How many members a session that the local peer founds may have, itself included; 2–256.
    ///   - unites: Whether a session that the local peer founds unites with that of a peer which is among others (SPEC §14.11). If it does not,
    ///     the peer has to be connected with each of them by invitations of its own.
    public convenience init(
        of peer: Peer, trust: Trust = .firstUse, encryption: EncryptionPreference = .required,
        certificate: LocalCertificate? = nil, maximumMembers: Int = 256, unites: Bool = true
    ) {
        self.init(
            of: peer, trust: trust, encryption: encryption, certificate: certificate,
            parameters: CharterParameters(maximumMembers: maximumMembers, uniting: unites), isFoundedFirst: false)
    }

    /// - Parameter isFoundedFirst: Whether several peers may be invited at once, while they invite as well: then the session is there
    ///   before anybody is.
    package init(
        of peer: Peer, trust: Trust, encryption: EncryptionPreference, certificate: LocalCertificate?,
        parameters: CharterParameters, isFoundedFirst: Bool
    ) {
        self.peer = peer
        isResumed = false
        core = SessionCore(
            host: peer.host, validator: trust.validator(of: peer.host.identity),
            terms: SessionTerms(encryption: encryption, certificate: certificate),
            parameters: parameters, isFoundedFirst: isFoundedFirst)
        peer.host.registry.begin(core)
    }

    /// Takes up the session that an earlier run has kept under a name, or begins one, and keeps it from then on.
    ///
    /// The peer's store holds what a member needs to come back, as it changes: its identity in the session, and where
    /// the others are. A program that was killed is the same member again, and becomes connected with the others by
    /// itself, as far as one of the two reaches the other: listen as before
    /// (``listen(at:)``). ``leave()`` ends that.
    /// - Parameters:
    ///   - peer: The local peer, from a store.
    ///   - name: A plain file name, which does not begin with a dot. One session of a peer has it at a time.
    ///   - trust: The peers to trust.
    ///   - encryption: Whether messages, files and streams must be encrypted. Both peers of each connection decide.
    ///   - certificate: The certificate that the local peer shows to others, if it has one.
    ///   - maximumMembers: How many members a session that the local peer founds may have, itself included; 2–256.
    ///   - unites: Whether a session that the local peer founds unites with that of a peer which is among others (SPEC §14.11). If it does not,
    ///     the peer has to be connected with each of them by invitations of its own.
    /// - Throws: ``MultipeerError``. What was kept stays as it is.
    public init(
        of peer: Peer, restoringAs name: String, trust: Trust = .firstUse, encryption: EncryptionPreference = .required,
        certificate: LocalCertificate? = nil, maximumMembers: Int = 256, unites: Bool = true
    ) async throws(MultipeerError) {
        let (keeper, memory) = try await SessionKeeper.open(name, of: peer.host)
        self.peer = peer
        isResumed = memory != nil
        core = SessionCore(
            host: peer.host, validator: trust.validator(of: peer.host.identity),
            terms: SessionTerms(encryption: encryption, certificate: certificate),
            parameters: CharterParameters(maximumMembers: maximumMembers, uniting: unites), keeper: keeper)
        peer.host.registry.begin(core)
        do throws(MultipeerError) {
            if let memory { try await peer.host.resume(core, memory) }
        } catch {
            await keeper.abandon()
            throw error
        }
        keeper.begin(core)
    }

    deinit {
        let core = core
        Task {
            await core.leave()
            await core.keeper?.finish(core)
        }
    }

    // MARK: Members

    /// The members that are connected with the local peer, by name.
    public var connectedPeers: [Member] {
        core.members.map(\.member).sorted { ($0.name, $0.id.key.description) < ($1.name, $1.id.key.description) }
    }

    /// The state of a peer.
    public func state(of peer: PeerID) -> ConnectionState { core.connectionState(of: peer.key) }

    /// What has passed between the local peer and a connected member; nil if it is not connected.
    public func statistics(of peer: PeerID) async -> PeerStatistics? {
        guard let member = core.member(peer.key) else { return nil }
        var statistics = member.counts.statistics
        statistics.queuedBytes = await member.connection.status().queuedByteCount
        statistics.roundTrip = await core.host.roundTrip(on: member.link)
        return statistics
    }

    /// Closes the connection to a member, after what was sent before. It is connected again when one of the two peers
    /// invites the other.
    public func disconnect(_ peer: PeerID) async {
        guard let member = core.member(peer.key) else { return }
        await core.host.node.close(member.link)
    }

    /// Leaves: others are notified, after what was sent before, and the events end. A session that was left is not used
    /// again, and what was kept of it is removed.
    public func leave() async { await core.leave(forGood: true) }
}

extension SessionCore {
    /// - Parameter forGood: Whether what was kept of the session is removed.
    func leave(forGood: Bool = false) async {
        guard !isOver else { return }
        // Also those sessions of the group in which nothing has opened yet.
        await host.node.leave(group)
        await waitForDeparture()
        for listener in takeListeners() { listener.stop() }
        // A program may end as soon as the events do.
        if forGood { await keeper?.remove() }
        finish()
        await host.declineWaiting(for: self)
        host.registry.remove(self)
        // The peer's other sessions still say where it listens.
        if !host.registry.all.isEmpty { await host.tellAddresses() }
    }
}

extension PeerHost {
    func roundTrip(on link: LinkNumber) async -> Duration? {
        let time = try? await node.perform { (node, _) throws(NodeRequestError) in node.roundTrip(on: link) }
        return time ?? nil
    }
}
