import MultipeerWire

/// How a link goes from one state to the next. A function that takes the state out puts one back on every path, and
/// only here.
extension Link {
    /// Gives an input to the phase, and carries out what it returns. Without a phase nothing happens.
    @inline(never)  // rare: docs/decisions/0025
    mutating func step(_ input: PhaseInput) {
        switch takeState() {
        case .negotiating(let hello): state = .negotiating(hello)
        case .secured(let secured):
            let (channel, position) = (secured.channel, LinkPosition(secured.status))
            guard let phase = secured.takePhase() else { return }
            do throws(LinkFailureCause) {
                carryOut(try phase.handle(input, in: context), from: position, over: channel)
            } catch {
                // The phase that threw is consumed, with its secrets.
                end(.failed(LinkFailure(stage: position.stage, cause: error)), at: position, over: channel)
            }
        case .flushing(let sending): state = .flushing(sending)
        case .closed: state = .closed
        }
    }

    /// Gives a frame to the phase. A view over peer bytes is no part of a value, so this is no case of ``PhaseInput``.
    @inline(never)  // rare: docs/decisions/0025
    mutating func step(_ frame: borrowing RawFrame, type: FrameType) {
        switch takeState() {
        case .negotiating(let hello): state = .negotiating(hello)
        case .secured(let secured):
            let (channel, position) = (secured.channel, LinkPosition(secured.status))
            guard let phase = secured.takePhase() else { return }
            do throws(LinkFailureCause) {
                let transition = try phase.receive(frame, type: type, in: context)
                carryOut(transition, from: position, over: channel)
            } catch {
                end(.failed(LinkFailure(stage: position.stage, cause: error)), at: position, over: channel)
            }
        case .flushing(let sending): state = .flushing(sending)
        case .closed: state = .closed
        }
    }

    /// Gives the first record to the hello, and begins the phases with what it returns. Whatever goes wrong, the ephemeral
    /// key is gone with the state that was taken.
    mutating func stepHello(_ kind: RecordKind, body: Span<UInt8>) {
        switch takeState() {
        case .negotiating(let negotiating):
            guard let hello = negotiating.takeHello() else { return }
            let channel: SecureChannel
            do throws(LinkFailureCause) {
                channel = try hello.receive(kind, body: body, in: context)
            } catch {
                return end(.failed(LinkFailure(stage: .hello, cause: error)), at: .hello, over: nil)
            }
            beginProof(over: channel)
        case .secured(let secured):
            state = .secured(secured)
            fail(.violation(.unexpectedRecord(kind)))
        case .flushing(let sending): state = .flushing(sending)
        case .closed: state = .closed
        }
    }

    private mutating func beginProof(over channel: SecureChannel) {
        do throws(LinkFailureCause) {
            context.restartRekeyTimer()
            let proof = try ProofPhase(
                handshakeHash: channel.handshakeHash, suite: channel.suite, exports: channel.exports, in: context)
            state = .secured(SecuredLink(channel: channel, phase: .proof(proof)))
        } catch {
            end(.failed(LinkFailure(stage: .proof, cause: error)), at: .beforeProof, over: channel)
        }
    }

    /// Ends the link because of `cause`. A link that is over stays as it is.
    @inline(never)  // rare: docs/decisions/0025
    mutating func fail(_ cause: LinkFailureCause) {
        if state.isNegotiating {
            end(.failed(LinkFailure(stage: .hello, cause: cause)), at: .hello, over: nil)
        } else {
            step(.fail(cause))
        }
    }

    /// Destroys keys that the link has no more use for (R9.7-3).
    @inline(never)  // rare: docs/decisions/0025
    mutating func dropKeys(sending: Bool = false, receiving: Bool = false) {
        switch takeState() {
        case .negotiating(let hello): state = .negotiating(hello)
        case .secured(let secured):
            var channel = secured.channel
            if sending { channel.sending = nil }
            if receiving { channel.receiving = nil }
            guard let phase = secured.takePhase() else { return }
            state = .secured(SecuredLink(channel: channel, phase: phase))
        case .flushing(let sending): state = .flushing(sending)
        case .closed: state = .closed
        }
    }

    private mutating func takeState() -> LinkState {
        var taken = LinkState.closed
        swap(&taken, &state)
        return taken
    }

    private mutating func carryOut(
        _ transition: consuming Transition, from position: LinkPosition, over channel: SecureChannel
    ) {
        switch consume transition {
        case .to(let phase):
            state = .secured(SecuredLink(channel: channel, phase: phase))
            widenReceiveLimits()
        case .end(let ending): end(ending, at: position, over: channel)
        }
    }

    /// What the record stream accepts grows as the link gets on (R19-1, R19-2).
    private mutating func widenReceiveLimits() {
        if state.status.isPeerProved { assembler.maximumRecordLength = RecordHeader.maximumRecordLength }
        if state.payload != nil { assembler.allowance = nil }
    }
}
