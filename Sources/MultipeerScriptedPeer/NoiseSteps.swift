public import MultipeerCrypto
public import MultipeerWire

/// Noise NN computed step by step from the primitives (Noise §5, SPEC §9), apart from the handshake states of
/// `MultipeerCrypto`, so that each step can be another than it should be. Keys are plain bytes: NO SECURITY.
public struct NoiseSteps: Sendable {
    let crypto: CryptoProvider

    public init(crypto: CryptoProvider) { self.crypto = crypto }

    /// What a handshake gives.
    public struct Outcome: Sendable {
        public var handshakeHash: [UInt8]
        public var confirmation: [UInt8]
        /// The keys of both directions.
        public var initiatorKey: [UInt8]
        public var responderKey: [UInt8]
        /// x, from which exports are made (SPEC §9.8).
        public var exporterKey: [UInt8]
    }

    /// Runs the handshake. `suite` gives the name and `algorithm` the AEAD; they differ in faulty peers only.
    /// - Parameter encapsulated: The secret of ML-KEM-768, with a hybrid suite; a faulty peer leaves it out.
    public func run(
        suite: Suite, algorithm: Suite? = nil, prologue: [UInt8], initiatorKey: [UInt8], responderKey: [UInt8],
        shared: [UInt8], encapsulated: [UInt8]? = nil
    ) throws(CryptoFailure) -> Outcome {
        let name = Array(suite.name.utf8)
        let ck = name.count > 32 ? sha256(name) : name + [UInt8](repeating: 0, count: 32 - name.count)
        // prologue; e, and the empty payload of message 1; e of message 2
        var h = ck
        for data in [prologue, initiatorKey, [], responderKey] { h = sha256(h + data) }
        var first = try derive(ck, shared)
        if let encapsulated { first = try derive(first.0, encapsulated) }
        let key = try (algorithm ?? suite).makeKey(first.1, crypto)
        var tagged = h + [UInt8](repeating: 0, count: aeadTagLength)
        var span = tagged.mutableSpan
        try key.seal(&span, associatedData: 0..<h.count, plaintext: h.count..<h.count, nonce: 0)
        let confirmation = Array(tagged.suffix(aeadTagLength))
        h = sha256(h + confirmation)
        let split = try derive(first.0, [])
        let third = try hmac(try hmac(first.0, []), split.1 + [3])
        return Outcome(
            handshakeHash: h, confirmation: confirmation, initiatorKey: split.0, responderKey: split.1,
            exporterKey: third)
    }

    /// An export of a link (SPEC §9.8).
    public func export(
        key: [UInt8], hash: [UInt8], initiator: [UInt8], responder: [UInt8], label: [UInt8], context: [UInt8],
        length: Int
    ) throws(CryptoFailure) -> (secret: [UInt8], bytes: [UInt8]) {
        let secret = try hmac(key, Array("multipeer/1 exporter".utf8) + [0] + hash + initiator + responder)
        let info =
            WireBytes.u16(UInt16(truncatingIfNeeded: length)) + WireBytes.vector(label) + WireBytes.vector(context)
        var (bytes, block): ([UInt8], [UInt8]) = ([], [])
        while bytes.count < length {
            block = try hmac(secret, block + info + [UInt8(truncatingIfNeeded: bytes.count / 32 + 1)])
            bytes += block
        }
        return (secret, Array(bytes.prefix(length)))
    }

    /// The proof of RESUME or RESUMED (SPEC §13.9).
    /// - Parameters:
    ///   - said: The payload before it.
    ///   - role: The role of its sender on the new link.
    ///   - hash: The handshake hash of the new link.
    ///   - secret: The resume secret.
    public func resumeProof(
        of said: [UInt8], by role: StreamRole, hash: [UInt8], secret: [UInt8]
    ) throws(CryptoFailure) -> [UInt8] {
        try hmac(secret, Array("multipeer/1 resume".utf8) + [0, role.byte] + hash + said)
    }

    private func hmac(_ key: [UInt8], _ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let secret = try crypto.secrets.makeSecret(copying: key.span)
        let tag = try crypto.hashing.authenticate(message.span, [UInt8]().span, key: secret)
        return tag.withBytes { [UInt8](copying: $0) }
    }

    /// X25519.
    /// - Throws: ``CryptoFailure/weakPublicKey`` for a result of zeros.
    public func agree(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let key = try crypto.agreement.makePrivateKey(rawBytes: privateKey.span)
        let shared = try crypto.agreement.agree(key, with: try AgreementPublicKey(rawBytes: publicKey))
        return shared.withBytes { [UInt8](copying: $0) }
    }

    public func publicKey(of privateKey: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let key = try crypto.agreement.makePrivateKey(rawBytes: privateKey.span)
        return try crypto.agreement.publicKey(of: key).rawBytes
    }

    /// The secret of ML-KEM-768.
    /// - Throws: ``CryptoFailure/unavailableSuite`` where the provider has none.
    public func decapsulate(_ ciphertext: [UInt8], seed: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let secret = try encapsulation.decapsulate(ciphertext, with: try crypto.secrets.makeSecret(copying: seed.span))
        return secret.withBytes { [UInt8](copying: $0) }
    }

    /// A ciphertext, and its secret.
    /// - Throws: ``CryptoFailure/unavailableSuite`` where the provider has none.
    public func encapsulate(to key: [UInt8]) throws(CryptoFailure) -> (ciphertext: [UInt8], secret: [UInt8]) {
        let made = try encapsulation.encapsulate(to: key)
        return (made.ciphertext, made.secret.withBytes { [UInt8](copying: $0) })
    }

    /// - Throws: ``CryptoFailure/unavailableSuite`` where the provider has none.
    public func encapsulationKey(ofSeed seed: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        try encapsulation.encapsulationKey(of: try crypto.secrets.makeSecret(copying: seed.span))
    }

    private var encapsulation: any KeyEncapsulation {
        get throws(CryptoFailure) {
            guard let encapsulation = crypto.keyEncapsulation else { throw .unavailableSuite }
            return encapsulation
        }
    }

    public func sha256(_ bytes: [UInt8]) -> [UInt8] { crypto.hashing.hash(bytes.span, [UInt8]().span).rawBytes }

    private func derive(_ ck: [UInt8], _ material: [UInt8]) throws(CryptoFailure) -> ([UInt8], [UInt8]) {
        let secret = try crypto.secrets.makeSecret(copying: ck.span)
        let pair = try crypto.hashing.deriveKeys(chainingKey: secret, inputKeyMaterial: material.span)
        return (pair.first.withBytes { [UInt8](copying: $0) }, pair.second.withBytes { [UInt8](copying: $0) })
    }
}

extension Suite {
    func makeKey(_ bytes: [UInt8], _ crypto: CryptoProvider) throws(CryptoFailure) -> any AEADKey {
        guard let aead = crypto.aead(of: self) else { throw .unavailableSuite }
        return try aead.makeKey(try crypto.secrets.makeSecret(copying: bytes.span))
    }
}

/// A public key of which every X25519 result is zero: the points of order 1, 2, 4 and 8 on curve and twist, and the
/// encodings of them that are not canonical (RFC 7748 §6.1 leaves the check to the protocol; SPEC §9.4 asks for it).
public struct LowOrderPoint: Sendable {
    public let name: String
    public let bytes: [UInt8]

    public static let all: [LowOrderPoint] = [
        point("0", "0000000000000000000000000000000000000000000000000000000000000000"),
        point("1", "0100000000000000000000000000000000000000000000000000000000000000"),
        point("p-1", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        point("p", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        point("p+1", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        point("order-8", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        point("order-8-other", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    ]

    private static func point(_ name: String, _ digits: String) -> LowOrderPoint {
        LowOrderPoint(name: name, bytes: Hexadecimal.decode(digits) ?? [])
    }
}
