import MultipeerCertificates
public import MultipeerCrypto
import MultipeerWire

/// One connection to one peer, from the first byte to the last, without any input or output of its own.
///
/// Feed it what happens (``receive(_:at:)``, ``receiveEnd(at:)``, ``timeout(at:)``, answers and requests), then drain it:
/// ``transmit(into:at:)`` until it writes nothing, ``nextEffect()`` until it is nil, and read ``deadline``,
/// ``isOutputFinished`` and ``isFinished``. The same configuration, randomness and inputs give the same outputs.
public struct Link: ~Copyable {
    let context: LinkContext
    var state: LinkState
    var assembler: RecordAssembler
    /// Whether the record stream has lost its thread: no later record can be found, or verified.
    var isStreamBroken = false

    /// Begins a link. An initiator has its hello to transmit.
    public init(role: LinkRole, configuration: LinkConfiguration, random: any RandomSource, now: Instant) {
        context = LinkContext(role: role, configuration: configuration, random: random, now: now)
        context.setDeadline(after: configuration.timeouts.handshake)
        switch role {
        case .initiator:
            assembler = RecordAssembler(expecting: .helloOrRefusal, allowance: Self.bytesBeforeOpen)
            do throws(LinkFailureCause) {
                state = .negotiating(NegotiatingLink(.initiator(try InitiatorHelloPhase(in: context))))
            } catch {
                state = .closed
                end(.failed(LinkFailure(stage: .hello, cause: error)), at: .hello, over: nil)
            }
        case .responder:
            assembler = RecordAssembler(expecting: .hello, allowance: Self.bytesBeforeOpen)
            state = .negotiating(NegotiatingLink(.responder))
        }
        assembler.maximumRecordLength = Self.recordLengthBeforeProof
    }

    /// How many bytes of protected records a link takes before it is open (R19-1).
    static let bytesBeforeOpen = 131_072
    /// The longest protected record before the peer's PROOF (R19-2).
    static let recordLengthBeforeProof = 1_024

    // MARK: State

    /// The local peer's role.
    public var role: LinkRole { context.role }

    /// How far the link has come.
    public var stage: LinkStage { state.stage }

    /// Whether the peer's READY has come while the local verdict is due: the remote peer trusts the local peer, and
    /// waits for nothing else.
    public var hasPeerAccepted: Bool { context.hasPeerAccepted }

    /// When to call ``timeout(at:)``, unless another input changes it first. Nil: never.
    public var deadline: Instant? {
        guard let other = state.payload?.deadline else { return context.deadline }
        return context.deadline.map { min($0, other) } ?? other
    }

    /// Whether what ended the link is a fault that only the peer itself can have made: it was found in the frames of a
    /// record that verifies, after the peer's PROOF (R14.9-2). It says something once the link has failed.
    public var isFailureAttributable: Bool { context.isFailureAttributable }

    /// Whether nothing more will be sent: close the transport for sending once all is transmitted.
    public var isOutputFinished: Bool {
        (stage == .closed || stage == .closing) && !hasOutput
    }

    /// Whether the link needs its transport no longer. Close it.
    public var isFinished: Bool {
        state.isOver && !hasOutput
    }

    /// The next effect; nil when all are drained.
    public mutating func nextEffect() -> LinkEffect? { context.effects.next() }

    // MARK: Inputs

    /// Takes bytes of the stream, in whatever pieces.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Instant) {
        begin(at: now)  // input that comes with the deadline is late (R18-2)
        receiveRecords(bytes)
        if let payload = state.payload, payload.association.control.byteCount > ControlQueue.mostBytes {
            fail(.limit(.outputWaits))
        }
        if isStreamBroken { dropKeys(receiving: true) }  // no later record can be found, or verified
        // Gives back the memory of a burst when nothing is under way.
        if state.payload?.isReceiving != true { state.receiving?.opener.trim() }
    }

    /// The transport ended for receiving.
    public mutating func receiveEnd(at now: Instant) {
        begin(at: now)
        if state.isNegotiating {
            end(.cutOff(LinkFailure(stage: .hello, cause: .truncated)), at: .hello, over: nil)
        } else {
            step(.streamEnded)
        }
    }

    /// Counts the peer as heard: what it says waits unread locally, so its silence proves nothing (SPEC §13.7).
    public func excuseSilence(at now: Instant) { state.payload?.association.excuseSilence(at: now) }

    /// Whether ``timeout(at:)`` would end the link because the peer has been silent too long. A driver that knows of unread bytes then
    /// excuses the peer before (``excuseSilence(at:)``, R18-2).
    public func isSilent(at now: Instant) -> Bool { state.payload?.association.isSilent(at: now) ?? false }

    /// The deadline has passed. Calls that come too early change nothing.
    ///
    /// Only this call finds that the peer has been silent too long (R13.7-3). A process that was suspended, and is
    /// awake again, calls it after ``receive(_:at:)`` for what has come meanwhile: that shows that the peer was not
    /// silent.
    public mutating func timeout(at now: Instant) { pass(at: now, judgesSilence: true) }

    /// An input comes: deadlines that have passed act before it (R18-2), but for silence, which what has come may disprove.
    mutating func begin(at now: Instant) { pass(at: now, judgesSilence: false) }

    mutating func pass(at now: Instant, judgesSilence: Bool) {
        context.now = now
        if let deadline = context.deadline, now >= deadline { state.isNegotiating ? fail(.timedOut) : step(.timeout) }
        guard let payload = state.payload else { return }
        if payload.isTrustOver(at: now) { return fail(.certificate(.expired)) }
        guard payload.association.isDue(at: now) else { return }
        do throws(LinkFailureCause) {
            try payload.association.timeout(at: now, judgesSilence: judgesSilence, into: &context.effects)
        } catch {
            fail(error)
        }
    }
}
