/// The payloads of SPEC §13 and §15, by the plainest code.
extension ModelReader {
    mutating func text(_ least: UInt64, _ most: UInt64) throws(ModelFault) -> [UInt8] {
        let bytes = try vector(least, most)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        return bytes
    }

    /// A field list, and the end of the payload.
    mutating func fieldsAndEnd() throws(ModelFault) {
        try fields()
        try end()
    }

    /// R15.3-8.
    mutating func offer() throws(ModelFault) -> ModelOffer {
        let (id, size) = (try varint(), try varint())
        guard size <= 9_007_199_254_740_991 else { throw .malformed }
        let (tag, type) = (try take(16), try byte())
        guard type <= 2 else { throw .unsupported }
        let (modified, manifest) = (try varint(), try varint())
        guard type == 2 || manifest == 0, manifest <= size, manifest <= 4_194_304 else { throw .malformed }
        let name = try text(1, 255)
        try fieldsAndEnd()
        return ModelOffer(
            id: id, size: size, tag: tag, type: type, modified: modified, manifest: manifest, name: name)
    }

    /// R15.3-9, of which the comparison with `size` comes later (R15.4-1).
    mutating func accept() throws(ModelFault) -> (id: UInt64, offset: UInt64, hash: [UInt8], credit: UInt64) {
        let (id, offset, hash, credit) = (try varint(), try varint(), try take(32), try varint())
        guard offset + credit < 1 << 62 else { throw .malformed }
        try fieldsAndEnd()
        return (id, offset, hash, credit)
    }

    /// R13.4-1.
    mutating func credit() throws(ModelFault) -> (kind: UInt8, id: UInt64, limit: UInt64) {
        let kind = try byte()
        guard kind <= 4 else { throw .unsupported }
        let id = try varint()
        guard kind >= 3 || id == 0 else { throw .malformed }
        let limit = try varint()
        try end()
        return (kind, id, limit)
    }

    /// A number, one more integer, and fields.
    mutating func numberAndVarint() throws(ModelFault) -> (id: UInt64, value: UInt64) {
        let pair = (id: try varint(), value: try varint())
        try fieldsAndEnd()
        return pair
    }

    /// Bytes, of which there must be one at least (R15.3-3, R15.6-2).
    mutating func data() throws(ModelFault) -> [UInt8] {
        guard !rest.isEmpty else { throw .malformed }
        defer { rest = [] }
        return Array(rest)
    }
}
