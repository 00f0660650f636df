import MultipeerCrypto
import MultipeerWire

/// A peer in the hands of a case: a real channel to a live peer, and any bytes in it.
///
/// It shares no code with `MultipeerCore`: what it can read was sealed as SPEC.md says. Every call waits at most until the
/// deadline. Belongs to one thread.
public final class AttackerPeer {
    /// A frame of the live peer's.
    struct Frame {
        let kind: RecordKind
        let type: UInt64
        let payload: [UInt8]
        /// Type and length included.
        let encoded: [UInt8]
        /// Of the record that held it, header included.
        let recordLength: Int

        var known: FrameType? { FrameType(rawValue: type) }
        var text: String { FrameText.describe(type: type, payload: payload) }
    }

    /// What the live peer sends.
    enum Incoming {
        case hello([UInt8])
        case refusal([UInt8])
        case frame(Frame)
        /// The end of the stream.
        case end
    }

    /// Which side of the stream the tester is.
    public let role: StreamRole
    let toolbox: Toolbox
    let trace: Trace
    private let stream: TCPStream
    var deadline: Deadline
    /// Whose key is shown, unless a case shows another.
    var identity: any IdentitySigner
    var trick = AgreementTrick.none
    /// Whether every byte travels by itself.
    var dripFeeds = false
    /// Whether the tester forgets to rekey (SPEC §12.5).
    var skipsRekey = false

    // What the channel is.
    var handshakeHash: [UInt8] = []
    var suite: Suite?
    var conduct: Conduct
    /// Every record of the live peer as it came, header included.
    private(set) var records: [[UInt8]] = []
    /// How many bytes of protected records the tester has sent.
    private(set) var protectedBytesSent = 0
    /// The PROOF of the live peer.
    var peerProof: Proof?
    /// The INVITE that stands and the ACCEPT that answers it, whole frames, and who sent INVITE.
    var invite: [UInt8] = []
    var accept: [UInt8] = []
    var inviter: StreamRole?

    // The prologue's halves, and the keys.
    var ownPrologue: [UInt8] = []
    var peerPrologue: [UInt8] = []
    var peerHello: [UInt8] = []
    var noise: NoiseNNInitiator?
    var sending: CipherState?
    var receiving: CipherState?

    private var incoming: [UInt8] = []
    private var hasSeenMagic = false
    private var queue: [Incoming] = []
    private var hasEnded = false

    init(
        role: StreamRole, stream: TCPStream, identity: any IdentitySigner, toolbox: Toolbox, trace: Trace,
        deadline: Deadline
    ) {
        self.role = role
        self.stream = stream
        self.identity = identity
        self.toolbox = toolbox
        self.trace = trace
        self.deadline = deadline
        conduct = Conduct(peerRole: role.other)
    }

    // MARK: Sending

    /// Sends bytes as they are.
    func sendRaw(_ bytes: [UInt8], note: String) throws(Interruption) {
        trace.add(.sent, note)
        do throws(NetworkTrouble) {
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
        let record = try seal(frames, as: kind)
        try send(record: record, note: "\(Self.name(kind)): \(FrameText.describe(plaintext: frames))")
    }

    /// Sends a sealed record, or what was made of one.
    func send(record: [UInt8], note: String) throws(Interruption) {
        protectedBytesSent += record.count
        try sendRaw(record, note: note)
    }

    /// Seals a record without sending it; the counter goes on.
    func seal(_ frames: [UInt8], as kind: RecordKind = .encrypted) throws(Interruption) -> [UInt8] {
        let header = Craft.header(kind.rawValue, frames.count + aeadTagLength)
        return try seal(frames, as: kind, authenticating: header, showing: header)
    }

    /// As above with one header for the tag and another one for the wire.
    func seal(
        _ frames: [UInt8], as kind: RecordKind = .encrypted, authenticating header: [UInt8], showing shown: [UInt8]
    ) throws(Interruption) -> [UInt8] {
        guard sending != nil else { throw .inconclusive("there is no channel to seal a record for") }
        var record = header + frames
        let end = record.count
        record += [UInt8](repeating: 0, count: aeadTagLength)
        let boundary = kind == .authenticated ? end : RecordHeader.length
        do throws(CryptoFailure) {
            var span = record.mutableSpan
            try sending?.seal(&span, associatedData: 0..<boundary, plaintext: boundary..<end)
            if !skipsRekey, let counter = sending?.nonce, counter % 65_536 == 0 { try sending?.rekey() }
        } catch {
            throw .own(error)
        }
        record.replaceSubrange(0..<RecordHeader.length, with: shown)
        return record
    }

    /// Ends the tester's direction.
    func endSending() {
        trace.add(.sent, "the end of the stream")
        stream.endSending()
    }

    // MARK: Receiving

    /// The next thing that the live peer sends; what must never come is refused here (``Conduct``).
    func next(awaiting: String) throws(Interruption) -> Incoming {
        while queue.isEmpty {
            if hasEnded { return .end }
            try read(awaiting: awaiting)
        }
        return queue.removeFirst()
    }

    private func read(awaiting: String) throws(Interruption) {
        let bytes: [UInt8]?
        do throws(NetworkTrouble) {
            bytes = try stream.receive(until: deadline)
        } catch {
            if error == .timedOut { trace.add(.note, "nothing in time") }
            throw Interruption(error, awaiting: awaiting)
        }
        guard let bytes else {
            hasEnded = true
            trace.add(.received, "the end of the stream")
            guard incoming.isEmpty else { throw .broke(rule: "R6.2-1", "the stream ended within a record") }
            queue.append(.end)
            return
        }
        incoming += bytes
        try takeMagic()
        guard hasSeenMagic else { return }
        var start = 0
        while let end = recordEnd(from: start) {
            try take(Array(incoming[start..<end]))
            start = end
        }
        incoming.removeFirst(start)
    }

    private func takeMagic() throws(Interruption) {
        guard !hasSeenMagic else { return }
        guard incoming.prefix(Magic.bytes.count).elementsEqual(Magic.bytes.prefix(incoming.count)) else {
            throw .broke(rule: "R6.1-1", "the stream does not begin with the magic")
        }
        guard incoming.count >= Magic.bytes.count else { return }
        incoming.removeFirst(Magic.bytes.count)
        hasSeenMagic = true
    }

    private func recordEnd(from start: Int) -> Int? {
        guard incoming.count - start >= RecordHeader.length else { return nil }
        let end = start + RecordHeader.length + (Int(incoming[start + 1]) << 8 | Int(incoming[start + 2]))
        return end <= incoming.count ? end : nil
    }

    private func take(_ record: [UInt8]) throws(Interruption) {
        guard !conduct.hasClosed else { throw .broke(rule: "R16.1-1", "a record came after CLOSE") }
        records.append(record)
        let body = Array(record.dropFirst(RecordHeader.length))
        guard let kind = RecordKind(rawValue: record[0]), kind.bodyLengths.contains(body.count) else {
            throw .broke(rule: "R6.2-1", "a record of kind \(record[0]) with \(body.count) bytes came")
        }
        switch kind {
        case .hello:
            trace.add(.received, "HELLO (\(body.count) bytes)")
            guard peerHello.isEmpty else { throw .broke(rule: "R6.2-2", "a second HELLO came") }
            peerHello = body
            let noiseLength =
                role == .initiator ? ResponderHello.noiseLength : InitiatorHello.noiseLength
            peerPrologue = Magic.bytes + record.dropLast(noiseLength)
            queue.append(.hello(body))
            // What stands behind it is sealed with keys that it makes.
            try finishHandshake()
        case .refusal:
            trace.add(.received, "REFUSAL (code \(body[0]))")
            queue.append(.refusal(body))
        case .encrypted, .authenticated: try takeProtected(record, kind: kind)
        }
    }

    private func takeProtected(_ record: [UInt8], kind: RecordKind) throws(Interruption) {
        guard receiving != nil else { throw .broke(rule: "R6.2-2", "a protected record came before there are keys") }
        let tagStart = record.count - aeadTagLength
        let boundary = kind == .authenticated ? tagStart : RecordHeader.length
        var plaintext: [UInt8] = []
        do throws(CryptoFailure) {
            let (sealed, data) = (Array(record[boundary...]), Array(record[..<boundary]))
            try plaintext.append(addingCapacity: sealed.count - aeadTagLength) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                try receiving?.open(sealed.span, associatedData: data.span, into: &output)
            }
            if let counter = receiving?.nonce, counter % 65_536 == 0 { try receiving?.rekey() }
        } catch {
            guard error == .authenticationFailed else { throw .own(error) }
            trace.add(.received, "\(Self.name(kind)) that does not verify")
            throw .broke(rule: "R12.4-1", "a record came that does not verify")
        }
        if kind == .authenticated { plaintext = Array(record[RecordHeader.length..<tagStart]) }
        trace.add(.received, "\(Self.name(kind)): \(FrameText.describe(plaintext: plaintext))")
        try takeFrames(plaintext, kind, recordLength: record.count)
    }

    private func takeFrames(_ plaintext: [UInt8], _ kind: RecordKind, recordLength: Int) throws(Interruption) {
        var frames: [Frame] = []
        do throws(WireError) {
            var cursor = FrameCursor(plaintext.span)
            while let frame = try cursor.next() {
                frames.append(
                    Frame(
                        kind: kind, type: frame.rawType, payload: [UInt8](copying: frame.payload),
                        encoded: [UInt8](copying: frame.encoded), recordLength: recordLength))
            }
        } catch {
            throw .broke(rule: "R6.3-1", "a record holds something that is no frame")
        }
        for frame in frames {
            try conduct.observe(frame)
            if frame.known == .proof { try note(proof: frame) }
            if frame.known == .invite, invite.isEmpty { (invite, inviter) = (frame.encoded, role.other) }
            if frame.known == .accept { accept = frame.encoded }
            queue.append(.frame(frame))
        }
    }

    static func name(_ kind: RecordKind) -> String {
        switch kind {
        case .hello: "HELLO"
        case .refusal: "REFUSAL"
        case .encrypted: "ENCRYPTED"
        case .authenticated: "AUTHENTICATED"
        }
    }
}
