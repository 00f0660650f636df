import MultipeerCrypto
import MultipeerWire

/// Frames and records in words, for traces.
enum FrameText {
    static func describe(type: UInt64, payload: [UInt8]) -> String {
        guard let known = FrameType(rawValue: type) else {
            let name = type % 2 == 1 ? "ignorable" : "critical"
            return "unknown \(name) frame \(hex(type)) (\(payload.count) bytes)"
        }
        return known.name + detail(known, payload)
    }

    /// Every frame of a plaintext; what does not decode is said to.
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
        CloseCode.registry.first { $0.code == code }.map { "\($0.name)" } ?? hex(code.rawValue)
    }

    static func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

    private static func detail(_ type: FrameType, _ payload: [UInt8]) -> String {
        switch type {
        case .close: (try? Close(payload: payload.span)).map { " " + name($0.code) } ?? " that does not decode"
        case .proof: " of " + Hexadecimal.encode(Array(payload.prefix(4))) + "…"
        case .invite where payload.count > 17: " (preference \(payload[16]), identityKind \(payload[17]))"
        case .accept where payload.count > 2:
            " (preference \(payload[0]), identityKind \(payload[1]), outcome \(payload[2]))"
        case .decline, .cancel: payload.first.map { " (reason \($0))" } ?? ""
        case .fileCancel: payload.last.map { " (reason \($0 & 0x7F))" } ?? ""
        case .ready, .accept, .invite: ""
        case .padding, .peerInfo, .certificates, .message, .messagePart, .fileOffer, .fileAccept, .fileData, .fileEnd,
            .fileDone:
            " (\(payload.count) bytes)"
        }
    }
}
