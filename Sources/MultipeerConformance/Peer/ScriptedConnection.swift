import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// A case's scripted peer at the socket of a live peer. It is traced, and it refuses what must never come.
///
/// Every call waits at most until the deadline. Belongs to one thread. What a case wants of the script itself, such as
/// its keys, it finds under the script's names.
@dynamicMemberLookup
final class ScriptedConnection {
    /// What the live peer sends.
    enum Incoming {
        case hello([UInt8])
        case refusal([UInt8])
        case frame(ScriptedPeer.Frame)
        /// The end of the stream.
        case end
    }

    let script: ScriptedPeer
    var behavior: PeerBehavior
    /// Whether each byte is sent by itself.
    var dripFeeds = false
    /// Whether the tester answers nothing by itself any more, PING among it.
    var isMute = false
    /// How many bytes of protected records the tester has sent.
    private(set) var protectedBytesSent = 0
    /// The PROOF of the live peer.
    private(set) var peerProof: Proof?

    private let stream: TCPStream
    private let trace: Trace
    var deadline: Deadline
    private var queue: [Incoming] = []
    private var hasEnded = false

    init(script: ScriptedPeer, stream: TCPStream, trace: Trace, deadline: Deadline) {
        (self.script, self.stream, self.trace, self.deadline) = (script, stream, trace, deadline)
        behavior = PeerBehavior(peerRole: script.role.other)
    }

    subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<ScriptedPeer, Value>) -> Value {
        get { script[keyPath: path] }
        set { script[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<ScriptedPeer, Value>) -> Value { script[keyPath: path] }

    // MARK: Sending

    /// Sends bytes as they are.
    func sendRaw(_ bytes: [UInt8], note: String) throws(Interruption) {
        trace.add(.sent, note)
        do throws(NetworkError) {
            if dripFeeds {
                for byte in bytes { try stream.send([byte], until: deadline) }
            } else {
                try stream.send(bytes, until: deadline)
            }
        } catch {
            throw Interruption(error, awaiting: "the peer to take bytes")
        }
    }

    /// Seals frames into one record, and sends it.
    func send(_ frames: [UInt8], as kind: RecordKind = .encrypted) throws(Interruption) {
        try send([(frames, kind)])
    }

    /// Seals each element into a record, and sends all records in one write: a peer that answers the first does so after the last.
    func send(_ records: [(frames: [UInt8], kind: RecordKind)]) throws(Interruption) {
        var (bytes, notes): ([UInt8], [String]) = ([], [])
        for (frames, kind) in records {
            bytes += try seal(frames, as: kind)
            notes.append("\(kind.name): \(FrameText.describe(plaintext: frames))")
            behavior.ledger.noteSent(frames)
        }
        try send(record: bytes, note: notes.joined(separator: "; "))
    }

    /// Sends a sealed record, changed or not.
    func send(record: [UInt8], note: String) throws(Interruption) {
        protectedBytesSent += record.count
        try sendRaw(record, note: note)
    }

    /// Seals a record without sending it. The counter advances.
    func seal(
        _ frames: [UInt8], as kind: RecordKind = .encrypted, authenticating header: [UInt8]? = nil
    ) throws(Interruption) -> [UInt8] {
        try own { () throws(ScriptedPeerError) in try script.seal(frames, as: kind, authenticating: header) }
    }

    /// Sends magic and an initiator's hello.
    func sendHello(_ offer: ScriptedPeer.Offer = .init()) throws(Interruption) {
        try own { () throws(ScriptedPeerError) in try script.sendHello(offer) }
        let (versions, suites) = (FrameText.list(offer.versions), FrameText.list(offer.suites))
        try sendRaw(script.flush(), note: "magic, HELLO (versions \(versions), suites \(suites))")
    }

    /// Answers the live initiator's hello. Afterwards there are keys.
    func sendAnswer(_ answer: ScriptedPeer.Answer = .init()) throws(Interruption) {
        try own { () throws(ScriptedPeerError) in try script.sendAnswer(answer) }
        let (version, suite) = (FrameText.list([answer.version]), FrameText.list([answer.suite]))
        try sendRaw(script.flush(), note: "HELLO (version \(version), suite \(suite))")
    }

    /// Sends PROOF, which is honest by default.
    func proof(
        role: StreamRole? = nil, hash: [UInt8]? = nil, showing key: [UInt8]? = nil, meaning peer: [UInt8]? = nil,
        label: String = "multipeer/1 identity proof"
    ) throws(Interruption) -> Proof {
        try own { () throws(ScriptedPeerError) in
            try script.proof(role: role, showing: key, peer: peer, hash: hash, label: label)
        }
    }

    func sendProof() throws(Interruption) { try send(try proof().encoded()) }

    /// A UDP socket beside the connection.
    func makeDatagramSocket() throws(Interruption) -> UDPSocket {
        do throws(NetworkError) { return try stream.makeDatagramSocket() } catch {
            throw Interruption(error, awaiting: "a UDP socket")
        }
    }

    /// Notes what passed beside the connection.
    func note(_ text: String, sent: Bool) { trace.add(sent ? .sent : .received, text) }

    /// Ends the tester's direction.
    func endSending() {
        trace.add(.sent, "the end of the stream")
        stream.endSending()
    }

    // MARK: Receiving

    /// Returns what the live peer sends next. What must never come is refused here (``PeerBehavior``).
    func next(awaiting: String) throws(Interruption) -> Incoming {
        while queue.isEmpty {
            if hasEnded { return .end }
            try read(awaiting: awaiting)
        }
        return queue.removeFirst()
    }

    private func read(awaiting: String) throws(Interruption) {
        let bytes: [UInt8]?
        do throws(NetworkError) {
            bytes = try stream.receive(until: deadline)
        } catch {
            if error == .timedOut { trace.add(.note, "nothing in time") }
            throw Interruption(error, awaiting: awaiting)
        }
        guard let bytes else {
            hasEnded = true
            trace.add(.received, "the end of the stream")
            guard !script.isWithinRecord else { throw .broke(rule: "R6.2-1", "the stream ended within a record") }
            queue.append(.end)
            return
        }
        script.take(bytes)
        while let record = try nextRecord() { try note(record) }
    }

    private func nextRecord() throws(Interruption) -> ScriptedPeer.Incoming? {
        let record: ScriptedPeer.Incoming?
        do throws(ScriptedPeerError) {
            record = try script.next()
        } catch {
            if case .notVerified(let kind) = error { trace.add(.received, "\(kind.name) that does not verify") }
            throw behavior.hasClosed ? Self.late : Interruption(error)
        }
        guard record == nil || !behavior.hasClosed else { throw Self.late }
        return record
    }

    private static let late = Interruption.broke(rule: "R16.1-1", "a record came after CLOSE")

    private func note(_ record: ScriptedPeer.Incoming) throws(Interruption) {
        switch record {
        case .hello(let body):
            trace.add(.received, "HELLO (\(body.count) bytes)")
            queue.append(.hello(body))
            // What follows it is sealed with keys that it makes.
            guard script.role == .initiator else { return }
            try own { () throws(ScriptedPeerError) in try script.finishHandshake() }
        case .refusal(let body):
            trace.add(.received, "REFUSAL (code \(body[0]))")
            queue.append(.refusal(body))
        case .frames(let kind, let frames, let plaintext):
            trace.add(.received, "\(kind.name): \(FrameText.describe(plaintext: plaintext))")
            try behavior.checkPadding(of: frames)
            try behavior.checkRekey(in: frames)
            let peerInvited = script.inviter == script.role.other
            for frame in frames {
                try behavior.observe(frame, peerInvited: peerInvited)
                if frame.known == .proof { try check(proof: frame) }
                queue.append(.frame(frame))
            }
            try answer(frames)
        }
    }

    /// Sends what the tester owes: PONG (R13.7-1), credit, and the ends of what the peer has given up.
    private func answer(_ frames: [ScriptedPeer.Frame]) throws(Interruption) {
        guard !isMute, !behavior.hasClosed, !behavior.ledger.hasClosed else { return }
        let pongs = frames.filter { $0.known == .ping }.flatMap { WireBytes.pong($0.payload) }
        let due = pongs + behavior.ledger.dueFrames()
        if !due.isEmpty { try send(due) }
    }

    /// Checks the live peer's PROOF.
    private func check(proof frame: ScriptedPeer.Frame) throws(Interruption) {
        guard let proof = try? Proof(payload: frame.payload.span),
            (try? IdentityKey(rawBytes: proof.identityKey)) != nil
        else { throw .broke(rule: "R9.5-1", "the peer's PROOF does not decode") }
        guard script.isValid(proof) else { throw .broke(rule: "R9.5-2", "the peer's PROOF does not verify") }
        guard frame.recordLength <= 1_024 else {
            throw .broke(rule: "R19-2", "the record that holds the peer's PROOF has \(frame.recordLength) bytes")
        }
        peerProof = proof
        behavior.ledger.begin(own: script.identity.identityKey.rawBytes, peers: proof.identityKey)
    }
}

extension ScriptedPeer.Frame {
    /// In words.
    var text: String { FrameText.describe(type: type, payload: payload) }
}
