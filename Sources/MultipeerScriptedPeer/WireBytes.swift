public import MultipeerWire

/// Bytes of any structure of SPEC.md, legal or not: every number is a parameter. Only varints come from the codec.
public enum WireBytes {
    public static func varint(_ value: UInt64) -> [UInt8] {
        var writer = Writer()
        writer.varint(value)
        return writer.bytes
    }

    public static func vector(_ content: [UInt8]) -> [UInt8] { varint(UInt64(content.count)) + content }
    public static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    public static func u64(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }

    // MARK: Records and hellos

    /// A list of versions or suites.
    public static func values(_ values: [UInt16]) -> [UInt8] { vector(values.flatMap(u16)) }

    public static func extensions(_ list: [(UInt16, [UInt8])]) -> [UInt8] {
        vector(list.flatMap { u16($0.0) + vector($0.1) })
    }

    /// The header of a record of any kind and length.
    public static func header(_ kind: UInt8, _ length: Int) -> [UInt8] {
        [kind, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    }

    public static func record(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { header(kind, body.count) + body }

    /// Magic, header and body of a clear record; `length` may differ from the body's.
    public static func opening(_ kind: UInt8, _ body: [UInt8], length: Int? = nil) -> [UInt8] {
        Magic.bytes + header(kind, length ?? body.count) + body
    }

    // MARK: Frames

    /// Any frame (SPEC §6.3).
    public static func frame(_ type: UInt64, _ payload: [UInt8] = []) -> [UInt8] { varint(type) + vector(payload) }
    public static func frame(_ type: FrameType, _ payload: [UInt8] = []) -> [UInt8] { frame(type.rawValue, payload) }

    /// Frame types for private use (SPEC §6.3), so that no later version knows them.
    public static let unknownOdd: UInt64 = 0x4F01
    public static let unknownEven: UInt64 = 0x4F02
    /// A GREASE type (SPEC §7.4).
    public static let greaseType: UInt64 = 0x1F
    public static let odd = frame(unknownOdd, [1, 2, 3])
    public static let even = frame(unknownEven, [1, 2, 3])

    public static func field(_ type: UInt64, _ value: [UInt8]) -> [UInt8] { varint(type) + vector(value) }
    /// The content of a field list (SPEC §3.4).
    public static func fields(_ fields: [(UInt64, [UInt8])]) -> [UInt8] { fields.flatMap { field($0.0, $0.1) } }
    public static let oddField = field(unknownOdd, [9, 9])
    public static let evenField = field(unknownEven, [9, 9])

    public static func padding(_ count: Int = 8, _ byte: UInt8 = 0x55) -> [UInt8] {
        frame(.padding, [UInt8](repeating: byte, count: count))
    }

    public static func close(_ code: UInt64 = 0, fields: [UInt8] = []) -> [UInt8] {
        frame(.close, varint(code) + vector(fields))
    }

    /// PADDING that has `count` bytes in all (SPEC §6.5).
    public static func filling(_ count: Int) -> [UInt8] {
        switch count {
        case ...1: []
        case 66: frame(.padding) + padding(62, 0)
        case ...65: padding(count - 2, 0)
        default: padding(count - 3, 0)
        }
    }

    public static func proof(_ key: [UInt8], _ signature: [UInt8]) -> [UInt8] { frame(.proof, key + signature) }

    public static func peerInfo(
        name: [UInt8] = Array("Scripted".utf8), maximumMessage: UInt64 = 16_777_216, features: [UInt16] = [],
        fields: [UInt8] = [], rest: [UInt8] = []
    ) -> [UInt8] {
        frame(.peerInfo, vector(name) + varint(maximumMessage) + values(features) + vector(fields) + rest)
    }

    /// A charter (SPEC §4.3).
    public static func charter(
        founder: [UInt8], nonce: [UInt8] = Array(1...32), parameters: [UInt8] = []
    ) -> [UInt8] {
        founder + nonce + vector(parameters)
    }

    public static func invite(
        charter: [UInt8] = charter(founder: Array(1...32)), sessionKind: UInt8 = 0, preference: UInt8 = 1,
        identityKind: UInt8 = 0,
        timeout: UInt64 = 30_000, context: [UInt8] = [], fields: [UInt8] = [], rest: [UInt8] = []
    ) -> [UInt8] {
        frame(
            .invite,
            charter + [sessionKind, preference, identityKind] + varint(timeout) + vector(context) + vector(fields)
                + rest)
    }

    public static func accept(
        preference: UInt8 = 1, identityKind: UInt8 = 0, outcome: UInt8 = 1, fields: [UInt8] = []
    ) -> [UInt8] {
        frame(.accept, [preference, identityKind, outcome] + vector(fields))
    }

    public static func decline(_ reason: UInt8, detail: [UInt8] = [], fields: [UInt8] = []) -> [UInt8] {
        frame(.decline, [reason] + vector(detail) + vector(fields))
    }

    public static func cancel(_ reason: UInt8 = 1, fields: [UInt8] = []) -> [UInt8] {
        frame(.cancel, [reason] + vector(fields))
    }

    public static func certificates(
        chain: [[UInt8]] = [], algorithm: UInt16 = 0, signature: [UInt8] = [], fields: [UInt8] = []
    ) -> [UInt8] {
        frame(
            .certificates, vector(chain.flatMap(vector)) + u16(algorithm) + vector(signature) + vector(fields))
    }

    public static let ready = frame(.ready, vector([]))
    public static let rekey = frame(.rekey, vector([]))

    public static func message(_ data: [UInt8], total: UInt64? = nil) -> [UInt8] {
        frame(.message, varint(total ?? UInt64(data.count)) + data)
    }

    public static func message(total: UInt64, _ data: [UInt8]) -> [UInt8] { message(data, total: total) }

    public static func part(_ data: [UInt8]) -> [UInt8] { frame(.messagePart, data) }

    public static func fileOffer(
        _ id: UInt64, size: UInt64, name: [UInt8] = Array("scripted.bin".utf8), fields: [UInt8] = [],
        tag: [UInt8] = FileOffer.noTag, type: UInt8 = 0, modified: UInt64 = 0, manifest: UInt64 = 0
    ) -> [UInt8] {
        let kind = tag + [type] + varint(modified) + varint(manifest)
        return frame(.fileOffer, varint(id) + varint(size) + kind + vector(name) + vector(fields))
    }

    public static func fileAccept(
        _ id: UInt64, fields: [UInt8] = [], offset: UInt64 = 0, digest: [UInt8] = FileAccept.digestOfNothing,
        credit: UInt64 = FileAccept.usualCredit
    ) -> [UInt8] {
        frame(.fileAccept, varint(id) + varint(offset) + digest + varint(credit) + vector(fields))
    }

    public static func fileDone(_ id: UInt64, fields: [UInt8] = []) -> [UInt8] {
        frame(.fileDone, varint(id) + vector(fields))
    }

    public static func fileCancel(_ id: UInt64, reason: UInt8 = 2, fields: [UInt8] = []) -> [UInt8] {
        frame(.fileCancel, varint(id) + [reason] + vector(fields))
    }

    public static func fileData(_ id: UInt64, offset: UInt64, _ data: [UInt8]) -> [UInt8] {
        frame(.fileData, varint(id) + varint(offset) + data)
    }

    public static func fileEnd(_ id: UInt64, digest: [UInt8], fields: [UInt8] = []) -> [UInt8] {
        frame(.fileEnd, varint(id) + digest + vector(fields))
    }
}
