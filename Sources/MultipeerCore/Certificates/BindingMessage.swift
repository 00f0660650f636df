import MultipeerCrypto
import MultipeerWire

/// The bytes that a leaf's key signs (SPEC §10.3).
struct BindingTranscript: Sendable {
    /// TLS 1.3 begins its signed bytes so (RFC 8446 §4.4.3). No signature of one protocol is one of the other.
    private static let label =
        [UInt8](repeating: 0x20, count: 64) + Array("multipeer/1 certificate binding".utf8)

    private let digest: Digest

    /// What one peer said of itself.
    struct Side: Sendable {
        let key: IdentityKey
        /// Its PEER_INFO, the whole frame as sent.
        let info: [UInt8]
    }

    /// Hashes what both peers saw. `invite` and `accept` are whole frames as sent.
    init(
        handshakeHash: Digest, initiator: Side, responder: Side, inviter: LinkRole, invite: [UInt8],
        accept: [UInt8], hashing: any Hashing
    ) {
        let front = handshakeHash.rawBytes + initiator.key.rawBytes + responder.key.rawBytes
        let back = initiator.info + responder.info + [inviter.byte] + invite + accept
        digest = hashing.hash(front.span, back.span)
    }

    /// The signed message of one peer. `chain` is the content of its CERTIFICATES' vector.
    func message(of role: LinkRole, chain: [UInt8], hashing: any Hashing) -> [UInt8] {
        let chainDigest = hashing.hash(chain.span, [UInt8]().span)
        return Self.label + [0, role.byte] + digest.rawBytes + chainDigest.rawBytes
    }
}
