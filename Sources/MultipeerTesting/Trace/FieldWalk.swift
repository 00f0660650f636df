import MultipeerCrypto
import MultipeerWire

/// Walks over a structure of SPEC.md field by field and writes each with its name.
struct FieldWalk {
    private let bytes: [UInt8]
    private var offset = 0
    /// Where the first byte stands in what is shown.
    private let base: Int

    init(_ bytes: [UInt8], base: Int) {
        self.bytes = bytes
        self.base = base
    }

    var isAtEnd: Bool { offset >= bytes.count }

    /// So many bytes.
    @discardableResult
    mutating func take(_ count: Int, _ meaning: String, to text: inout TraceText) -> [UInt8] {
        let end = min(offset + count, bytes.count)
        let field = Array(bytes[offset..<end])
        if !field.isEmpty { text.bytes(field, at: base + offset, meaning) }
        offset = end
        return field
    }

    /// A varint; its value is put behind the meaning.
    mutating func varint(_ meaning: String, to text: inout TraceText) -> Int {
        let length = 1 << Int((bytes[offset]) >> 6)
        var value = UInt64(bytes[offset] & 0x3F)
        for index in 1..<max(length, 1) { value = value << 8 | UInt64(bytes[offset + index]) }
        take(length, "\(meaning) = \(value)", to: &text)
        return Int(value)
    }

    /// A vector: its length and its content.
    mutating func vector(_ name: String, _ meaning: String = "", to text: inout TraceText) {
        let count = varint("length of \(name)", to: &text)
        take(count, meaning.isEmpty ? name : "\(name): \(meaning)", to: &text)
    }

    /// All that is left.
    mutating func rest(_ meaning: String, to text: inout TraceText) { take(bytes.count - offset, meaning, to: &text) }
}

extension FieldWalk {
    /// The frames of a protected record.
    mutating func frames(to text: inout TraceText) {
        while !isAtEnd {
            let raw = UInt64(bytes[offset] < 0x40 ? UInt64(bytes[offset]) : UInt64(bytes[offset + 1]))
            let type = FrameType(rawValue: raw)
            let count = bytes[offset] < 0x40 ? 1 : 2
            take(count, "type: \(type.map(\.name) ?? "unknown")", to: &text)
            let length = varint("length of payload", to: &text)
            var payload = FieldWalk(Array(bytes[offset..<offset + length]), base: base + offset)
            if let type { payload.payload(of: type, to: &text) }
            payload.rest("payload", to: &text)
            offset += length
        }
    }

    private mutating func payload(of type: FrameType, to text: inout TraceText) {
        switch type {
        case .proof:
            take(32, "identityKey", to: &text)
            take(64, "signature, over the proof input of the sender", to: &text)
        case .peerInfo:
            vector("displayName", "\"\(Self.text(bytes))\"", to: &text)
            _ = varint("maximumMessage", to: &text)
            vector("fields", to: &text)
        case .invite: invite(to: &text)
        case .accept:
            take(1, "preference: optional", to: &text)
            take(1, "identityKind: no certificate", to: &text)
            take(1, "outcome: payload encrypted", to: &text)
            vector("fields", to: &text)
        case .certificates:
            vector("chain", to: &text)
            take(2, "algorithm: none", to: &text)
            vector("signature", to: &text)
        case .message:
            _ = varint("total", to: &text)
            rest("data: \"\(String(decoding: bytes.dropFirst(offset), as: UTF8.self))\"", to: &text)
        case .close: take(1, "code: no_error", to: &text)
        case .ready, .padding, .decline, .cancel, .messagePart, .fileOffer, .fileAccept, .fileCancel, .fileData,
            .fileEnd, .fileDone:
            break
        }
    }

    private mutating func invite(to text: inout TraceText) {
        take(16, "session", to: &text)
        take(1, "preference: optional", to: &text)
        take(1, "identityKind: no certificate", to: &text)
        _ = varint("timeout, in milliseconds,", to: &text)
        vector("context", "\"lunch\"", to: &text)
        vector("fields", to: &text)
    }

    /// The name in a PEER_INFO.
    private static func text(_ payload: [UInt8]) -> String {
        String(decoding: payload.dropFirst().prefix(Int(payload.first ?? 0)), as: UTF8.self)
    }
}

extension FieldWalk {
    /// Magic and a clear record.
    mutating func hello(isInitiator: Bool, to text: inout TraceText) {
        take(8, "magic", to: &text)
        take(1, "kind: HELLO", to: &text)
        take(2, "length of body = \(Int(bytes[9]) << 8 | Int(bytes[10]))", to: &text)
        if isInitiator {
            list("versions", to: &text)
            list("suites", to: &text)
        } else {
            take(2, "version", to: &text)
            take(2, "suite", to: &text)
        }
        let count = varint("length of extensions", to: &text)
        if count > 0 {
            take(2, "extension: GREASE", to: &text)
            take(count - 2, "length of data = 0", to: &text)
        }
        take(32, "ephemeral: Noise e", to: &text)
        if !isInitiator { take(16, "confirmation: tag of Noise message 2", to: &text) }
    }

    private mutating func list(_ name: String, to text: inout TraceText) {
        let count = varint("length of \(name)", to: &text)
        for _ in 0..<count / 2 {
            let value = UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
            take(2, Grease.contains(value) ? "\(name.dropLast()): GREASE" : "\(name.dropLast())", to: &text)
        }
    }
}
