public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// A peer that speaks the protocol by hand, and so can break every rule of it: inside of a real channel, with real keys.
///
/// It shares no code with the link above frames, records' headers and Noise, so that it is an oracle as well: what it
/// can read was sealed as SPEC.md says.
public final class EvilPeer {
    /// A frame of the other side's, as it stood in its record.
    public struct Frame: Hashable, Sendable {
        /// The kind of the record that held it.
        public let kind: RecordKind
        /// Which record: 0, 1, 2 … of the protected ones.
        public let record: UInt64
        public let type: UInt64
        public let payload: [UInt8]
        /// Type and length included.
        public let encoded: [UInt8]
    }

    /// Why the evil peer itself cannot go on: a broken test, or an honest side that broke the protocol.
    public enum Trouble: Error, Hashable, Sendable {
        /// There are no keys yet.
        case noChannel
        /// What the honest side sent is not what SPEC §6 says.
        case unreadable
    }

    /// Which side of the stream it plays.
    public let role: LinkRole
    /// Whose key it shows, unless a test makes it show another.
    public let identity: any IdentitySigner
    let crypto: CryptoProvider
    private var random: any RandomSource

    /// h, once there is a channel.
    public private(set) var handshakeHash: Digest?
    /// What the channel uses.
    public private(set) var suite: Suite?
    /// Every frame that the honest side sent.
    public private(set) var frames: [Frame] = []
    /// Every record that the honest side sent, header included, as on the wire.
    public private(set) var records: [[UInt8]] = []
    /// The body of the honest side's HELLO.
    public private(set) var peerHello: [UInt8]?
    /// The honest side's refusal.
    public private(set) var refusal: Refusal?
    /// The INVITE and the ACCEPT that were sent or received last, whole frames.
    public var invite: [UInt8] = []
    public var accept: [UInt8] = []

    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var hasSeenMagic = false
    /// Own opening without the Noise message: what the prologue holds.
    private var ownPrologue: [UInt8] = []
    private var peerPrologue: [UInt8] = []
    private var noise: NoiseNNInitiator?
    private var sending: CipherState?
    private var receiving: CipherState?

    /// A peer that has said nothing yet.
    public init(role: LinkRole, identity: any IdentitySigner, crypto: CryptoProvider, random: any RandomSource) {
        self.role = role
        self.identity = identity
        self.crypto = crypto
        self.random = random
    }

    // MARK: The wire

    /// All bytes that wait to go out.
    public func flush() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Sends bytes as they are.
    public func sendRaw(_ bytes: [UInt8]) { outgoing += bytes }

    /// Sends magic and a clear record with any body.
    public func sendOpening(_ kind: RecordKind, body: [UInt8]) {
        outgoing += Magic.bytes + [kind.rawValue, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    /// Seals frames into one record and sends it.
    public func send(_ frames: [UInt8], as kind: RecordKind = .encrypted) throws {
        outgoing += try seal(frames, as: kind)
    }

    /// Sends one frame in a record of its own.
    public func send(_ frame: some ControlFrame, as kind: RecordKind = .encrypted) throws {
        try send(frame.encoded(), as: kind)
    }

    /// Seals a record without sending it; the counter goes on.
    public func seal(_ frames: [UInt8], as kind: RecordKind = .encrypted) throws -> [UInt8] {
        guard sending != nil else { throw Trouble.noChannel }
        let length = frames.count + aeadTagLength
        var record = [kind.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + frames
        let end = record.count
        record += [UInt8](repeating: 0, count: aeadTagLength)
        var span = record.mutableSpan
        let boundary = kind == .authenticated ? end : RecordHeader.length
        try sending?.seal(&span, associatedData: 0..<boundary, plaintext: boundary..<end)
        if let counter = sending?.nonce, counter % 65_536 == 0 { try sending?.rekey() }
        return record
    }

    /// Takes what the honest side sent: frames and records appear in ``frames`` and ``records``.
    public func receive(_ bytes: [UInt8]) throws {
        incoming += bytes
        if !hasSeenMagic {
            guard incoming.count >= Magic.bytes.count else { return }
            guard Array(incoming.prefix(Magic.bytes.count)) == Magic.bytes else { throw Trouble.unreadable }
            incoming.removeFirst(Magic.bytes.count)
            hasSeenMagic = true
        }
        var start = 0
        while let end = recordEnd(from: start) {
            try take(Array(incoming[start..<end]))
            start = end
        }
        incoming.removeFirst(start)
    }

    private func recordEnd(from start: Int) -> Int? {
        guard incoming.count - start >= RecordHeader.length else { return nil }
        let end = start + RecordHeader.length + (Int(incoming[start + 1]) << 8 | Int(incoming[start + 2]))
        return end <= incoming.count ? end : nil
    }

    private func take(_ record: [UInt8]) throws {
        records.append(record)
        let body = Array(record.dropFirst(RecordHeader.length))
        switch RecordKind(rawValue: record[0]) {
        case .hello: try takeHello(record, body: body)
        case .refusal: refusal = try Refusal(body: body.span)
        case .encrypted: try takeFrames(open(body, associatedData: Array(record.prefix(3))), .encrypted)
        case .authenticated:
            let frames = Array(body.dropLast(aeadTagLength))
            _ = try open(Array(body.suffix(aeadTagLength)), associatedData: Array(record.dropLast(aeadTagLength)))
            try takeFrames(frames, .authenticated)
        case nil: throw Trouble.unreadable
        }
    }

    private func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8] {
        guard receiving != nil else { throw Trouble.unreadable }
        var plaintext: [UInt8] = []
        try plaintext.append(addingCapacity: sealed.count - aeadTagLength) {
            (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            try receiving?.open(sealed.span, associatedData: associatedData.span, into: &output)
        }
        if let counter = receiving?.nonce, counter % 65_536 == 0 { try receiving?.rekey() }
        return plaintext
    }

    private func takeFrames(_ plaintext: [UInt8], _ kind: RecordKind) throws {
        let record = (receiving?.nonce ?? 1) - 1
        var cursor = FrameCursor(plaintext.span)
        while let frame = try cursor.next() {
            let encoded = Array(copying: frame.encoded)
            if frame.type == .invite { invite = encoded }
            if frame.type == .accept { accept = encoded }
            frames.append(
                Frame(
                    kind: kind, record: record, type: frame.rawType, payload: Array(copying: frame.payload),
                    encoded: encoded))
        }
    }

    // MARK: The handshake

    /// Sends magic and an initiator's hello.
    public func sendHello(
        versions: [UInt16] = [0x0001], suites: [UInt16] = [0x0001, 0x0002], extensions: [HelloExtension] = []
    ) throws {
        let noise = try NoiseNNInitiator(crypto: crypto, random: &random)
        let hello = InitiatorHello(
            versions: versions, suites: suites, extensions: extensions, ephemeral: noise.ephemeralKey.rawBytes)
        self.noise = consume noise
        sendOpening(.hello, body: hello.body())
        ownPrologue = Array(outgoing.dropLast(InitiatorHello.noiseLength))
    }

    /// Answers the honest initiator's hello by one with these values, whatever was offered.
    public func answerHello(
        version: UInt16 = 0x0001, suite: Suite = .chaChaPoly, suiteValue: UInt16? = nil,
        extensions: [HelloExtension] = []
    ) throws {
        guard let peerHello else { throw Trouble.noChannel }
        let blank = ResponderHello(
            version: version, suite: suiteValue ?? suite.rawValue, extensions: extensions,
            ephemeral: [UInt8](repeating: 0, count: 32), confirmation: [UInt8](repeating: 0, count: 16))
        sendOpening(.hello, body: blank.body())
        outgoing.removeLast(ResponderHello.noiseLength)
        ownPrologue = outgoing
        let prologue = prologue(initiator: peerPrologue, responder: ownPrologue)
        let noise = try NoiseNNResponder(suite: suite, prologue: prologue.span, crypto: crypto)
        let ephemeral = Array(peerHello.suffix(InitiatorHello.noiseLength))
        var payload: [UInt8] = []
        let replying = try noise.read(ephemeral.span, payload: &payload)
        let transport = try replying.write(random: &random, into: &outgoing)
        begin(transport, suite)
    }

    private func takeHello(_ record: [UInt8], body: [UInt8]) throws {
        peerHello = body
        let noiseLength = role == .initiator ? ResponderHello.noiseLength : InitiatorHello.noiseLength
        peerPrologue = Magic.bytes + record.dropLast(noiseLength)
        guard role == .initiator, let noise = noise.take() else { return }
        let hello = try ResponderHello(body: body.span)
        guard let suite = Suite(rawValue: hello.suite) else { throw Trouble.unreadable }
        let prologue = prologue(initiator: ownPrologue, responder: peerPrologue)
        let awaiting = try noise.start(suite: suite, prologue: prologue.span)
        var payload: [UInt8] = []
        begin(try awaiting.read(Array(body.suffix(noiseLength)).span, payload: &payload), suite)
    }

    private func prologue(initiator: [UInt8], responder: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0] + initiator + responder
    }

    private func begin(_ transport: consuming NoiseTransport, _ suite: Suite) {
        handshakeHash = transport.handshakeHash
        self.suite = suite
        sending = consume transport.sending
        receiving = consume transport.receiving
    }
}
