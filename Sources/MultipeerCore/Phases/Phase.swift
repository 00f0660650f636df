import MultipeerWire

/// What may come next on a link that has keys (SPEC §17, §25.7). Each case owns what is legal in it, and nothing else.
///
/// A phase consumes itself and returns a ``Transition``. ``LinkPhase`` says what each of them can be asked and told.
enum Phase: ~Copyable {
    case proof(ProofPhase)
    case info(InfoPhase)
    case identified(IdentifiedPhase)
    case pairing(PairingPhase)
    case resuming(ResumingPhase)
    case inviting(InvitingPhase)
    case invited(InvitedPhase)
    case certificates(CertificatePhase)
    case open(OpenPhase)
    case draining(DrainingPhase)
    case closing(ClosingPhase)

    /// How far the link has come.
    var stage: LinkStage {
        switch self {
        case .proof(let phase): phase.stage
        case .info(let phase): phase.stage
        case .identified(let phase): phase.stage
        case .pairing(let phase): phase.stage
        case .resuming(let phase): phase.stage
        case .inviting(let phase): phase.stage
        case .invited(let phase): phase.stage
        case .certificates(let phase): phase.stage
        case .open(let phase): phase.stage
        case .draining(let phase): phase.stage
        case .closing(let phase): phase.stage
        }
    }

    /// What the link asks about before it hands an input over.
    var status: PhaseStatus {
        switch self {
        case .proof(let phase): phase.status
        case .info(let phase): phase.status
        case .identified(let phase): phase.status
        case .pairing(let phase): phase.status
        case .resuming(let phase): phase.status
        case .inviting(let phase): phase.status
        case .invited(let phase): phase.status
        case .certificates(let phase): phase.status
        case .open(let phase): phase.status
        case .draining(let phase): phase.status
        case .closing(let phase): phase.status
        }
    }

    /// The payload of an open link, also while what is queued still goes out.
    var payload: OpenLink? {
        switch self {
        case .proof(let phase): phase.payload
        case .info(let phase): phase.payload
        case .identified(let phase): phase.payload
        case .pairing(let phase): phase.payload
        case .resuming(let phase): phase.payload
        case .inviting(let phase): phase.payload
        case .invited(let phase): phase.payload
        case .certificates(let phase): phase.payload
        case .open(let phase): phase.payload
        case .draining(let phase): phase.payload
        case .closing(let phase): phase.payload
        }
    }

    /// Takes a frame of a known type that this phase may or may not allow. CLOSE is an input of its own.
    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch consume self {
        case .proof(let phase): try phase.receive(frame, type: type, in: context)
        case .info(let phase): try phase.receive(frame, type: type, in: context)
        case .identified(let phase): try phase.receive(frame, type: type, in: context)
        case .pairing(let phase): try phase.receive(frame, type: type, in: context)
        case .resuming(let phase): try phase.receive(frame, type: type, in: context)
        case .inviting(let phase): try phase.receive(frame, type: type, in: context)
        case .invited(let phase): try phase.receive(frame, type: type, in: context)
        case .certificates(let phase): try phase.receive(frame, type: type, in: context)
        case .open(let phase): try phase.receive(frame, type: type, in: context)
        case .draining(let phase): try phase.receive(frame, type: type, in: context)
        case .closing(let phase): phase.receive(frame, type: type, in: context)
        }
    }

    /// Takes every other input.
    consuming func handle(
        _ input: PhaseInput, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch consume self {
        case .proof(let phase): try phase.handle(input, in: context)
        case .info(let phase): try phase.handle(input, in: context)
        case .identified(let phase): try phase.handle(input, in: context)
        case .pairing(let phase): try phase.handle(input, in: context)
        case .resuming(let phase): try phase.handle(input, in: context)
        case .inviting(let phase): try phase.handle(input, in: context)
        case .invited(let phase): try phase.handle(input, in: context)
        case .certificates(let phase): try phase.handle(input, in: context)
        case .open(let phase): try phase.handle(input, in: context)
        case .draining(let phase): try phase.handle(input, in: context)
        case .closing(let phase): try phase.handle(input, in: context)
        }
    }
}

/// What a phase returns: the next one, or the end of the link.
enum Transition: ~Copyable {
    case to(Phase)
    case end(Ending)
}
