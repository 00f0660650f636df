import MultipeerCore

/// The end of a link: SPEC §16 and §18.
extension ModelLink {
    /// An error of the peer's. In *closing* it ends the wait, unless the peer heard of an error before.
    mutating func fail(_ fault: ModelFault) {
        if state == .closing {
            if case .told(let code) = ending, code != 0 { return }
            return finish(.failed(.closing, fault.name))
        }
        end(fault.name, telling: fault.code)
    }

    /// Reports, and notifies the peer.
    mutating func end(_ name: String, telling code: UInt64) {
        events.append(.failed(stage, name))
        close(.told(code), code)
    }

    /// Tells the peer; what an invitation came to is reported at its CLOSE.
    mutating func close(_ ending: Ending, _ code: UInt64) {
        hasBeenOpen = state == .open
        sent.append(ModelSent(0x00, ModelSent.varint(code) + [0]))
        (state, self.ending) = (.closing, ending)
        limit = now + 60_000_000_000
        setDeadline(now + 5_000_000_000)
    }

    /// The wait is over. `other` is reported where nothing better is known.
    mutating func finish(_ other: ModelEvent) {
        switch ending {
        case .session: events.append(other)
        case .failure(let stage, let name): events.append(.failed(stage, name))
        case .told: break
        }
        (state, hasDeadline) = (.closed, false)
    }

    /// R16.1-2, R16.1-3.
    mutating func receiveClose(_ bytes: [UInt8]) throws(ModelFault) {
        let code = try ModelFrame.close(bytes)
        let told = "closed by the peer with \(code)"
        if state == .closing { return finish(code == 0 ? .finished : .failed(.closing, told)) }
        events.append(state == .open && code == 0 ? .finished : .failed(stage, told))
        sent.append(ModelSent(0x00, [0, 0]))
        (state, hasDeadline) = (.closed, false)
    }

    /// The end of the stream (R16.2-1).
    mutating func receiveEnd() {
        expire()
        switch state {
        case .closed: break
        case .closing: finish(.failed(.closing, "truncated"))
        default:
            events.append(.failed(stage, "truncated"))
            (state, hasDeadline) = (.closed, false)
        }
    }

    /// The app closes (§17).
    mutating func closeByApp() {
        expire()
        switch state {
        case .closing, .closed: break
        case .open:
            guard drainingSince == nil else { return }
            (drainingSince, progressAt) = (now, now)
            payload.isAbandoned = true
        case .inviting: withdraw(1, "withdrawn")
        case .invited: decline(1, [], "declined")
        case .info, .identified, .pairing, .certificates: end("withdrawn", telling: 0)
        }
    }

    /// The app closes with a code that says why.
    mutating func closeByApp(_ code: UInt64) {
        if code == 0 { return closeByApp() }
        expire()
        guard state != .closing, state != .closed else { return }
        let isOpen = state == .open
        events.append(isOpen ? .finished : .failed(stage, code == 0x21 ? "superseded" : "withdrawn"))
        close(.told(code), code)
    }
}

/// A frame that must be sent.
struct ModelSent: Equatable {
    let type: UInt64
    var payload: [UInt8]

    init(_ type: UInt64, _ payload: [UInt8]) { (self.type, self.payload) = (type, payload) }

    var encoded: [UInt8] { Self.varint(type) + Self.varint(UInt64(payload.count)) + payload }

    /// §3.2, the shortest form.
    static func varint(_ value: UInt64) -> [UInt8] {
        if value < 64 { return [UInt8(value)] }
        let length = value < 16_384 ? 2 : value < 1_073_741_824 ? 4 : 8
        var bytes = (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
        bytes[0] |= length == 2 ? 0x40 : length == 4 ? 0x80 : 0xC0
        return bytes
    }

    static func vector(_ bytes: [UInt8]) -> [UInt8] { varint(UInt64(bytes.count)) + bytes }
}
