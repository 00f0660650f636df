internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerTesting
internal import MultipeerWire

/// The remote end of one link of a `NodeScript`: it proves itself, says its name, and then only what steps say.
final class NodePeer {
    /// A frame of the node.
    struct Heard {
        let type: UInt64
        let payload: [UInt8]
    }

    /// The node's number of the link.
    let link: LinkNumber
    /// Frames that the node has sent since they were last taken.
    private(set) var heard: [Heard] = []
    /// Whether the node has sent CLOSE: the peer's stream ends then.
    private(set) var hasClosed = false
    /// Whether this end's stream has ended.
    var hasEnded = false
    private let peer: ScriptedPeer
    /// Whether it says nothing until a step asks it to prove itself.
    private var isSilent: Bool
    private var seen = 0

    /// - Parameter role: That of the peer.
    init(
        _ link: LinkNumber, role: StreamRole, seed: [UInt8], isSilent: Bool, crypto: SwiftCrypto
    ) throws(SubjectFault) {
        self.link = link
        self.isSilent = isSilent
        do {
            peer = ScriptedPeer(
                role: role, identity: try crypto.identity(seed: seed), crypto: crypto.provider,
                random: SeededRandomSource(seed: link.rawValue + 1))
        } catch {
            throw .badQuestion("step.identitySeed")
        }
        if role == .initiator {
            try attempt { () throws(ScriptedPeerError) in
                try peer.sendHello(ScriptedPeer.Offer(suites: [Suite.chaChaPoly.rawValue]))
            }
        }
    }

    /// Bytes for the node.
    func flush() -> [UInt8] { peer.flush() }

    /// What the node has sent since the last time.
    func takeHeard() -> [Heard] {
        defer { heard = [] }
        return heard
    }

    /// A silent peer answers now.
    func prove() throws(SubjectFault) {
        isSilent = false
        if peer.role == .responder, peer.peerHello != nil, peer.suite == nil { try answer() }
    }

    /// Bytes of the node.
    func receive(_ bytes: [UInt8]) throws(SubjectFault) {
        try attempt { () throws(ScriptedPeerError) in
            peer.take(bytes)
            while let next = try peer.next() {
                guard case .hello = next else { continue }
                if peer.role == .initiator { try peer.finishHandshake() }
            }
        }
        if peer.role == .responder, peer.peerHello != nil, peer.suite == nil, !isSilent { try answer() }
        for frame in peer.frames[seen...] { try hear(frame) }
        seen = peer.frames.count
    }

    private func answer() throws(SubjectFault) {
        try attempt { () throws(ScriptedPeerError) in
            try peer.sendAnswer()
            try introduce()
        }
    }

    /// PROOF and PEER_INFO.
    private func introduce() throws(ScriptedPeerError) {
        try peer.send(try peer.proof())
        try peer.send(peer.peerInfo(name: ""))
    }

    /// PROOF depends on the handshake, so that it is shown without its payload, and only where it says something: that
    /// an initiator continues. PEER_INFO follows it always.
    private func hear(_ frame: ScriptedPeer.Frame) throws(SubjectFault) {
        switch frame.known {
        case .proof where peer.role == .initiator:
            try attempt { () throws(ScriptedPeerError) in try introduce() }
        case .proof: heard.append(Heard(type: FrameType.proof.rawValue, payload: []))
        case .peerInfo: break
        default:
            heard.append(Heard(type: frame.type, payload: frame.payload))
            if frame.known == .close { hasClosed = true }
        }
    }

    // MARK: Resuming

    /// The name and the resume secret of an association that begins on this link; nil before both have proved themselves.
    func resumption() -> (association: [UInt8], secret: [UInt8])? {
        guard peer.peerKey != nil else { return nil }
        do throws(ScriptedPeerError) { return try peer.resumption() } catch { return nil }
    }

    /// The proof of RESUME or RESUMED on this link.
    func resumeProof(of said: [UInt8], isOwn: Bool, secret: [UInt8]) throws(SubjectFault) -> [UInt8] {
        let role = isOwn ? peer.role : peer.role.other
        do throws(ScriptedPeerError) {
            return try peer.resumeProof(of: said, by: role, secret: secret)
        } catch {
            throw .inconsistent("the peer of a link fails: \(error)")
        }
    }

    /// A record with one frame.
    func send(_ frame: [UInt8], fault: RecordFault?) throws(SubjectFault) {
        guard peer.sending != nil else { return }
        try attempt { () throws(ScriptedPeerError) in
            var record = try peer.seal(frame)
            switch fault {
            case .tag: record[record.count - 1] ^= 1
            case .cut: record.removeLast()
            case nil: break
            }
            peer.sendRaw(record)
        }
    }

    /// What is wrong with a record.
    enum RecordFault: String {
        /// Its last byte is another one.
        case tag
        /// Its last byte does not come.
        case cut
    }

    private func attempt(_ body: () throws(ScriptedPeerError) -> Void) throws(SubjectFault) {
        do throws(ScriptedPeerError) { try body() } catch { throw .inconsistent("the peer of a link fails: \(error)") }
    }
}
