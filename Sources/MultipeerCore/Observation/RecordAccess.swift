public import MultipeerCrypto
public import MultipeerWire

/// Record protection by itself (SPEC §12), as a link applies it.
@_spi(Observation)
public struct RecordAccess: ~Copyable {
    private var sealer: RecordSealer
    private var opener: RecordOpener

    /// Creates access to both directions.
    public init(sending: consuming CipherState, receiving: consuming CipherState) {
        sealer = RecordSealer(cipher: sending)
        opener = RecordOpener(cipher: receiving)
    }

    /// The counter of the next record that is opened.
    public var receivingCounter: UInt64 { opener.counter }

    /// Opens a whole record and returns its frames.
    public mutating func open(_ header: RecordHeader, record: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let plaintext = try opener.takingPlaintext(header, record: record.span)
        guard header.kind == .encrypted else {
            return Array(record[RecordOpener.authenticatedFrames(of: record.span)])
        }
        return plaintext
    }

    /// Seals frames into a whole record.
    public mutating func seal(_ kind: RecordKind, frames: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        var wire: [UInt8] = []
        let capacity = frames.count + RecordSealer.overhead
        try wire.append(addingCapacity: capacity) { (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            let start = RecordSealer.begin(in: &output)
            output.append(copying: frames.span)
            try sealer.finish(kind, from: start, in: &output)
        }
        return wire
    }
}

/// Messages out of their frames (SPEC §15.1), by what links put them together with.
@_spi(Observation)
public struct MessageAccess {
    private var messages: IncomingMessages

    /// For a receiver with this `maximumMessage` that has granted all credit there is.
    public init(maximum: UInt64) {
        messages = IncomingMessages(maximum: maximum)
        messages.widen(by: VarInt.maximum)
        _ = messages.takeCredit()
    }

    /// Whether a message is under way.
    public var isPartial: Bool { messages.isPartial }

    /// Takes a MESSAGE or a MESSAGE_PART; returns the message if it is complete.
    public mutating func receive(_ payload: [UInt8], isFirst: Bool) throws(LinkFailureCause) -> [UInt8]? {
        isFirst ? try messages.begin(payload.span) : try messages.continue(payload.span)
    }
}

/// The bytes that a leaf's key signs (SPEC §10.3), with their intermediate.
@_spi(Observation)
public struct BindingAccess {
    /// The hash over what both peers saw, 32 bytes.
    public let transcript: [UInt8]
    /// The signed bytes.
    public let message: [UInt8]

    /// Computes both for the peer with role `signer`.
    public init(
        handshakeHash: Digest, initiator: (key: IdentityKey, info: [UInt8]),
        responder: (key: IdentityKey, info: [UInt8]), inviter: LinkRole, invite: [UInt8], accept: [UInt8],
        signer: LinkRole, chain: [UInt8], hashing: any Hashing
    ) {
        let transcript = BindingTranscript(
            handshakeHash: handshakeHash, initiator: BindingTranscript.Side(key: initiator.key, info: initiator.info),
            responder: BindingTranscript.Side(key: responder.key, info: responder.info), inviter: inviter,
            invite: invite, accept: accept, hashing: hashing)
        message = transcript.message(of: signer, chain: chain, hashing: hashing)
        // label ‖ 0 ‖ role ‖ transcript ‖ hash of the chain
        self.transcript = Array(message.dropLast(Digest.length).suffix(Digest.length))
    }
}
