import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// A case that is being played: a connection to the live peer, and how far it has come. It belongs to one thread.
final class Play {
    /// How far both peers are, as seen from the tester.
    enum Stage: Int, Comparable {
        /// There is a connection, and the tester has not sent a byte.
        case connected
        /// Keys exist. The tester has not sent PROOF.
        case channel
        /// The tester has sent PROOF, the peer PROOF and PEER_INFO.
        case proved
        /// The tester has sent PEER_INFO.
        case identified
        /// INVITE and ACCEPT have gone their ways, and the peer's CERTIFICATES have come.
        case agreed
        /// The tester has sent CERTIFICATES, and the peer READY.
        case certified
        /// The tester has sent READY.
        case open

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }

        var name: String {
            switch self {
            case .connected: "a connection"
            case .channel: "keys"
            case .proved: "proofs"
            case .identified: "names"
            case .agreed: "an accepted invitation"
            case .certified: "the peer's READY"
            case .open: "an open session"
            }
        }
    }

    let source: any PeerSource
    let cryptography: TesterCryptography
    let profile: PeerProfile
    let codes: (any CodeSource)?
    let role: StreamRole
    let deadline: Deadline
    let trace = Trace()
    /// The code that the case is about.
    var knownCode: OneTimeCode?
    /// Others whom the case speaks of, by name.
    var strangers: [String: any IdentitySigner] = [:]

    /// The connection that is being played on.
    private(set) var peer: ScriptedConnection
    var stage = Stage.connected
    /// What the tester brings into a session. The preference *optional* suits every peer.
    var terms = Terms()

    /// The tester's terms of a session.
    struct Terms {
        var preference = EncryptionPreference.optional
        var certificate: Int?
        var timeout: UInt64 = 30_000
        var context: [UInt8] = []
        /// What the tester offers in its hello, or how it answers the peer's.
        var offer = ScriptedPeer.Offer()
        var suite: Suite?
        /// What the tester's PEER_INFO lists.
        var features: [UInt16] = []
    }

    init(
        source: any PeerSource, cryptography: TesterCryptography, profile: PeerProfile, codes: (any CodeSource)? = nil,
        deadline: Deadline
    ) throws(Interruption) {
        self.source = source
        self.cryptography = cryptography
        self.profile = profile
        self.codes = codes
        self.deadline = deadline
        role = source.role
        peer = try Self.connect(source, cryptography, trace, deadline)
    }

    /// Leaves the connection, and opens another one with a new identity.
    func reconnect() throws(Interruption) {
        trace.add(.note, "a new connection")
        source.release()
        peer = try Self.connect(source, cryptography, trace, deadline)
        stage = .connected
    }

    /// Leaves the connection as it is, and opens another one to the same peer, with the same identity (SPEC §13.9).
    func connectAgain() throws(Interruption) {
        trace.add(.note, "another connection to the same peer")
        let identity = peer.identity
        peer = try Self.connect(source, cryptography, trace, deadline, isAgain: true)
        peer.identity = identity
        stage = .connected
    }

    /// Continues with a connection that was left for another one.
    func go(back connection: ScriptedConnection, at stage: Stage = .identified) {
        trace.add(.note, "back on the connection before")
        peer = connection
        self.stage = stage
    }

    private static func connect(
        _ source: any PeerSource, _ cryptography: TesterCryptography, _ trace: Trace, _ deadline: Deadline,
        isAgain: Bool = false
    ) throws(Interruption) -> ScriptedConnection {
        let stream: TCPStream
        do throws(NetworkError) {
            stream = isAgain ? try source.openAgain(until: deadline) : try source.open(until: deadline)
        } catch {
            switch error {
            case .timedOut: throw .inconclusive("there was no connection to the peer in time")
            case .unknownHost: throw .inconclusive("the peer's host has no address")
            case .system(let errno): throw .inconclusive("there is no connection to the peer: system error \(errno)")
            }
        }
        let identity = try own { () throws(CryptoFailure) in try cryptography.makeIdentity() }
        let script = ScriptedPeer(
            role: source.role, identity: identity, crypto: cryptography.crypto, random: cryptography.random)
        return ScriptedConnection(script: script, stream: stream, trace: trace, deadline: deadline)
    }
}
