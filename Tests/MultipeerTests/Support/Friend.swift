import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import Synchronization

@testable import Multipeer

/// A peer with one session, which listens on a loopback address and takes its events in a task.
final class Friend: Sendable {
    let peer: Peer
    let session: Session
    let seen: Seen
    let address: Endpoint
    private let task: Task<Void, Never>

    /// The port at which this friend listens; 0 for a Unix socket.
    var port: Int { if case .tcp(_, let port) = address { port } else { 0 } }

    /// What a friend has seen of a session so far.
    final class Seen: Sendable {
        private let all = Mutex<[SessionEvent]>([])
        private let files = Mutex<[StoredFile]>([])
        private let failures = Mutex<[MultipeerError]>([])

        func note(_ event: SessionEvent) { all.withLock { $0.append(event) } }
        func note(_ file: StoredFile) { files.withLock { $0.append(file) } }
        func note(_ failure: MultipeerError) { failures.withLock { $0.append(failure) } }

        var events: [SessionEvent] { all.withLock { $0 } }
        var stored: [StoredFile] { files.withLock { $0 } }
        var transferErrors: [MultipeerError] { failures.withLock { $0 } }

        /// The messages of a peer, in order.
        func texts(from name: String) -> [String] {
            events.compactMap { event in
                if case .message(let message, let member) = event, member.name == name { message.text } else { nil }
            }
        }

        /// The peers that came and went, in order: `+Ben`, `-Ben`.
        var comings: [String] {
            events.compactMap { event in
                switch event {
                case .connected(let member): "+" + member.name
                case .disconnected(let member, _): "-" + member.name
                default: nil
                }
            }
        }

        func reasons(for name: String) -> [DisconnectReason] {
            events.compactMap { event in
                if case .disconnected(let member, let reason) = event, member.name == name { reason } else { nil }
            }
        }

        var streams: [PeerStream] {
            events.compactMap { event in
                if case .stream(let stream) = event { stream } else { nil }
            }
        }
    }

    /// - Parameters:
    ///   - kept: Under which name the session is kept in the peer's store, if it is.
    ///   - inbox: Where files go; nil declines them.
    ///   - clock: What the deadlines of this friend are measured by. On a busy computer a real one lets them pass.
    ///   - admits: Whether a peer that asks to be invited is invited. Where somebody is asked, a peer that connects and
    ///     takes half a second to invite is invited itself.
    ///   - listens: Whether anybody can connect to it.
    ///   - takesEvents: Whether anybody takes the events of the session.
    init(
        _ name: String, peer: Peer? = nil, clock: any SteadyClock = SlowClock(), restoringAs kept: String? = nil,
        trust: Trust = .everyone,
        encryption: EncryptionPreference = .required,
        at address: Endpoint = .loopback, inbox: String? = nil, maximumMembers: Int = 256, unites: Bool = true,
        listens: Bool = true, takesEvents: Bool = true,
        accepts: @escaping @Sendable (InvitationDetails) async -> Bool = { _ in true },
        admits: (@Sendable (PeerID) async -> Bool)? = nil
    ) async throws {
        let me = if let peer { peer } else { try await Peer.temporary(named: name, options: PeerOptions(clock: clock)) }
        let session: Session
        if let kept {
            session = try await Session(
                of: me, restoringAs: kept, trust: trust, encryption: encryption, unites: unites)
        } else {
            session = Session(
                of: me, trust: trust, encryption: encryption, maximumMembers: maximumMembers, unites: unites)
        }
        let seen = Seen()
        self.peer = me
        self.session = session
        self.seen = seen
        self.address =
            listens
            ? try await session.listen(
                at: address, refusing: { await accepts($0) ? nil : .declined }, admitting: admits) : address
        let events = session.events
        task = Task {
            guard takesEvents else { return }
            for await event in events {
                seen.note(event)
                if case .file(let file) = event { Task { await Self.answer(file, inbox, seen) } }
            }
        }
    }

    deinit { task.cancel() }

    private static func answer(_ file: OfferedFile, _ inbox: String?, _ seen: Seen) async {
        guard let inbox else { return await file.decline() }
        do throws(MultipeerError) {
            seen.note(try await file.accept(into: inbox))
        } catch {
            seen.note(error)
        }
    }

    /// The friend's identity for others.
    var id: PeerID { peer.id }

    var name: String { peer.id.shownName }

    /// The names of the members with which this one is connected.
    var connected: [String] { session.connectedPeers.map(\.name) }

    /// Waits until exactly these are connected.
    func waits(for names: [String]) async throws { try await eventually { self.connected == names.sorted() } }

    /// The stages of all links.
    func stages() async -> [LinkStage] {
        let links = peer.host.registry.state.withLock { Array($0.links.keys) }
        let stages = try? await peer.host.node.perform { (node, _) throws(NodeRequestError) in
            links.compactMap { node.stage(of: $0) }
        }
        return stages ?? []
    }

    /// Whether this friend could connect to another one: what members say of themselves comes after the link is open.
    func knowsAddress(of other: Friend) async -> Bool {
        guard let id = session.core.id else { return false }
        let memory = try? await peer.host.node.perform { (node, _) throws(NodeRequestError) in node.memory(of: id) }
        return memory?.entries.contains { $0.content.member == other.id.key.rawBytes && !$0.content.addresses.isEmpty }
            ?? false
    }

    /// How many links there are.
    var links: Int { peer.host.registry.state.withLock { $0.links.count } }

    /// How many peers have connected, and nobody has invited.
    func visitors() async -> Int { await stages().count { $0 == .identified } }

    /// How many questions whether a peer is to be invited were not asked.
    var refusals: Int { peer.host.registry.state.withLock { $0.visits.refusals } }

    /// Ends at once, without leaving.
    func vanish() async { await peer.shutDown(gracefullyWithin: .zero) }
}
