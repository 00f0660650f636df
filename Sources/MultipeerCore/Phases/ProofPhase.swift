import MultipeerCrypto
import MultipeerWire

/// Keys exist; the peer has not proved its identity (SPEC §9.5).
struct ProofPhase: LinkPhase, ~Copyable {
    private let handshakeHash: Digest
    private let suite: Suite
    private let exports: ExportKeys

    /// The responder sends its PROOF first; the initiator waits to see it.
    init(
        handshakeHash: Digest, suite: Suite, exports: ExportKeys, in context: LinkContext
    ) throws(LinkFailureCause) {
        self.handshakeHash = handshakeHash
        self.suite = suite
        self.exports = exports
        context.exports = exports
        if context.role == .responder {
            let own = context.configuration.identity.identityKey
            try send(ProofMessage.responder(own, handshakeHash: handshakeHash), in: context)
        }
    }

    var stage: LinkStage { .proof }
    var isPeerProved: Bool { false }
    var readinessToInvite: ReadinessToInvite { .onceIdentified }
    consuming func unchanged() -> Transition { .to(.proof(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .proof else { throw frame.unexpected }
        let key = try verify(try frame.decode(Proof.self), in: context)
        context.provedPeer = key
        let own = context.configuration.identity.identityKey
        if context.role == .initiator {
            try send(ProofMessage.initiator(own, meaning: key, handshakeHash: handshakeHash), in: context)
        }
        try bindExports(own: own, peer: key, in: context)
        let info = context.send(
            PeerInfo(
                displayName: context.shownName(to: key), maximumMessage: context.maximumMessage,
                features: context.configuration.features.map(\.rawValue)))
        let proved = ProvedPeer(handshakeHash: handshakeHash, suite: suite, key: key, ownInfo: info)
        if let association = context.pendingResume {
            return .to(.info(InfoPhase(peer: proved, resuming: try SentResume(association, to: proved, in: context))))
        }
        // The invitation of an initiator that expects this peer goes out in the same flight. Every other initiator
        // waits to learn which peer it is (R8.2-6).
        guard context.mayInviteEarly, let invitation = context.takePendingInvitation() else {
            return .to(.info(InfoPhase(peer: proved)))
        }
        return .to(.info(InfoPhase(peer: proved, sent: SentInvitation(invitation, in: context))))
    }

    /// The local peer has verified both proofs: the exporter secret is made, and x destroyed (R9.8-2).
    private func bindExports(
        own: IdentityKey, peer: IdentityKey, in context: LinkContext
    ) throws(LinkFailureCause) {
        do {
            try exports.bind(
                handshakeHash: handshakeHash, initiator: context.role == .initiator ? own : peer,
                responder: context.role == .initiator ? peer : own, hashing: context.crypto.hashing)
        } catch {
            throw .crypto(error)
        }
    }

    /// Sends the local PROOF: a signature of `message`.
    private func send(_ message: [UInt8], in context: LinkContext) throws(LinkFailureCause) {
        let identity = context.configuration.identity
        do {
            let signature = try identity.sign(message.span)
            context.send(Proof(identityKey: identity.identityKey.rawBytes, signature: signature))
        } catch {
            throw .crypto(error)
        }
    }

    /// The peer's key, if all of R9.5-2 to R9.5-4 hold. The signature comes first: what is sent before may not depend on
    /// whose key it is (R9.5-6).
    private func verify(_ proof: Proof, in context: LinkContext) throws(LinkFailureCause) -> IdentityKey {
        let key: IdentityKey
        do {
            key = try IdentityKey(rawBytes: proof.identityKey)
        } catch {
            throw .crypto(error)
        }
        let own = context.configuration.identity.identityKey
        let message =
            context.role == .initiator
            ? ProofMessage.responder(key, handshakeHash: handshakeHash)
            : ProofMessage.initiator(key, meaning: own, handshakeHash: handshakeHash)
        guard context.crypto.signatures.isValid(proof.signature.span, of: message.span, by: key) else {
            throw .violation(.proofInvalid)
        }
        guard key != own else { throw .violation(.ownIdentity) }
        if let expected = context.configuration.expectedPeer, expected != key {
            throw .violation(.unexpectedIdentity(key))
        }
        if let tag = context.configuration.expectedTag, KeyTag(of: key, hashing: context.crypto.hashing) != tag {
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
    /// The local PEER_INFO, the whole frame as sent.
    let ownInfo: [UInt8]
}
