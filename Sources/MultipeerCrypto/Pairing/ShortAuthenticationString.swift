internal import MultipeerWire

/// What two persons compare: six digits, and three words that say the same (SPEC §25.3).
public struct ShortAuthenticationString: Hashable, Sendable {
    /// Six digits, with leading zeros.
    public let digits: String
    /// Three words of ``PairingWords``.
    public let words: [String]

    /// The digits in two groups, as people read them: `042 917`.
    public var groupedDigits: String { "\(digits.prefix(3)) \(digits.suffix(3))" }

    /// The string of 32 bytes that nobody could choose.
    init(_ digest: Digest) {
        let bytes = digest.rawBytes
        let number = bytes[..<8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 1_000_000
        let text = String(number)
        digits = String(repeating: "0", count: 6 - text.count) + text
        let indices = bytes[8..<12].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        words = [22, 12, 2].map { PairingWords.all[Int(indices >> $0 & 0x3FF)] }
    }
}

/// The link whose keys are compared.
public struct ShortStringContext: Sendable {
    /// The label of the export that is the string key.
    public static let exportLabel = Array("multipeer/1 short string".utf8)
    /// The length of that export.
    public static let exportLength = 32
    /// The length of a nonce, and of a commitment.
    public static let nonceLength = 32

    /// The export of the link for short strings (SPEC §25.1).
    public let stringKey: SharedSecret
    /// The identity key of the link's initiator.
    public let initiator: IdentityKey
    /// The identity key of the link's responder.
    public let responder: IdentityKey

    /// Creates a context from its parts.
    public init(stringKey: SharedSecret, initiator: IdentityKey, responder: IdentityKey) {
        self.stringKey = stringKey
        self.initiator = initiator
        self.responder = responder
    }

    /// What the initiator commits to its nonce with. SPEC §25.3
    func commitment(to nonce: Span<UInt8>, _ primitives: PairingPrimitives) throws(CryptoFailure) -> Digest {
        try digest("multipeer/1 commitment", nonce, primitives)
    }

    /// The string of both nonces. SPEC §25.3
    func string(
        _ initiator: [UInt8], _ responder: [UInt8], _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> ShortAuthenticationString {
        // Both nonces are on the wire by now.
        let nonces = initiator + responder
        return ShortAuthenticationString(try digest("multipeer/1 short string", nonces.span, primitives))
    }

    private func digest(
        _ label: String, _ nonces: Span<UInt8>, _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Digest {
        let (head, keys) = (Array(label.utf8) + [0], initiator.rawBytes + responder.rawBytes)
        var writer = try SecretWriter(
            count: head.count + stringKey.count + keys.count + nonces.count, in: primitives.secrets)
        writer.put(head)
        writer.put(stringKey)
        writer.put(keys)
        writer.put(nonces)
        let nothing: [UInt8] = []
        let input = writer.finish()
        return input.withBytes { primitives.hashing.hash($0, nothing.span) }
    }
}

/// The initiator of a link, which commits to its nonce before it sees the responder's (SPEC §25.3).
public struct ShortStringInitiator: ~Copyable {
    /// What is sent first, 32 bytes.
    public let commitment: [UInt8]
    /// A secret until the responder's nonce is there: an attacker that knew it could choose that one.
    private let nonce: Secret
    private let context: ShortStringContext
    private let primitives: PairingPrimitives

    /// Starts an exchange, with a nonce of 32 bytes of `random` (R25.3-1).
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public init(
        context: ShortStringContext, primitives: PairingPrimitives, random: inout any RandomSource
    ) throws(CryptoFailure) {
        var nonce = try primitives.secrets.makeSecret(count: ShortStringContext.nonceLength)
        nonce.withMutableBytes { random.fill(&$0) }
        let commitment = try nonce.withBytes { bytes throws(CryptoFailure) in
            try context.commitment(to: bytes, primitives)
        }
        self.commitment = commitment.rawBytes
        self.nonce = nonce
        self.context = context
        self.primitives = primitives
    }

    /// Takes the responder's nonce; from now on the own one may be revealed.
    /// - Throws: ``CryptoFailure/malformedKey`` unless there are 32 bytes; ``CryptoFailure/outOfSecretMemory``.
    public consuming func reveal(to responderNonce: [UInt8]) throws(CryptoFailure) -> Revealed {
        guard responderNonce.count == ShortStringContext.nonceLength else { throw .malformedKey }
        let own = nonce.withBytes { [UInt8](copying: $0) }
        return Revealed(nonce: own, string: try context.string(own, responderNonce, primitives))
    }

    /// The end of the initiator's part.
    public struct Revealed: Hashable, Sendable {
        /// What is sent last.
        public let nonce: [UInt8]
        /// What its person compares.
        public let string: ShortAuthenticationString
    }
}

/// The responder of a link, which has a commitment before it shows its nonce (SPEC §25.3).
public struct ShortStringResponder: ~Copyable {
    /// What is sent for the commitment, 32 bytes.
    public let nonce: [UInt8]
    private let commitment: [UInt8]
    private let context: ShortStringContext
    private let primitives: PairingPrimitives

    /// Answers a commitment, with a nonce of 32 bytes of `random` (R25.3-1).
    /// - Throws: ``CryptoFailure/malformedKey`` unless the commitment has 32 bytes.
    public init(
        answering commitment: [UInt8], context: ShortStringContext, primitives: PairingPrimitives,
        random: inout any RandomSource
    ) throws(CryptoFailure) {
        guard commitment.count == Digest.length else { throw .malformedKey }
        nonce = random.bytes(ShortStringContext.nonceLength)
        self.commitment = commitment
        self.context = context
        self.primitives = primitives
    }

    /// Takes the nonce that the initiator reveals.
    /// - Throws: ``CryptoFailure/authenticationFailed`` for one that it had not committed to (R25.3-2),
    ///   ``CryptoFailure/malformedKey`` unless there are 32 bytes; ``CryptoFailure/outOfSecretMemory``.
    public consuming func receive(_ revealed: [UInt8]) throws(CryptoFailure) -> ShortAuthenticationString {
        guard revealed.count == ShortStringContext.nonceLength else { throw .malformedKey }
        let committed = try context.commitment(to: revealed.span, primitives)
        guard committed.rawBytes == commitment else { throw .authenticationFailed }
        return try context.string(revealed, nonce, primitives)
    }
}
