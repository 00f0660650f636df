public import MultipeerCrypto
public import MultipeerWire

/// Doors into the core for test vectors, which judge one rule at a time. Only code of this package can use them, and none
/// of them changes how a link works.
@_spi(Observation)
public enum VectorAccess {
    /// The prologue of SPEC §9.1, from both openings with their Noise messages.
    public static func prologue(initiatorOpening: [UInt8], responderOpening: [UInt8]) -> [UInt8] {
        Prologue.bytes(initiatorOpening: initiatorOpening, responderOpening: responderOpening)
    }

    /// The bytes that the responder's identity key signs (SPEC §9.5).
    public static func proofMessage(ofResponder key: IdentityKey, handshakeHash: Digest) -> [UInt8] {
        ProofMessage.responder(key, handshakeHash: handshakeHash)
    }

    /// The bytes that the initiator's identity key signs (SPEC §9.5).
    public static func proofMessage(
        ofInitiator key: IdentityKey, meaning responder: IdentityKey, handshakeHash: Digest
    ) -> [UInt8] {
        ProofMessage.initiator(key, meaning: responder, handshakeHash: handshakeHash)
    }

    /// What a responder with these versions and suites answers to a hello (SPEC §7.3).
    public static func choose(
        from hello: InitiatorHello, versions: [ProtocolVersion], suites: [Suite], crypto: CryptoProvider
    ) throws(RefusedHello) -> (version: UInt16, suite: UInt16) {
        let negotiation = Negotiation(versions: versions, suites: suites)
        do throws(HelloFault) {
            let choice = try negotiation.choose(from: hello)
            _ = try choice.encapsulate(by: crypto)
            return (choice.version.rawValue, choice.suite.rawValue)
        } catch {
            switch error {
            case .incompatible(let incompatibility): throw .refused(negotiation.refusal(for: incompatibility))
            case .malformed(let error): throw .malformed(error)
            case .crypto(let failure): throw .crypto(failure)
            }
        }
    }

    /// Whether an initiator that offered this takes the responder's choice (R7.3-2).
    public static func checkChoice(
        _ hello: ResponderHello, offered: InitiatorHello, versions: [ProtocolVersion], suites: [Suite]
    ) throws(PeerViolation) {
        let offer = Offer(versions: offered.versions, suites: offered.suites, extensions: offered.extensions)
        _ = try offer.check(hello, against: Negotiation(versions: versions, suites: suites))
    }

    /// Judges the payload of PROOF as a link in that role does (SPEC §9.5).
    public static func judgeProof(
        _ payload: [UInt8], role: LinkRole, handshakeHash: Digest, configuration: LinkConfiguration
    ) throws(LinkFailureCause) {
        let context = LinkContext(
            role: role, configuration: configuration, random: NoRandomness(), now: Instant(nanoseconds: 0))
        var writer = Writer()
        writer.varint(FrameType.proof.rawValue)
        writer.vector(payload)
        let bytes = writer.bytes
        var cursor = FrameCursor(bytes.span)
        let next: RawFrame?
        do { next = try cursor.next() } catch { throw LinkFailureCause(error) }
        guard let frame = next else { return }
        let phase = try ProofPhase(
            handshakeHash: handshakeHash, suite: .chaChaPoly, exports: ExportKeys(), in: context)
        _ = try phase.receive(frame, type: .proof, in: context)
    }
}

/// A hello that a responder refuses.
@_spi(Observation)
public enum RefusedHello: Error, Equatable, Sendable {
    case refused(Refusal)
    case malformed(WireError)
    case crypto(CryptoFailure)
}

/// For a context of which nothing random is asked.
private struct NoRandomness: RandomSource {
    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = 0 }
    }
}
