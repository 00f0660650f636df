internal import MultipeerWire

/// What both peers of a handshake keep in step (Noise §5.2): chaining key, transcript hash, and a cipher once there is
/// a key.
struct SymmetricState: ~Copyable {
    /// ck.
    private var chainingKey: Secret
    /// h.
    private(set) var handshakeHash: Digest
    /// k and n; nil while k is empty.
    private var cipher: CipherState?

    let suite: Suite
    private let crypto: CryptoProvider

    /// `InitializeSymmetric(protocol_name)`
    ///
    /// > If protocol_name is less than or equal to HASHLEN bytes in length, sets h equal to protocol_name with zero bytes
    /// > appended to make HASHLEN bytes. Otherwise sets h = HASH(protocol_name). Sets ck = h.
    init(suite: Suite, crypto: CryptoProvider) throws(CryptoFailure) {
        let name = Array(suite.name.utf8)
        let nothing: [UInt8] = []
        let start =
            name.count > Digest.length
            ? crypto.hashing.hash(name.span, nothing.span)
            : Digest(exactly: name + [UInt8](repeating: 0, count: Digest.length - name.count))
        chainingKey = try crypto.secrets.makeSecret(copying: start.rawBytes.span)
        handshakeHash = start
        self.suite = suite
        self.crypto = crypto
    }

    /// `MixHash(data)`
    ///
    /// > Sets h = HASH(h || data).
    mutating func mixHash(_ data: Span<UInt8>) {
        handshakeHash = crypto.hashing.hash(handshakeHash.rawBytes.span, data)
    }

    /// `MixKey(input_key_material)`, which is consumed and wiped.
    ///
    /// > Sets ck, temp_k = HKDF(ck, input_key_material, 2). […] Calls InitializeKey(temp_k).
    mutating func mixKey(_ inputKeyMaterial: consuming Secret) throws(CryptoFailure) {
        try mixKey(SharedSecret(inputKeyMaterial))
    }

    /// `MixKey(input_key_material)`, with what its last holder wipes.
    mutating func mixKey(_ inputKeyMaterial: SharedSecret) throws(CryptoFailure) {
        let derived = try inputKeyMaterial.withBytes { (material) throws(CryptoFailure) in
            try crypto.hashing.deriveKeys(chainingKey: chainingKey, inputKeyMaterial: material)
        }
        chainingKey = derived.first
        cipher = try CipherState(key: derived.second, suite: suite, crypto: crypto)
    }

    /// `EncryptAndHash(plaintext)`: appends the bytes for the wire; the plaintext itself while there is no key.
    ///
    /// > Sets ciphertext = EncryptWithAd(h, plaintext), calls MixHash(ciphertext), and returns ciphertext.
    mutating func encryptAndHash(_ plaintext: Span<UInt8>, into message: inout [UInt8]) throws(CryptoFailure) {
        guard cipher != nil else {
            mixHash(plaintext)
            message.append(copying: plaintext)
            return
        }
        var buffer = handshakeHash.rawBytes
        let text = buffer.count..<buffer.count + plaintext.count
        buffer.append(copying: plaintext)
        buffer.append(contentsOf: repeatElement(0, count: aeadTagLength))
        var bytes = buffer.mutableSpan
        try cipher?.seal(&bytes, associatedData: 0..<text.lowerBound, plaintext: text)
        mixHash(buffer.span.extracting(droppingFirst: text.lowerBound))
        message.append(contentsOf: buffer[text.lowerBound...])
    }

    /// `DecryptAndHash(ciphertext)`: appends the plaintext; the ciphertext itself while there is no key.
    ///
    /// > Sets plaintext = DecryptWithAd(h, ciphertext), calls MixHash(ciphertext), and returns plaintext.
    mutating func decryptAndHash(_ ciphertext: Span<UInt8>, into plaintext: inout [UInt8]) throws(CryptoFailure) {
        guard cipher != nil else {
            mixHash(ciphertext)
            plaintext.append(copying: ciphertext)
            return
        }
        guard ciphertext.count >= aeadTagLength else { throw .authenticationFailed }
        let associatedData = handshakeHash.rawBytes
        try plaintext.append(addingCapacity: ciphertext.count - aeadTagLength) {
            (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            try cipher?.open(ciphertext, associatedData: associatedData.span, into: &output)
        }
        mixHash(ciphertext)
    }

    /// `Split()`: ends the handshake and wipes its secrets; two directions and the transcript remain.
    ///
    /// > Sets temp_k1, temp_k2 = HKDF(ck, zerolen, 2). […] Returns the pair (c1, c2).
    ///
    /// The same HKDF with three outputs gives the same two, and x for the exporter (SPEC §9.8).
    ///
    /// > the first CipherState is for encrypting messages from initiator to responder, and the second is for encrypting
    /// > messages from responder to initiator. (§5.3)
    consuming func split(as role: NoiseRole) throws(CryptoFailure) -> NoiseTransport {
        let derived = try crypto.hashing.deriveSplitKeys(chainingKey: chainingKey)
        let first = try CipherState(key: derived.initiator, suite: suite, crypto: crypto)
        let second = try CipherState(key: derived.responder, suite: suite, crypto: crypto)
        let material = derived.exporterMaterial
        switch role {
        case .initiator:
            return NoiseTransport(
                handshakeHash: handshakeHash, sending: first, receiving: second, exporterMaterial: material)
        case .responder:
            return NoiseTransport(
                handshakeHash: handshakeHash, sending: second, receiving: first, exporterMaterial: material)
        }
    }
}

/// Which of the two spoke first.
enum NoiseRole {
    case initiator, responder
}
