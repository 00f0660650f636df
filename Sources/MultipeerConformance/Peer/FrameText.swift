import MultipeerCrypto
import MultipeerRules
import MultipeerWire

/// Describes frames and records in words, for traces.
enum FrameText {
    static func describe(type: UInt64, payload: [UInt8]) -> String {
        guard let known = FrameType(rawValue: type) else {
            let name = type % 2 == 1 ? "ignorable" : "critical"
            return "unknown \(name) frame \(hex(type)) (\(payload.count) bytes)"
        }
        guard let fields = try? FieldVisitor.fields(of: known, payload: payload.span) else {
            return known.name + " that does not decode"
        }
        if known == .close { return "\(known.name) \(name(CloseCode(rawValue: fields.first?.value ?? 0)))" }
        let words = fields.compactMap { field -> String? in
            switch field.kind {
            case .length, .listLength: nil
            case .number: "\(field.name) \(field.value)"
            case .code: "\(field.name) \(field.meaning ?? hex(field.value))"
            case .bytes: "\(field.name) \(preview(payload[field.range]))"
            case .content: "\(field.name) of \(field.range.count) bytes"
            }
        }
        return known.name + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
    }

    /// Describes every frame of a plaintext, and says so if a part does not decode.
    static func describe(plaintext: [UInt8]) -> String {
        var texts: [String] = []
        var cursor = FrameCursor(plaintext.span)
        do throws(WireError) {
            while let frame = try cursor.next() {
                texts.append(describe(type: frame.rawType, payload: [UInt8](copying: frame.payload)))
            }
        } catch {
            texts.append("bytes that are no frame")
        }
        guard texts.count > 6 else { return texts.joined(separator: ", ") }
        return texts.prefix(5).joined(separator: ", ") + ", and \(texts.count - 5) more frames"
    }

    static func name(_ code: CloseCode) -> String {
        code.registeredName
    }

    static func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

    /// Versions or suites.
    static func list(_ values: [UInt16]) -> String {
        values.map { "0x" + Hexadecimal.encode([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }.joined(separator: " ")
    }

    private static func preview(_ bytes: ArraySlice<UInt8>) -> String {
        Hexadecimal.encode(Array(bytes.prefix(4))) + (bytes.count > 4 ? "…" : "")
    }
}
