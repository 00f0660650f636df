package import MultipeerCrypto
internal import MultipeerWire
internal import Synchronization

/// Watches one party of one handshake and keeps every intermediate: for test vectors.
///
/// NO SECURITY: it copies keys into ordinary memory. It sits between the Noise state and the primitives, so that the
/// state itself has no opening for it. A recorder serves one handshake.
package final class NoiseRecorder: Sendable {
    private let transcript = Mutex(NoiseTranscript())

    package init() {}

    /// The same primitives, watched. Hand them to a Noise state, not to anything else.
    package func recording(_ crypto: CryptoProvider) -> CryptoProvider {
        CryptoProvider(
            secrets: crypto.secrets, agreement: crypto.agreement,
            hashing: RecordingHashing(base: crypto.hashing, recorder: self), bulkDigest: crypto.bulkDigest,
            signatures: crypto.signatures, chaChaPoly: RecordingAEAD(base: crypto.chaChaPoly, recorder: self),
            aesGCM: crypto.aesGCM.map { RecordingAEAD(base: $0, recorder: self) },
            keyEncapsulation: crypto.keyEncapsulation)
    }

    /// The symmetric state after every step so far.
    package var snapshots: [NoiseSnapshot] { transcript.withLock { $0.snapshots } }

    /// The 32-byte keys of the two directions, initiator's first; nil before the end.
    package var splitKeys: (initiatorToResponder: [UInt8], responderToInitiator: [UInt8])? {
        transcript.withLock { $0.splitKeys }
    }

    /// x, the third output of Split(), 32 bytes (SPEC §9.8); nil before the end.
    package var exporterMaterial: [UInt8]? { transcript.withLock { $0.exporterMaterial } }

    fileprivate func note(_ event: NoiseTranscript.Event) {
        transcript.withLock { $0.note(event) }
    }
}

/// Where in `NN` a snapshot was taken: after the named token.
package enum NoiseStep: String, Sendable, CaseIterable {
    case initialize = "initialize"
    case prologue = "prologue"
    case firstEphemeral = "message 1: e"
    case firstPayload = "message 1: payload"
    case secondEphemeral = "message 2: e"
    case diffieHellman = "message 2: ee"
    /// With a hybrid suite (SPEC §9.3).
    case encapsulation = "message 2: kem"
    case secondPayload = "message 2: payload"
}

/// The symmetric state after a step.
package struct NoiseSnapshot: Equatable, Sendable {
    package let step: NoiseStep
    /// h, 32 bytes.
    package let handshakeHash: [UInt8]
    /// ck, 32 bytes.
    package let chainingKey: [UInt8]
    /// k, 32 bytes; nil while there is none.
    package let cipherKey: [UInt8]?
    /// n.
    package let nonce: UInt64
}

/// Follows what the Noise state asks of its primitives, which is the same sequence in every handshake of `NN`.
private struct NoiseTranscript {
    enum Event {
        case hashed(old: [UInt8], new: [UInt8])
        case mixedKey(chainingKey: [UInt8], cipherKey: [UInt8])
        case split([UInt8], [UInt8], [UInt8])
        case usedNonce(UInt64)
    }

    private(set) var snapshots: [NoiseSnapshot] = []
    /// What is still to come.
    private var steps = NoiseStep.allCases.filter { $0 != .encapsulation }[...]
    private(set) var splitKeys: ([UInt8], [UInt8])?
    private(set) var exporterMaterial: [UInt8]?
    private var handshakeHash: [UInt8] = []
    private var chainingKey: [UInt8] = []
    private var cipherKey: [UInt8]?
    private var nonce: UInt64 = 0

    mutating func note(_ event: Event) {
        // What comes after the split is transport.
        guard splitKeys == nil else { return }
        switch event {
        case .hashed(let old, let new):
            if snapshots.isEmpty {
                // Only the names of hybrid suites are so long that they are hashed, and that comes first (SPEC §9.1).
                let isName = old.count > Digest.length
                if isName { steps = NoiseStep.allCases[...] }
                // > Sets ck = h. (Noise §5.2)
                handshakeHash = isName ? new : old
                chainingKey = handshakeHash
                takeSnapshot()
                guard !isName else { return }
            }
            handshakeHash = new
            takeSnapshot()
        case .mixedKey(let chainingKey, let cipherKey):
            (self.chainingKey, self.cipherKey, nonce) = (chainingKey, cipherKey, 0)
            takeSnapshot()
        case .usedNonce(let used): nonce = used + 1
        case .split(let first, let second, let third):
            splitKeys = (first, second)
            exporterMaterial = third
        }
    }

    private mutating func takeSnapshot() {
        guard let step = steps.popFirst() else { return }
        snapshots.append(
            NoiseSnapshot(
                step: step, handshakeHash: handshakeHash, chainingKey: chainingKey,
                cipherKey: cipherKey, nonce: nonce))
    }
}

private struct RecordingHashing: Hashing {
    let base: any Hashing
    let recorder: NoiseRecorder

    func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest {
        let digest = base.hash(first, second)
        recorder.note(.hashed(old: [UInt8](copying: first), new: digest.rawBytes))
        return digest
    }

    func deriveKeys(
        chainingKey: borrowing Secret, inputKeyMaterial: Span<UInt8>
    ) throws(CryptoFailure) -> DerivedKeyPair {
        let pair = try base.deriveKeys(chainingKey: chainingKey, inputKeyMaterial: inputKeyMaterial)
        let first = pair.first.withBytes { [UInt8](copying: $0) }
        let second = pair.second.withBytes { [UInt8](copying: $0) }
        recorder.note(.mixedKey(chainingKey: first, cipherKey: second))
        return pair
    }

    func deriveSplitKeys(chainingKey: borrowing Secret) throws(CryptoFailure) -> SplitKeys {
        let keys = try base.deriveSplitKeys(chainingKey: chainingKey)
        recorder.note(
            .split(
                keys.initiator.withBytes { [UInt8](copying: $0) }, keys.responder.withBytes { [UInt8](copying: $0) },
                keys.exporterMaterial.withBytes { [UInt8](copying: $0) }))
        return keys
    }

    func authenticate(
        _ first: Span<UInt8>, _ second: Span<UInt8>, key: borrowing Secret
    ) throws(CryptoFailure) -> Secret {
        try base.authenticate(first, second, key: key)
    }
}

private struct RecordingAEAD: AEAD {
    let base: any AEAD
    let recorder: NoiseRecorder

    func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        RecordingAEADKey(base: try base.makeKey(secret), recorder: recorder)
    }
}

private final class RecordingAEADKey: AEADKey {
    private let base: any AEADKey
    private let recorder: NoiseRecorder

    init(base: any AEADKey, recorder: NoiseRecorder) {
        self.base = base
        self.recorder = recorder
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        try base.seal(&buffer, associatedData: associatedData, plaintext: plaintext, nonce: nonce)
        recorder.note(.usedNonce(nonce))
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        try base.open(sealed, associatedData: associatedData, nonce: nonce, into: &plaintext)
        recorder.note(.usedNonce(nonce))
    }
}
