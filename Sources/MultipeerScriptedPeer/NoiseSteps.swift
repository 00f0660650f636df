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
    }

    /// Runs the handshake. `suite` gives the name and `algorithm` the AEAD; they differ in faulty peers only.
    public func run(
        suite: Suite, algorithm: Suite? = nil, prologue: [UInt8], initiatorKey: [UInt8], responderKey: [UInt8],
        shared: [UInt8]
    ) throws(CryptoFailure) -> Outcome {
        let name = Array(suite.noiseProtocolName.utf8)
        let ck = name + [UInt8](repeating: 0, count: 32 - name.count)
        // prologue; e, and the empty payload of message 1; e of message 2
        var h = ck
        for data in [prologue, initiatorKey, [], responderKey] { h = sha256(h + data) }
        let first = try derive(ck, shared)
        let key = try (algorithm ?? suite).makeKey(first.1, crypto)
        var tagged = h + [UInt8](repeating: 0, count: aeadTagLength)
        var span = tagged.mutableSpan
        try key.seal(&span, associatedData: 0..<h.count, plaintext: h.count..<h.count, nonce: 0)
        let confirmation = Array(tagged.suffix(aeadTagLength))
        h = sha256(h + confirmation)
        let split = try derive(first.0, [])
        return Outcome(handshakeHash: h, confirmation: confirmation, initiatorKey: split.0, responderKey: split.1)
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
