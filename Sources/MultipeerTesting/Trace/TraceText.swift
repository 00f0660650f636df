import MultipeerCrypto
import MultipeerWire

/// Lines of a trace: bytes on the left, what they mean on the right, never wider than 110 columns.
struct TraceText {
    private(set) var lines: [String] = []
    /// Bytes on one line.
    private static let width = 24

    /// A line of prose or Markdown as it is.
    mutating func line(_ text: String = "") { lines.append(text) }

    /// Begins or ends a block of fixed-width text.
    mutating func fence() { lines.append("```") }

    /// Bytes from an offset on, with their meaning beside the first line.
    mutating func bytes(_ bytes: [UInt8], at offset: Int, _ meaning: String) {
        var rest = bytes[...]
        var (position, text) = (offset, meaning)
        repeat {
            let row = Hexadecimal.encode(Array(rest.prefix(Self.width)))
            let padding = String(repeating: " ", count: text.isEmpty ? 0 : Self.width * 2 - row.utf8.count + 2)
            lines.append(Self.column(position) + "  " + row + padding + text)
            rest = rest.dropFirst(Self.width)
            position += Self.width
            text = ""
        } while !rest.isEmpty
    }

    /// Many bytes that say nothing: the first row and the last one.
    mutating func abbreviated(_ bytes: [UInt8], at offset: Int, _ meaning: String) {
        let rows = (bytes.count + Self.width - 1) / Self.width
        guard rows > 4 else { return self.bytes(bytes, at: offset, meaning) }
        let last = (rows - 1) * Self.width
        self.bytes(Array(bytes.prefix(Self.width)), at: offset, meaning)
        lines.append("       … \(last - Self.width) bytes …")
        self.bytes(Array(bytes.suffix(from: last)), at: offset + last, "")
    }

    /// A named value that is not on the wire.
    mutating func value(_ name: String, _ bytes: [UInt8], indent: Int = 24) {
        var rest = bytes[...]
        var label = name
        repeat {
            let row = Hexadecimal.encode(Array(rest.prefix(32)))
            lines.append(label + String(repeating: " ", count: max(indent - label.utf8.count, 1)) + row)
            rest = rest.dropFirst(32)
            label = ""
        } while !rest.isEmpty
    }

    private static func column(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(5 - text.utf8.count, 0)) + text
    }
}

extension TraceText {
    /// The frames of a plaintext, from offset 0 on.
    mutating func frames(_ plaintext: [UInt8]) throws(WireError) {
        var cursor = FrameCursor(plaintext.span)
        var offset = 0
        while let frame = try cursor.next() {
            let encoded = [UInt8](copying: frame.encoded)
            let typeLength = VarInt.length(of: frame.rawType)
            let payloadStart = encoded.count - frame.payload.count
            bytes(Array(encoded[..<typeLength]), at: offset, "type: \(frame.type?.name ?? "unknown")")
            bytes(
                Array(encoded[typeLength..<payloadStart]), at: offset + typeLength,
                "length of payload = \(frame.payload.count)")
            if let type = frame.type {
                let fields = try FieldVisitor.fields(of: type, payload: frame.payload)
                self.fields(fields, of: Array(encoded[payloadStart...]), at: offset + payloadStart)
            }
            offset += encoded.count
        }
    }

    /// Fields with their names, without the empty ones.
    mutating func fields(_ fields: [VisitedField], of bytes: [UInt8], at offset: Int) {
        for field in fields where !field.range.isEmpty {
            let value = Array(bytes[field.range])
            guard field.name != "padding" else {
                abbreviated(value, at: offset + field.range.lowerBound, "\(value.count) zero bytes")
                continue
            }
            self.bytes(value, at: offset + field.range.lowerBound, Self.meaning(field, value))
        }
    }

    private static func meaning(_ field: VisitedField, _ value: [UInt8]) -> String {
        switch (field.kind, field.name) {
        case (.length, _), (.listLength, _): "length of \(field.name) = \(field.value)"
        case (.number, "timeout"): "timeout, in milliseconds, = \(field.value)"
        case (.number, _): "\(field.name) = \(field.value)"
        case (.code, "version"), (.code, "suite"): field.name + (field.meaning == "GREASE" ? ": GREASE" : "")
        case (.code, "outcome"): "outcome: payload \(field.meaning ?? "?")"
        case (.code, "algorithm"): "algorithm: none"
        case (.code, _): "\(field.name): \(field.meaning ?? "?")"
        case (.bytes, "signature"): "signature, over the proof input of the sender"
        case (.bytes, "ephemeral"): "ephemeral: Noise e"
        case (.bytes, "confirmation"): "confirmation: tag of Noise message 2"
        case (.bytes, _): field.name
        case (.content, _): "\(field.name): \"\(String(decoding: value, as: UTF8.self))\""
        }
    }
}
