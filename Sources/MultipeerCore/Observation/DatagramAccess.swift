public import MultipeerCrypto
public import MultipeerWire

/// The packets and the path of SPEC §26 without a link, for test vectors.
@_spi(Observation)
public struct DatagramAccess {
    private var path: DatagramPath

    /// A path that begins.
    /// - Parameters:
    ///   - role: The role of the local peer.
    ///   - suite: The suite of the link.
    ///   - exporterSecret: Of SPEC §9.8.
    ///   - port: The port in the responder's DATAGRAMS, for an initiator.
    ///   - maximumMessage: What both peers take.
    ///   - challenges: What its randomness gives.
    ///   - crypto: The primitives.
    ///   - now: When it begins.
    /// - Throws: ``CryptoFailure``.
    public init(
        role: LinkRole, suite: Suite, exporterSecret: consuming Secret, port: UInt16?,
        maximumMessage: (local: UInt64, remote: UInt64), challenges: any RandomSource, crypto: CryptoProvider,
        at now: Instant
    ) throws(CryptoFailure) {
        let terms = DatagramPath.Terms(
            role: role, suite: suite, maximumMessage: maximumMessage.local, peerMaximumMessage: maximumMessage.remote)
        let exports = ExportKeys(exporterSecret: exporterSecret, hashing: crypto.hashing)
        guard
            let path = try DatagramPath(
                terms, port: port, exports: exports, crypto: crypto,
                random: DatagramRandomness(challenges, varies: false),
                budget: DatagramBudget(perSecond: .max / 2, burst: .max / 2), at: now)
        else { throw .malformedKey }
        self.path = path
    }

    /// Sends a message; ``Outcome`` says which way.
    public mutating func send(_ message: [UInt8], at now: Instant) -> Outcome {
        switch path.send(message, at: now) {
        case .sent: .sent
        case .dropped: .dropped
        case .overLink: .overLink
        }
    }

    /// What becomes of a message.
    public enum Outcome: String, Sendable { case sent, dropped, overLink }

    /// A packet has come.
    public mutating func receive(_ packet: [UInt8], from port: UInt16, at now: Instant) {
        path.receive(packet.span, from: port, at: now)
    }

    /// Time has passed.
    public mutating func timeout(at now: Instant) { path.timeout(at: now) }

    /// When something is due.
    public func deadline(at now: Instant) -> Instant? { path.deadline(at: now) }

    /// The next packet to send.
    public mutating func nextPacket() -> (port: UInt16, bytes: [UInt8])? { path.nextPacket() }

    /// The next message that has come.
    public mutating func nextMessage() -> [UInt8]? { path.nextMessage() }

    /// A message has gone or come over the link.
    public mutating func noteLinkMessage(at now: Instant) { path.noteLinkMessage(at: now) }

    /// The app has taken a message.
    public mutating func release(_ count: Int, bytes: Int) { path.release(count, bytes: bytes) }

    /// The link closes.
    public mutating func close() { path.close() }

    /// The tag, the key and the sealed packet of a direction.
    /// - Parameters:
    ///   - sender: The role of the peer that sends.
    ///   - suite: The suite of the link.
    ///   - exporterSecret: Of SPEC §9.8.
    ///   - kind: What the packet carries.
    ///   - contents: What it seals.
    ///   - counter: Its counter.
    ///   - crypto: The primitives.
    /// - Throws: ``CryptoFailure``.
    public static func seal(
        by sender: LinkRole, suite: Suite, exporterSecret: consuming Secret, kind: DatagramKind, contents: [UInt8],
        counter: UInt64, crypto: CryptoProvider
    ) throws(CryptoFailure) -> (tag: [UInt8], key: [UInt8], packet: [UInt8]) {
        let exports = ExportKeys(exporterSecret: exporterSecret, hashing: crypto.hashing)
        guard var keys = try DatagramKeys(sentBy: sender, suite: suite, exports: exports, crypto: crypto),
            let tag = try exports.export(label: DatagramKeys.tagLabel, context: [sender.byte], length: 8),
            let key = try exports.export(
                label: DatagramKeys.keyLabel, context: DatagramKeys.context(sender, of: counter), length: 32),
            let packet = try keys.seal(kind, contents, counter: counter)
        else { throw .malformedKey }
        return (tag, key, packet)
    }

    /// Opens a packet, as its receiver does.
    /// - Returns: Nil if it does not verify.
    /// - Throws: ``CryptoFailure``.
    public static func open(
        _ packet: [UInt8], by sender: LinkRole, suite: Suite, exporterSecret: consuming Secret, crypto: CryptoProvider
    ) throws(CryptoFailure) -> (header: DatagramHeader, contents: [UInt8])? {
        let exports = ExportKeys(exporterSecret: exporterSecret, hashing: crypto.hashing)
        guard let header = DatagramHeader(packet: packet.span),
            var keys = try DatagramKeys(sentBy: sender, suite: suite, exports: exports, crypto: crypto),
            header.tag == keys.tag, let contents = keys.open(packet.span, counter: header.counter)
        else { return nil }
        return (header, contents)
    }
}
