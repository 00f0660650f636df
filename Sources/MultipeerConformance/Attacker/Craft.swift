import MultipeerWire

/// Bytes of frames with every number open, legal or not. Only varints and vectors are taken from the codec.
enum Craft {
    static func varint(_ value: UInt64) -> [UInt8] {
        var writer = Writer()
        writer.varint(value)
        return writer.bytes
    }

    static func vector(_ content: [UInt8]) -> [UInt8] { varint(UInt64(content.count)) + content }

    /// Any frame (SPEC §6.3).
    static func frame(_ type: UInt64, _ payload: [UInt8] = []) -> [UInt8] { varint(type) + vector(payload) }
    static func frame(_ type: FrameType, _ payload: [UInt8] = []) -> [UInt8] { frame(type.rawValue, payload) }

    /// Frame types that nobody knows: private, so that no later version does.
    static let unknownOdd: UInt64 = 0x4F01
    static let unknownEven: UInt64 = 0x4F02
    /// A GREASE type (SPEC §7.4).
    static let greaseType: UInt64 = 0x1F
    static let odd = frame(unknownOdd, [1, 2, 3])
    static let even = frame(unknownEven, [1, 2, 3])
    static func padding(_ count: Int = 8) -> [UInt8] { frame(.padding, [UInt8](repeating: 0x55, count: count)) }

    /// A field list's content (SPEC §3.4).
    static func fields(_ fields: [(UInt64, [UInt8])]) -> [UInt8] { fields.flatMap { varint($0.0) + vector($0.1) } }
    static let oddField = fields([(0x4F01, [9, 9])])
    static let evenField = fields([(0x4F02, [9, 9])])

    static func close(_ code: UInt64 = 0) -> [UInt8] { frame(.close, varint(code)) }
    static func proof(_ key: [UInt8], _ signature: [UInt8]) -> [UInt8] { frame(.proof, key + signature) }

    static func peerInfo(
        name: [UInt8] = Array("Conformance".utf8), maximumMessage: UInt64 = 16_777_216, fields: [UInt8] = [],
        rest: [UInt8] = []
    ) -> [UInt8] {
        frame(.peerInfo, vector(name) + varint(maximumMessage) + vector(fields) + rest)
    }

    static func invite(
        session: [UInt8] = Array(1...16), preference: UInt8 = 1, identityKind: UInt8 = 0, timeout: UInt64 = 30_000,
        context: [UInt8] = [], fields: [UInt8] = [], rest: [UInt8] = []
    ) -> [UInt8] {
        frame(
            .invite,
            session + [preference, identityKind] + varint(timeout) + vector(context) + vector(fields) + rest)
    }

    static func accept(
        preference: UInt8 = 1, identityKind: UInt8 = 0, outcome: UInt8 = 1, fields: [UInt8] = []
    ) -> [UInt8] {
        frame(.accept, [preference, identityKind, outcome] + vector(fields))
    }

    static func decline(_ reason: UInt8, detail: [UInt8] = []) -> [UInt8] { frame(.decline, [reason] + vector(detail)) }
    static func cancel(_ reason: UInt8 = 1) -> [UInt8] { frame(.cancel, [reason]) }

    static func certificates(chain: [[UInt8]] = [], algorithm: UInt16 = 0, signature: [UInt8] = []) -> [UInt8] {
        frame(
            .certificates,
            vector(chainContent(chain)) + [UInt8(algorithm >> 8), UInt8(algorithm & 0xFF)] + vector(signature))
    }

    static func chainContent(_ chain: [[UInt8]]) -> [UInt8] { chain.flatMap(vector) }

    static let ready = frame(.ready)

    static func message(_ data: [UInt8], total: UInt64? = nil) -> [UInt8] {
        frame(.message, varint(total ?? UInt64(data.count)) + data)
    }

    static func part(_ data: [UInt8]) -> [UInt8] { frame(.messagePart, data) }

    static func fileOffer(
        _ id: UInt64, size: UInt64, name: [UInt8] = Array("conformance.bin".utf8), fields: [UInt8] = []
    ) -> [UInt8] {
        frame(.fileOffer, varint(id) + varint(size) + vector(name) + vector(fields))
    }

    static func fileAccept(_ id: UInt64) -> [UInt8] { frame(.fileAccept, varint(id)) }
    static func fileDone(_ id: UInt64) -> [UInt8] { frame(.fileDone, varint(id)) }
    static func fileCancel(_ id: UInt64, ownFile: Bool, reason: UInt8 = 2) -> [UInt8] {
        frame(.fileCancel, varint(id) + [(ownFile ? 0x80 : 0) | reason])
    }
    static func fileData(_ id: UInt64, offset: UInt64, _ data: [UInt8]) -> [UInt8] {
        frame(.fileData, varint(id) + varint(offset) + data)
    }
    static func fileEnd(_ id: UInt64, digest: [UInt8]) -> [UInt8] { frame(.fileEnd, varint(id) + digest) }

    // MARK: Hellos

    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    static func values(_ values: [UInt16]) -> [UInt8] { vector(values.flatMap(u16)) }
    static func extensions(_ list: [(UInt16, [UInt8])]) -> [UInt8] {
        vector(list.flatMap { u16($0.0) + vector($0.1) })
    }

    /// Magic, header and body of a clear record; `length` may lie.
    static func opening(_ kind: UInt8, _ body: [UInt8], length: Int? = nil) -> [UInt8] {
        Magic.bytes + header(kind, length ?? body.count) + body
    }

    static func header(_ kind: UInt8, _ length: Int) -> [UInt8] {
        [kind, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    }
}
