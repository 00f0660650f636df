internal import MultipeerCrypto
internal import MultipeerWire

/// The groups about bytes alone: SPEC §3, §6, §7, §8, §15, §16.
enum WireGroups {
    static func varint(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let bytes = try inputs.bytes("bytes")
        let value: UInt64
        do {
            var reader = Reader(bytes.span)
            value = try reader.varint(.frameType)
            try reader.finish(.frameType)
        } catch { return .rejected(error) }
        var writer = Writer()
        writer.varint(value)
        try requireSame(writer.bytes, bytes)
        return .accepted(["value": .wide(value)])
    }

    static func frames(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let plaintext = try inputs.bytes("plaintext")
        var frames: [JSONValue] = []
        var again = Writer()
        do {
            var cursor = FrameCursor(plaintext.span)
            while let frame = try cursor.next() {
                let payload = [UInt8](copying: frame.payload)
                frames.append(["type": .wide(frame.rawType), "payload": .hex(payload)])
                again.varint(frame.rawType)
                again.vector(payload)
            }
        } catch { return .rejected(error, released: ["frames": .array(frames)]) }
        try requireSame(again.bytes, plaintext)
        return .accepted(["frames": .array(frames)])
    }

    static func initiatorHello(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let body = try inputs.bytes("body")
        let hello: InitiatorHello
        do { hello = try InitiatorHello(body: body.span) } catch { return .rejected(error) }
        try requireSame(hello.body(), body)
        return .accepted([
            "versions": .values(hello.versions), "suites": .values(hello.suites),
            "extensions": .extensions(hello.extensions), "ephemeral": .hex(hello.ephemeral),
        ])
    }

    static func responderHello(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let body = try inputs.bytes("body")
        let hello: ResponderHello
        do { hello = try ResponderHello(body: body.span) } catch { return .rejected(error) }
        try requireSame(hello.body(), body)
        return .accepted([
            "version": .integer(Int(hello.version)), "suite": .integer(Int(hello.suite)),
            "extensions": .extensions(hello.extensions), "ephemeral": .hex(hello.ephemeral),
            "confirmation": .hex(hello.confirmation),
        ])
    }

    static func refusal(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let body = try inputs.bytes("body")
        let refusal: Refusal
        do { refusal = try Refusal(body: body.span) } catch { return .rejected(error) }
        try requireSame(refusal.body(), body)
        return .accepted([
            "code": .integer(Int(refusal.code.rawValue)), "versions": .values(refusal.versions),
            "suites": .values(refusal.suites),
        ])
    }

    /// Every accepted input, encoded again, gives the same bytes.
    static func requireSame(_ again: [UInt8], _ input: [UInt8]) throws(SubjectFault) {
        guard again == input else { throw .inconsistent("encodes to \(Hexadecimal.encode(again))") }
    }
}

extension SubjectAnswer {
    /// Bytes that do not decode.
    static func rejected(_ error: WireError, released: JSONValue = [:]) -> SubjectAnswer {
        .rejected(
            layer: "wire", code: error.closeCode == .unsupported ? "unsupported" : "malformed", expected: released)
    }
}

extension JSONValue {
    static func values(_ values: [UInt16]) -> JSONValue { .array(values.map { .integer(Int($0)) }) }

    static func extensions(_ extensions: [HelloExtension]) -> JSONValue {
        .array(extensions.map { ["type": .integer(Int($0.type)), "data": .hex($0.data)] })
    }
}
