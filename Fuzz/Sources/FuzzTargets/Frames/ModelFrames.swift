import MultipeerWire

/// Frames as SPEC §3.2 and §6.3 define them, by the plainest code. Shares nothing with the reader but the error's name.
struct ModelFrames {
    struct Frame {
        let type: UInt64
        let payload: [UInt8]
    }

    private(set) var frames: [Frame] = []
    private(set) var fault: WireError.Reason?

    init(_ plaintext: Span<UInt8>) {
        let bytes = [UInt8](copying: plaintext)
        fault = walk(bytes[...])
    }

    private mutating func walk(_ bytes: ArraySlice<UInt8>) -> WireError.Reason? {
        var rest = bytes
        while !rest.isEmpty {
            let type = Self.varint(&rest)
            if type.fault != nil { return type.fault }
            let length = Self.varint(&rest)
            if length.fault != nil { return length.fault }
            // R3.3-1: also a count that exceeds what is left.
            if length.value > 65_511 || length.value > UInt64(rest.count) { return .lengthOutOfRange }
            frames.append(Frame(type: type.value, payload: Array(rest.prefix(Int(length.value)))))
            rest = rest.dropFirst(Int(length.value))
        }
        return nil
    }

    /// An integer: the first two bits say how many bytes it has, and it must not fit into fewer.
    private static func varint(_ rest: inout ArraySlice<UInt8>) -> (value: UInt64, fault: WireError.Reason?) {
        guard let first = rest.first else { return (0, .truncated) }
        let length = [1, 2, 4, 8][Int(first / 64)]
        guard rest.count >= length else { return (0, .truncated) }
        var value = UInt64(first % 64)
        for byte in rest.prefix(length).dropFirst() { value = value * 256 + UInt64(byte) }
        rest = rest.dropFirst(length)
        let least: UInt64 = [1: 0, 2: 64, 4: 16_384, 8: 1_073_741_824][length] ?? 0
        return (value, value < least ? .nonMinimalInteger : nil)
    }
}
