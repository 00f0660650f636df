import MultipeerWire

// Arrays instead of spans, because a span of an expression does not outlive it.

extension ControlFrame {
    init(decoding payload: [UInt8]) throws { try self.init(payload: payload.span) }
}

extension Array where Element == UInt8 {
    /// Whether these bytes are somewhere in a row.
    func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, part.count <= count else { return part.isEmpty }
        return (0...count - part.count).contains { start in self[start..<start + part.count].elementsEqual(part) }
    }
}

extension InitiatorHello {
    init(decoding body: [UInt8]) throws { try self.init(body: body.span) }
}

extension ResponderHello {
    init(decoding body: [UInt8]) throws { try self.init(body: body.span) }
}
