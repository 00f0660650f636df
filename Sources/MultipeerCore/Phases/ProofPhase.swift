import MultipeerCrypto
import MultipeerWire

/// Keys exist; the peer has not said who it is (SPEC §9.5).
struct ProofPhase: LinkPhase, ~Copyable {
    let handshakeHash: Digest
    let suite: Suite

    /// The responder sends its PROOF first; the initiator waits to see it.
    init(handshakeHash: Digest, suite: Suite, in context: inout LinkContext) throws(LinkFailureCause) {
        self.handshakeHash = handshakeHash
        self.suite = suite
        if context.role == .responder { try sendProof(in: &context) }
    }

    var stage: LinkStage { .proof }
    var isPeerProved: Bool { false }
    var readinessToInvite: ReadinessToInvite { .onceIdentified }
    consuming func unchanged() -> Transition { .to(.proof(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .proof else { throw frame.unexpected }
        let key = try verify(try frame.decode(Proof.self), in: context)
        if context.role == .initiator { try sendProof(in: &context) }
        context.send(
            PeerInfo(
                displayName: context.configuration.displayName.utf8Bytes,
                maximumMessage: context.maximumMessage))
        let proved = ProvedPeer(handshakeHash: handshakeHash, suite: suite, key: key)
        // An initiator's invitation goes out in the same flight; a responder waits to learn the peer's name (SPEC §17).
        guard context.role == .initiator, let invitation = context.takePendingInvitation() else {
            return .to(.info(InfoPhase(peer: proved, sent: nil)))
        }
        return .to(.info(InfoPhase(peer: proved, sent: SentInvitation(invitation, in: &context))))
    }

    /// Sends this side's PROOF.
    private func sendProof(in context: inout LinkContext) throws(LinkFailureCause) {
        let identity = context.configuration.identity
        let message = ProofMessage.bytes(
            role: context.role, handshakeHash: handshakeHash, identityKey: identity.identityKey)
        do {
            let signature = try identity.sign(message.span)
            context.send(Proof(identityKey: identity.identityKey.rawBytes, signature: signature))
        } catch {
            throw .crypto(error)
        }
    }

    /// The peer's key, if all of R9.5-2 to R9.5-4 hold.
    private func verify(_ proof: Proof, in context: LinkContext) throws(LinkFailureCause) -> IdentityKey {
        let key: IdentityKey
        do {
            key = try IdentityKey(rawBytes: proof.identityKey)
        } catch {
            throw .crypto(error)
        }
        guard key != context.configuration.identity.identityKey else { throw .violation(.ownIdentity) }
        let message = ProofMessage.bytes(role: context.role.peer, handshakeHash: handshakeHash, identityKey: key)
        guard context.crypto.signatures.isValid(proof.signature.span, of: message.span, by: key) else {
            throw .violation(.proofInvalid)
        }
        if let expected = context.configuration.expectedPeer, expected != key {
            throw .violation(.unexpectedIdentity(key))
        }
        return key
    }
}

/// What is known once the peer has proved its key.
struct ProvedPeer: Sendable {
    let handshakeHash: Digest
    let suite: Suite
    let key: IdentityKey
}
