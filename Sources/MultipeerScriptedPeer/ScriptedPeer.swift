public import MultipeerCrypto
public import MultipeerWire

/// A peer that speaks the protocol by hand, and so can break every rule of it: in a real channel, with real keys.
///
/// Bytes in, bytes out: its user carries them. It is built on the codec and the primitives alone. What it can read was
/// sealed as SPEC.md says, so it is an oracle for every implementation, this project's own among them.
public final class ScriptedPeer {
    /// A frame of the remote peer, as it was in its record.
    public struct Frame: Hashable, Sendable {
        /// The kind of the record that held it.
        public let kind: RecordKind
        /// Which record: 0, 1, 2 … of the protected ones.
        public let record: UInt64
        /// Of the record that held it, header included.
        public let recordLength: Int
        public let type: UInt64
        public let payload: [UInt8]
        /// Type and length included.
        public let encoded: [UInt8]

        public var known: FrameType? { FrameType(rawValue: type) }
    }

    /// What the remote peer sends.
    public enum Incoming: Sendable {
        /// The body.
        case hello([UInt8])
        /// The body.
        case refusal([UInt8])
        /// A protected record, its frames and their bytes.
        case frames(RecordKind, [Frame], plaintext: [UInt8])
    }

    /// What it does to its ephemeral key (SPEC §9.4).
    public enum EphemeralKey: Hashable, Sendable {
        case sound
        /// Shows a key of low order, and computes on with the 32 zero bytes that every agreement with it gives.
        case lowOrder([UInt8])
        /// Sets the highest bit of the key that it shows, which X25519 ignores.
        case highBit
    }

    /// Which end of the stream it plays.
    public let role: StreamRole
    /// The identity whose key it shows, unless a script shows another.
    public var identity: any IdentitySigner
    public let crypto: CryptoProvider
    var random: any RandomSource
    /// The private ephemeral key; nil to draw one.
    public var ephemeral: [UInt8]?
    public var ephemeralKey = EphemeralKey.sound
    /// d ‖ z of its key of ML-KEM-768, as an initiator; nil to draw them (SPEC §7.6).
    public var encapsulationSeed: [UInt8]?
    /// What it sends as a responder, and the secret that belongs to that; nil for a real encapsulation.
    public var encapsulated: (ciphertext: [UInt8], secret: [UInt8])?
    /// What its PEER_INFO lists (SPEC §8.1).
    public var features: [UInt16] = []
    /// Takes a confirmation that does not verify.
    public var overlooksConfirmation = false
    /// Takes records whose tag is wrong.
    public var overlooksTags = false
    /// Continues with an agreement of zeros.
    public var takesLowOrderKeys = false

    /// h; empty until there is a channel.
    public internal(set) var handshakeHash: [UInt8] = []
    /// x of SPEC §9.8.
    public internal(set) var exporterKey: [UInt8] = []
    /// What the channel uses.
    public internal(set) var suite: Suite?
    public var sending: RecordCipher?
    public var receiving: RecordCipher?
    /// Every record of the remote peer, header included, as on the wire.
    public private(set) var records: [[UInt8]] = []
    /// Every frame of the remote peer.
    public private(set) var frames: [Frame] = []
    /// The body of the remote peer's HELLO.
    public private(set) var peerHello: [UInt8]?
    /// The remote peer's refusal.
    public private(set) var refusal: Refusal?
    /// The identity key in the remote peer's PROOF, verified or not.
    public var peerKey: [UInt8]?
    /// PEER_INFO of both peers, whole frames.
    public var ownInfo: [UInt8] = []
    public var theirInfo: [UInt8] = []
    /// The INVITE that wins and the ACCEPT that answers it, whole frames, and which peer sent INVITE.
    public var invite: [UInt8] = []
    public var accept: [UInt8] = []
    public var inviter: StreamRole?

    /// Both openings without their Noise messages.
    var ownOpening: [UInt8] = []
    var peerOpening: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var start = 0
    private var hasSeenMagic = false

    /// A peer that has said nothing yet.
    public init(
        role: StreamRole, identity: any IdentitySigner, crypto: CryptoProvider, random: any RandomSource,
        ephemeral: [UInt8]? = nil
    ) {
        (self.role, self.identity, self.crypto) = (role, identity, crypto)
        (self.random, self.ephemeral) = (random, ephemeral)
    }

    // MARK: Sending

    /// All bytes that wait to go out.
    public func flush() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Sends bytes as they are.
    public func sendRaw(_ bytes: [UInt8]) { outgoing += bytes }

    /// Sends magic and a clear record with any body.
    public func sendOpening(_ kind: RecordKind, body: [UInt8]) { sendRaw(WireBytes.opening(kind.rawValue, body)) }

    /// Seals frames into one record and sends it.
    public func send(_ frames: [UInt8], as kind: RecordKind = .encrypted) throws(ScriptedPeerError) {
        sendRaw(try seal(frames, as: kind))
    }

    private func noteOwnInfo(_ frames: [UInt8]) {
        guard ownInfo.isEmpty else { return }
        var cursor = FrameCursor(frames.span)
        do throws(WireError) {
            while let frame = try cursor.next() {
                if frame.type == .peerInfo { ownInfo = [UInt8](copying: frame.encoded) }
            }
        } catch {
            // A script may send what is no frame.
        }
    }

    /// Sends one frame in a record of its own.
    public func send(_ frame: some ControlFrame, as kind: RecordKind = .encrypted) throws(ScriptedPeerError) {
        try send(frame.encoded(), as: kind)
    }

    /// Seals a record without sending it; the counter continues. The tag can cover another header than the record's.
    /// The first PEER_INFO is remembered for the binding.
    public func seal(
        _ frames: [UInt8], as kind: RecordKind = .encrypted, authenticating header: [UInt8]? = nil
    ) throws(ScriptedPeerError) -> [UInt8] {
        guard var cipher = sending else { throw .noKeys }
        defer { sending = cipher }
        noteOwnInfo(frames)
        return try attempt { () throws(CryptoFailure) in
            try cipher.seal(frames, as: kind, authenticating: header)
        }
    }

    // MARK: Receiving

    /// Takes bytes of the remote peer; ``next()`` reads them.
    public func take(_ bytes: [UInt8]) { incoming += bytes }

    /// Whether bytes of an unfinished record wait.
    public var isWithinRecord: Bool { start < incoming.count }

    /// Takes bytes of the remote peer and reads all of them. A responder's hello makes the keys.
    public func receive(_ bytes: [UInt8]) throws(ScriptedPeerError) {
        take(bytes)
        while let next = try next() {
            if case .hello = next, role == .initiator { try finishHandshake() }
        }
    }

    /// The next record; nil until it is whole. After a responder's hello the next call is ``finishHandshake()``.
    public func next() throws(ScriptedPeerError) -> Incoming? {
        guard try takeMagic(), let record = takeRecord() else { return nil }
        records.append(record)
        let body = Array(record.dropFirst(RecordHeader.length))
        guard let kind = RecordKind(rawValue: record[0]), kind.bodyLengths.contains(body.count) else {
            throw .illegalRecord(kind: record[0], length: body.count)
        }
        switch kind {
        case .hello:
            guard peerHello == nil else { throw .secondHello }
            take(hello: record)
            return .hello(body)
        case .refusal:
            refusal = try? Refusal(body: body.span)
            return .refusal(body)
        case .encrypted, .authenticated:
            let counter = receiving?.counter ?? 0
            let plaintext = try open(record, kind)
            // After a record with REKEY the remote peer's key is the next one (SPEC §12.6).
            defer { if holdsRekey(plaintext) { try? receiving?.rekey() } }
            return .frames(kind, try takeFrames(plaintext, kind, record.count, counter), plaintext: plaintext)
        }
    }

    /// Remembers a HELLO: a whole record.
    public func take(hello record: [UInt8]) {
        peerHello = Array(record.dropFirst(RecordHeader.length))
        peerOpening =
            Magic.bytes + record.dropLast(role == .initiator ? ResponderHello.noiseLength : InitiatorHello.noiseLength)
    }

    private func takeMagic() throws(ScriptedPeerError) -> Bool {
        guard !hasSeenMagic else { return true }
        guard incoming.prefix(Magic.bytes.count).elementsEqual(Magic.bytes.prefix(incoming.count)) else {
            throw .wrongMagic
        }
        guard incoming.count >= Magic.bytes.count else { return false }
        start = Magic.bytes.count
        hasSeenMagic = true
        return true
    }

    private func takeRecord() -> [UInt8]? {
        let bodyStart = start + RecordHeader.length
        let end =
            bodyStart <= incoming.count ? bodyStart + (Int(incoming[start + 1]) << 8 | Int(incoming[start + 2])) : 0
        guard end > 0, end <= incoming.count else {
            incoming.removeFirst(start)
            start = 0
            return nil
        }
        defer { start = end }
        return Array(incoming[start..<end])
    }

    /// Opens a whole record with the remote peer's key.
    public func open(_ record: [UInt8], _ kind: RecordKind) throws(ScriptedPeerError) -> [UInt8] {
        guard var cipher = receiving else { throw .earlyRecord }
        do throws(CryptoFailure) {
            let plaintext = try cipher.open(record, verifies: !overlooksTags)
            receiving = cipher
            return plaintext
        } catch {
            throw error == .authenticationFailed ? .notVerified(kind) : .crypto(error)
        }
    }

    private func takeFrames(
        _ plaintext: [UInt8], _ kind: RecordKind, _ length: Int, _ counter: UInt64
    ) throws(ScriptedPeerError) -> [Frame] {
        var taken: [Frame] = []
        do throws(WireError) {
            var cursor = FrameCursor(plaintext.span)
            while let frame = try cursor.next() {
                taken.append(
                    Frame(
                        kind: kind, record: counter, recordLength: length, type: frame.rawType,
                        payload: [UInt8](copying: frame.payload), encoded: [UInt8](copying: frame.encoded)))
            }
        } catch {
            throw .malformedFrames
        }
        frames += taken
        for frame in taken { note(frame) }
        return taken
    }

    private func note(_ frame: Frame) {
        switch frame.known {
        case .proof: peerKey = Array(frame.payload.prefix(32))
        case .peerInfo where theirInfo.isEmpty: theirInfo = frame.encoded
        case .invite where invite.isEmpty: (invite, inviter) = (frame.encoded, role.other)
        case .accept: accept = frame.encoded
        default: break
        }
    }

    func attempt<Value>(_ body: () throws(CryptoFailure) -> Value) throws(ScriptedPeerError) -> Value {
        do throws(CryptoFailure) {
            return try body()
        } catch {
            throw .crypto(error)
        }
    }
}
