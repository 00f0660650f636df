public import MultipeerCrypto
import MultipeerWire

/// One connection to one peer, from the first byte to the last, without any input or output of its own.
///
/// Feed it what happens (``receive(_:at:)``, ``receiveEnd(at:)``, ``timeout(at:)``, answers and requests), then drain it:
/// ``transmit(into:)`` until it writes nothing, ``nextEffect()`` until it is nil, and read ``deadline``,
/// ``isOutputFinished`` and ``isFinished``. The same configuration, randomness and inputs give the same outputs.
public struct Link: ~Copyable {
    var context: LinkContext
    var phase: Phase
    var channel: SecureChannel?
    private var assembler: RecordAssembler
    /// Whether the record stream has lost its thread: no later record can be found, or verified.
    private var isStreamBroken = false

    /// Begins a link. An initiator has its hello to transmit.
    public init(role: LinkRole, configuration: LinkConfiguration, random: any RandomSource, now: Instant) {
        context = LinkContext(role: role, configuration: configuration, random: random, now: now)
        context.setDeadline(after: configuration.timeouts.handshake)
        switch role {
        case .initiator:
            assembler = RecordAssembler(expecting: .helloOrRefusal, allowance: Self.bytesBeforeOpen)
            do throws(LinkFailureCause) {
                phase = .hello(.initiator(try InitiatorHelloPhase(in: &context)))
            } catch {
                phase = .closed
                context.effects.emit(.closed(.failed(LinkFailure(stage: .hello, cause: error))))
                context.deadline = nil
            }
        case .responder:
            assembler = RecordAssembler(expecting: .hello, allowance: Self.bytesBeforeOpen)
            phase = .hello(.responder)
        }
        channel = nil
        assembler.maximumRecordLength = Self.recordLengthBeforeProof
    }

    /// How many bytes of protected records a link takes before it is open (R19-1).
    static let bytesBeforeOpen = 131_072
    /// The longest protected record before the peer's PROOF (R19-2).
    static let recordLengthBeforeProof = 1_024

    // MARK: State

    /// Which side this is.
    public var role: LinkRole { context.role }

    /// How far the link has come.
    public var stage: LinkStage { phase.stage }

    /// When to call ``timeout(at:)``, unless another input changes it first. Nil: never.
    public var deadline: Instant? { context.deadline }

    /// Whether nothing more will be sent: end the sending side of the transport once all is transmitted.
    public var isOutputFinished: Bool {
        (stage == .closed || stage == .closing) && !hasOutput
    }

    /// Whether the link needs its transport no longer. Close it.
    public var isFinished: Bool {
        stage == .closed && !hasOutput
    }

    /// The next effect; nil when all are drained.
    public mutating func nextEffect() -> LinkEffect? { context.effects.next() }

    // MARK: Inputs

    /// Takes bytes of the stream, in whatever pieces.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {
        timeout(at: now)  // input that comes with the deadline is late (R18-2)
        var offset = 0
        // What comes after a fault of the stream is ignored, not judged (SPEC §16.3): it is no second error.
        while !isClosed, !isStreamBroken {
            do throws(LinkFailureCause) {
                guard try receiveRecord(bytes, &offset) else { break }
            } catch {
                fail(error)
                settleAfterTransition()
            }
        }
        trim()
    }

    /// The transport's receiving side ended.
    public mutating func receiveEnd(at now: Instant) {
        timeout(at: now)
        switch takePhase() {
        case .closed:
            phase = .closed
        case .closing(let closing):
            phase = .closed
            closing.abandon(.truncated, in: &context)
            context.deadline = nil
        case let other:
            phase = other
            let failure = LinkFailure(stage: phase.stage, cause: .truncated)
            phase = .closed
            context.deadline = nil
            context.outbox = Outbox()
            context.effects.emit(.closed(.failed(failure)))
        }
    }

    /// The deadline has passed. Calls that come too early change nothing.
    public mutating func timeout(at now: Instant) {
        context.now = now
        guard let deadline = context.deadline, now >= deadline else { return }
        let stage = phase.stage
        do throws(LinkFailureCause) {
            try phase.timeout(in: &context)
            settleAfterTransition()
        } catch {
            phase = .closed
            fail(error, at: stage)
        }
    }

    /// Takes the phase out; every path sets it anew.
    mutating func takePhase() -> Phase {
        var taken = Phase.closed
        swap(&taken, &phase)
        return taken
    }

    // MARK: Records

    private var isClosed: Bool {
        stage == .closed
    }

    /// Handles the next record. False when there is none.
    private mutating func receiveRecord(_ bytes: Span<UInt8>, _ offset: inout Int) throws(LinkFailureCause) -> Bool {
        let step: RecordAssembler.Step
        do {
            step = try assembler.next(bytes, from: &offset)
        } catch {
            isStreamBroken = true
            throw LinkFailureCause(error)
        }
        switch step {
        case .needsMore:
            if let header = assembler.begunHeader { try checkProtection(of: header) }
            return false
        case .inInput(let header, let range):
            try handle(header, record: bytes.extracting(range))
        case .assembled(let header):
            let record = assembler.takeRecord()
            try handle(header, record: record.span)
        }
        return true
    }

    private mutating func handle(_ header: RecordHeader, record: Span<UInt8>) throws(LinkFailureCause) {
        switch header.kind {
        case .hello, .refusal: try handleClear(header, record: record)
        case .encrypted, .authenticated: try handleProtected(header, record: record)
        }
    }

    private mutating func handleClear(_ header: RecordHeader, record: Span<UInt8>) throws(LinkFailureCause) {
        trace(.received, clear: record, kind: header.kind)
        assembler.expectation = .protected
        let body = record.extracting(droppingFirst: RecordHeader.length)
        guard case .hello(let hello) = takePhase() else { throw .violation(.unexpectedRecord(header.kind)) }
        // Whatever goes wrong now, the ephemeral key is gone with the phase that was taken.
        phase = .hello(.refused)
        let secured = try hello.receive(header.kind, body: body, in: &context)
        let (hash, suite) = (secured.handshakeHash, secured.suite)
        channel = consume secured
        phase = .proof(ProofPhase(handshakeHash: hash, suite: suite))
        if context.role == .responder { try ProofPhase.sendProof(handshakeHash: hash, in: &context) }
    }

    private mutating func handleProtected(
        _ header: RecordHeader, record: Span<UInt8>
    ) throws(LinkFailureCause) {
        try checkProtection(of: header)
        guard let counter = channel?.opener.counter else { throw .violation(.unexpectedRecord(header.kind)) }
        try open(header, record: record)
        phase.noteRecord(in: &context)
        if header.kind == .authenticated {
            let frames = record.extracting(RecordOpener.authenticatedFrames(of: record))
            trace(.received, header.kind, counter: counter, wire: record, plaintext: frames)
            try handle(frames: frames, kind: header.kind)
        } else {
            let plaintext = channel?.opener.takePlaintext() ?? []
            trace(.received, header.kind, counter: counter, wire: record, plaintext: plaintext.span)
            try handle(frames: plaintext.span, kind: header.kind)
            channel?.opener.recycle(plaintext)
        }
        settleAfterTransition()
    }

    /// R12.4-2: the header is enough.
    private mutating func checkProtection(of header: RecordHeader) throws(LinkFailureCause) {
        guard header.kind == .authenticated, phase.payloadEncryption != .readable else { return }
        isStreamBroken = true
        throw .violation(.wrongProtection)
    }

    private mutating func open(_ header: RecordHeader, record: Span<UInt8>) throws(LinkFailureCause) {
        do {
            try channel?.opener.open(header, record: record)
        } catch {
            isStreamBroken = true
            throw error == .authenticationFailed ? .violation(.decryptFailed) : .crypto(error)
        }
    }

    // MARK: Frames

    private mutating func handle(frames: Span<UInt8>, kind: RecordKind) throws(LinkFailureCause) {
        var cursor = FrameCursor(frames)
        while !isClosed {
            let next: RawFrame?
            do {
                next = try cursor.next()
            } catch {
                throw LinkFailureCause(error)
            }
            guard let frame = next else { return }
            do throws(LinkFailureCause) {
                try handle(frame, kind: kind)
            } catch {
                fail(error)  // the peer's CLOSE may still follow in this record (SPEC §16.3)
            }
        }
    }

    private mutating func handle(_ frame: borrowing RawFrame, kind: RecordKind) throws(LinkFailureCause) {
        let type = frame.type
        if stage == .closing { return try handleWhileClosing(frame, type: type, kind: kind) }
        if phase.isPeerProved, type == nil, !frame.isIgnorable {
            throw .incompatible(.unsupportedFrame(frame.rawType))
        }
        try checkProtection(of: type, kind: kind)
        if type == .close {
            try handleClose(frame)
        } else if let type, type != .padding {
            try dispatch(frame, type: type)
        } else if !phase.isPeerProved {
            throw frame.unexpected
        }
    }

    /// All but CLOSE, and the messages of a session that this side closed, is ignored (R16.1-3). Such a link still counts as
    /// open, so that the protection of what comes is judged (R12.4-2).
    private mutating func handleWhileClosing(
        _ frame: borrowing RawFrame, type: FrameType?, kind: RecordKind
    ) throws(LinkFailureCause) {
        if phase.deliversWhileClosing ? type != nil || frame.isIgnorable : type == .close {
            try checkProtection(of: type, kind: kind)
        }
        switch type {
        case .close: try handleClose(frame)
        case .some(let type): try dispatch(frame, type: type)
        case .none: break
        }
    }

    /// R11-1, R11-2: on a readable link payload frames are readable, and all others are not.
    private func checkProtection(of type: FrameType?, kind: RecordKind) throws(LinkFailureCause) {
        let isPayload = type?.isPayload ?? false
        switch kind {
        case .authenticated where !isPayload: throw .violation(.wrongProtection)
        case .encrypted where isPayload && phase.payloadEncryption == .readable: throw .violation(.wrongProtection)
        case .authenticated, .encrypted, .hello, .refusal: break
        }
    }

    private mutating func dispatch(
        _ frame: borrowing RawFrame, type: FrameType
    ) throws(LinkFailureCause) {
        let (stage, encryption) = (phase.stage, phase.payloadEncryption)
        do throws(LinkFailureCause) {
            try phase.receive(frame, type: type, in: &context)
        } catch {
            // The phase that threw is consumed. What follows needs to know how far the link had come.
            fail(error, at: stage, payloadEncryption: encryption)
        }
    }

    /// The peer sends nothing more (SPEC §16.1).
    private mutating func handleClose(_ frame: borrowing RawFrame) throws(LinkFailureCause) {
        let code = try frame.decode(Close.self).code
        switch takePhase() {
        case .closing(let closing):
            phase = .closed
            closing.finish(code, in: &context)
        case .open(let open):
            phase = .closed
            let unsent = open.session.queue.count
            let end: LinkEnd =
                code == .noError
                ? .finished(unsentMessages: unsent)
                : .failed(LinkFailure(stage: .open, cause: .peerClosed(code)))
            context.effects.emit(.closed(end))
            context.send(Close(code: .noError))
        case let other:
            phase = other
            let failure = LinkFailure(stage: phase.stage, cause: .peerClosed(code))
            phase = .closed
            context.effects.emit(.closed(.failed(failure)))
            context.send(Close(code: .noError))
        }
        context.deadline = nil
    }

    /// What the record stream accepts next, once the phase has changed (R19-1, R19-2).
    mutating func settleAfterTransition() {
        if phase.isPeerProved { assembler.maximumRecordLength = RecordHeader.maximumRecordLength }
        if stage == .open { assembler.allowance = nil }
    }

    /// Gives back the memory of a burst when nothing is under way.
    private mutating func trim() {
        if !phase.isReceivingPayload { channel?.opener.trim() }
    }
}
