import MultipeerWire

// Encoders of the tests' own, written from SPEC §3, so that a mistake that MultipeerWire's writer and reader share shows.

/// `value` as a varint of `length` bytes, the shortest form or not.
func varint(_ value: UInt64, length: Int) -> [UInt8] {
    let first: UInt8 =
        switch length {
        case 1: 0b00 << 6
        case 2: 0b01 << 6
        case 4: 0b10 << 6
        default: 0b11 << 6
        }
    var bytes = (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    bytes[0] |= first
    return bytes
}

/// `value` as a varint of the shortest form.
func varint(_ value: UInt64) -> [UInt8] {
    varint(value, length: value <= 63 ? 1 : value <= 16_383 ? 2 : value <= 1_073_741_823 ? 4 : 8)
}

/// `content` with its count of bytes in front.
func vector(_ content: [UInt8]) -> [UInt8] { varint(UInt64(content.count)) + content }

/// `value`, big-endian.
func u16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

/// A list of 16-bit values.
func list(_ values: [UInt16]) -> [UInt8] { vector(values.flatMap(u16)) }

/// One field.
func field(_ type: UInt64, _ value: [UInt8] = []) -> [UInt8] { varint(type) + vector(value) }

/// One extension.
func helloExtension(_ type: UInt16, _ data: [UInt8] = []) -> [UInt8] { u16(type) + vector(data) }

/// A record with a body that counts up.
func record(_ kind: UInt8, bodyLength: Int) -> [UInt8] {
    [kind] + u16(UInt16(bodyLength)) + (0..<bodyLength).map { UInt8(truncatingIfNeeded: $0) }
}

/// A frame.
func frame(_ type: UInt64, _ payload: [UInt8]) -> [UInt8] { varint(type) + vector(payload) }

/// `count` bytes that count up from `first`.
func counting(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
}

/// What `decode` throws; nil when it decodes.
func refusal<Value>(_ decode: () throws(WireError) -> Value) -> WireError? {
    do throws(WireError) {
        _ = try decode()
        return nil
    } catch {
        return error
    }
}

/// The frame that `payload` decodes to; nil when it is refused.
func decoded<Frame: ControlFrame>(_ type: Frame.Type, _ payload: [UInt8]) -> Frame? {
    try? Frame(payload: payload.span)
}

/// What decoding `payload` throws; nil when it decodes.
func refusal<Frame: ControlFrame>(_ type: Frame.Type, _ payload: [UInt8]) -> WireError? {
    refusal { () throws(WireError) in try Frame(payload: payload.span) }
}

/// The payload of `frame`: what follows type and length.
func payload(of frame: some ControlFrame) -> [UInt8] {
    var writer = Writer()
    frame.write(&writer)
    return writer.bytes
}
