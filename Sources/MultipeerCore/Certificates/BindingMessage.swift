import MultipeerCrypto
import MultipeerWire

/// The bytes that a leaf's key signs (SPEC §10.3).
struct BindingTranscript: Sendable {
    private let digest: Digest

    /// Hashes what both sides saw. `invite` and `accept` are whole frames as sent.
    init(
        handshakeHash: Digest, initiator: IdentityKey, responder: IdentityKey, inviter: LinkRole, invite: [UInt8],
        accept: [UInt8], hashing: any Hashing
    ) {
        let front = handshakeHash.rawBytes + initiator.rawBytes + responder.rawBytes
        let back = [inviter.byte] + invite + accept
        digest = hashing.hash(front.span, back.span)
    }

    /// The signed message of one side. `chain` is the content of its CERTIFICATES' vector.
    func message(of role: LinkRole, chain: [UInt8], hashing: any Hashing) -> [UInt8] {
        let chainDigest = hashing.hash(chain.span, [UInt8]().span)
        return Array("multipeer/1 certificate binding".utf8) + [0, role.byte] + digest.rawBytes + chainDigest.rawBytes
    }
}
