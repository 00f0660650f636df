import Foundation
import MultipeerClock
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

/// One device: a peer ID, a session, and everything that its delegates heard. It is on the loopback interface.
final class Device: Sendable {
    let id: MCPeerID
    let session: MCSession
    let told: SessionLog
    /// The session keeps no delegate.
    private let delegate: any MCSessionDelegate & Sendable

    /// - Parameters:
    ///   - clock: What the deadlines of this device are measured by, if it has no peer ID yet.
    ///   - judge: The answer about certificates, for an app that implements that method.
    init(
        _ name: String, peer: MCPeerID? = nil, clock: any SteadyClock = ContinuousClock(), identity: [Any]? = nil,
        encryption: MCEncryptionPreference = .required,
        judge: (@Sendable ([Any]?, @escaping @Sendable (Bool) -> Void) -> Void)? = nil
    ) {
        Surroundings.prepare()
        let id = peer ?? MCPeerID(displayName: name, clock: clock)
        let told = SessionLog()
        self.id = id
        self.told = told
        session = MCSession(peer: id, securityIdentity: identity, encryptionPreference: encryption)
        delegate = if let judge { JudgingDelegate(told, judge) } else { told }
        session.delegate = delegate
    }

    /// The names of those that are connected, sorted.
    var connected: [String] { session.connectedPeers.map(\.displayName).sorted() }

    func connectionData(for peer: MCPeerID) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            session.nearbyConnectionData(forPeer: peer) { data, error in
                continuation.resume(with: data.map { .success($0) } ?? .failure(error ?? MCError(.unknown)))
            }
        }
    }

    /// Both peers exchange connection data, and connect.
    static func begin(_ one: Device, _ other: Device) async throws {
        let (ours, theirs) = (
            try await one.connectionData(for: other.id), try await other.connectionData(for: one.id)
        )
        one.session.connectPeer(other.id.publicCopy, withNearbyConnectionData: theirs)
        other.session.connectPeer(one.id.publicCopy, withNearbyConnectionData: ours)
    }

    /// Why two that connect to each other are not connected.
    struct NothingCameOfIt: Error {
        let reasons: [String]
    }

    /// Does ``begin(_:_:)``, and waits until both are connected, or both have given up.
    static func connect(_ one: Device, _ other: Device) async throws {
        let before = (one.told.reasons(for: other.id).count, other.told.reasons(for: one.id).count)
        try await begin(one, other)
        try await eventually {
            let reasons = (
                one.told.reasons(for: other.id).dropFirst(before.0), other.told.reasons(for: one.id).dropFirst(before.1)
            )
            guard reasons.0.isEmpty || reasons.1.isEmpty else {
                throw NothingCameOfIt(reasons: (reasons.0 + reasons.1).map { "\($0.kind): \($0)" })
            }
            return one.session.connectedPeers.contains(other.id) && other.session.connectedPeers.contains(one.id)
        }
        try await eventually {
            one.told.states(of: other.id).last == .connected && other.told.states(of: one.id).last == .connected
        }
    }

    /// Two that are connected.
    static func pair(_ one: String = "Anna", _ other: String = "Ben") async throws -> (Device, Device) {
        let pair = (Device(one), Device(other))
        try await connect(pair.0, pair.1)
        return pair
    }

    func send(_ text: String, to peers: Device..., mode: MCSessionSendDataMode = .reliable) throws {
        try session.send(Data(text.utf8), toPeers: peers.map(\.id), with: mode)
    }
}

/// What the framework looks at in this process: a network of the memory, the loopback interface, and a folder that goes with the tests.
/// The examples, which are processes, have real multicast.
enum Surroundings {
    static func prepare() { _ = once }

    private static let once: Void = {
        guard let folder = try? Scratch.forProcess() else { fatalError("no folder for the tests") }
        // One network for all tests of this process.
        App.prepare()
        setenv("XDG_DATA_HOME", folder, 1)
        setenv("XDG_CACHE_HOME", folder + "/cache", 1)
    }()
}
