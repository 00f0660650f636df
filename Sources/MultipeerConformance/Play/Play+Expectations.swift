import MultipeerScriptedPeer
import MultipeerWire

/// What cases expect. Each expectation returns evidence or throws a verdict.
extension Play {
    /// Expects the peer's CLOSE with `code`, and the end of its stream (SPEC §16.3).
    ///
    /// - Parameters:
    ///   - probing: Whether the tester sends its own CLOSE after the fault. A peer that finds the fault has closed by
    ///     then, and one that overlooks it answers `no_error` at once instead of saying nothing.
    ///   - forbidden: Frames that the fault must keep the peer from sending.
    func expectClose(
        _ code: CloseCode, probing: Bool = true, forbidding forbidden: Set<FrameType> = []
    ) throws(Interruption) -> Evidence {
        if probing { try close() }
        let wanted = "CLOSE \(FrameText.name(code))"
        while true {
            let frame = try nextFrame(awaiting: wanted)
            if let type = frame.known, forbidden.contains(type) { throw .failed("\(frame.text) came before \(wanted)") }
            guard frame.known == .close else { continue }
            guard (try? Close(payload: frame.payload.span).code) == code else {
                throw .failed("\(frame.text) came in place of \(wanted)")
            }
            return try expectEnd(after: wanted)
        }
    }

    /// Sends CLOSE `no_error`, with ACK before it if that says anything (R13.6-1).
    func close() throws(Interruption) {
        let ack = peer.behavior.ledger.dueAck()
        try peer.send(ack + WireBytes.close())
    }

    /// Expects that the link still works: the peer answers the tester's CLOSE by `no_error`.
    func expectAlive() throws(Interruption) -> Evidence {
        Evidence("the link continued").and(try expectClose(.noError))
    }

    /// Expects the end of the peer's stream, and nothing before it.
    func expectEnd(after last: String) throws(Interruption) -> Evidence {
        switch try peer.next(awaiting: "end of the stream") {
        case .end: return Evidence("\(last), then the end of the stream")
        case .frame(let frame): throw .failed("\(frame.text) came in place of the end of the stream")
        case .hello: throw .failed("HELLO came in place of the end of the stream")
        case .refusal: throw .failed("REFUSAL came in place of the end of the stream")
        }
    }

    /// The end of the peer's stream without another byte: nothing is sent before there are keys (SPEC §16.3).
    func expectSilentEnd() throws(Interruption) -> Evidence {
        try expectEnd(after: "nothing").and(try expectListening())
    }

    /// A peer that listens answers a good hello on the next connection. Without this a peer that is dead, or dies of what it
    /// was sent, would pass wherever nothing is to be said. An initiator has shown itself by its hello.
    private func expectListening() throws(Interruption) -> Evidence {
        guard role == .initiator else { return Evidence("its own hello came before") }
        try reconnect()
        do throws(Interruption) {
            try advance(to: .channel)
        } catch {
            if case .own = error { throw error }
            throw .failed("nothing came but the end of the stream, and the next connection gets no HELLO either")
        }
        return Evidence("the next connection gets HELLO")
    }

    /// Expects REFUSAL and the end of the stream (SPEC §7.5).
    func expectRefusal(_ code: Refusal.Code) throws(Interruption) -> Refusal {
        switch try peer.next(awaiting: "REFUSAL") {
        case .refusal(let body):
            guard let refusal = try? Refusal(body: body.span) else { throw .failed("REFUSAL does not decode") }
            guard refusal.code == code else {
                throw .failed("REFUSAL of code \(refusal.code.rawValue) came in place of \(code.rawValue)")
            }
            _ = try expectEnd(after: "REFUSAL")
            return refusal
        case .frame(let frame): throw .failed("\(frame.text) came in place of REFUSAL")
        case .hello: throw .failed("HELLO came in place of REFUSAL: the peer chose something")
        case .end: throw .failed("the end of the stream came in place of REFUSAL")
        }
    }

    /// REFUSAL `malformed_hello`, or nothing, and the end: the peer is free to say why (SPEC §7.5).
    func expectHelloRefused() throws(Interruption) -> Evidence {
        switch try peer.next(awaiting: "end of the stream") {
        case .end: return Evidence("nothing, then the end of the stream").and(try expectListening())
        case .refusal(let body):
            guard let refusal = try? Refusal(body: body.span), refusal.code == .malformedHello else {
                throw .failed("REFUSAL of code \(body.first ?? 0) came in place of 4 or nothing")
            }
            return try expectEnd(after: "REFUSAL malformed_hello")
        case .hello: throw .failed("HELLO came: the peer took the hello for a good one")
        case .frame(let frame): throw .failed("\(frame.text) came")
        }
    }

    /// Expects the peer's DECLINE with a reason, then CLOSE `no_error` (R8.4-3).
    func expectDecline(_ reason: UInt8) throws(Interruption) -> Decline {
        let frame = try nextFrame(awaiting: "DECLINE")
        guard frame.known == .decline else { throw .failed("\(frame.text) came in place of DECLINE") }
        guard frame.payload.first == reason, let decline = try? Decline(payload: frame.payload.span) else {
            throw .failed("\(frame.text) came in place of DECLINE with reason \(reason)")
        }
        _ = try expectClose(.noError, probing: false)
        return decline
    }
}
