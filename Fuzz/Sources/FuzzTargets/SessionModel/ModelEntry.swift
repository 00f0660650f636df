import FuzzSupport

/// An entry, decoded (SPEC §14.3).
struct ModelEntry: Equatable {
    let encoded: [UInt8]
    let member: [UInt8]
    let instance: UInt64
    let sequence: UInt64
    let presence: UInt8
    let name: [UInt8]
    /// Kinds, and their values.
    let addresses: [[UInt8]]
    let chain: [UInt8]
    let signature: [UInt8]

    var hash: [UInt8] { ModelBinding.sha256(encoded) }

    /// R14.3-2.
    func isValid(in charter: ModelCharter) -> Bool {
        ModelCharter.isSigned(signature, charter.entryMessage(encoded.dropLast(64)), by: member)
            && charter.isValid(chain, for: member)
    }

    /// §14.4: the greater one counts.
    static func isLess(_ left: ModelEntry, _ right: ModelEntry) -> Bool {
        if left.instance != right.instance { return left.instance < right.instance }
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        return left.hash.lexicographicallyPrecedes(right.hash)
    }

    func contradicts(_ other: ModelEntry) -> Bool {
        member == other.member && instance == other.instance && sequence == other.sequence && encoded != other.encoded
    }

    /// R14.4-3: the member that the founder admitted in the chain.
    var branch: [UInt8] {
        let admitters = stride(from: 0, to: chain.count, by: 96).map { Array(chain[$0..<$0 + 32]) }
        return admitters.count < 2 ? member : admitters[admitters.count - 2]
    }
}

extension ModelReader {
    /// R14.3-1.
    mutating func entry() throws(ModelFault) -> ModelEntry {
        let whole = rest
        let (member, instance, sequence) = (try take(32), try varint(), try varint())
        let presence = try byte()
        guard presence <= 1 else { throw .malformed }
        let name = try text(0, 63)
        guard ModelFrame.isName(name) else { throw .malformed }
        var list = ModelReader(try vector(0, 256))
        var addresses: [[UInt8]] = []
        while !list.rest.isEmpty {
            let (kind, value) = (try list.byte(), try list.vector(0, 64))
            guard kind != 1 || value.count == 6, kind != 2 || value.count == 18 else { throw .malformed }
            addresses.append([kind] + value)
        }
        guard addresses.count <= 8 else { throw .malformed }
        let chain = try vector(0, 768)
        guard chain.count % 96 == 0 else { throw .malformed }
        _ = try fields(256, known: [], even: .malformed) { (_, _) throws(ModelFault) in }
        let signature = try take(64)
        let encoded = Array(whole.prefix(whole.count - rest.count))
        guard encoded.count <= 1_024 else { throw .malformed }
        return ModelEntry(
            encoded: encoded, member: member, instance: instance, sequence: sequence, presence: presence, name: name,
            addresses: addresses, chain: chain, signature: signature)
    }

    /// R14.5-2, for the members of a list.
    static func requireAscending(_ members: [[UInt8]]) throws(ModelFault) {
        let ascend = zip(members, members.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        guard ascend, members.count <= 256 else { throw .malformed }
    }

    /// ROSTER, whole (R14.5-3).
    mutating func roster() throws(ModelFault) -> [ModelEntry] {
        var list = ModelReader(try vector(1, 65_504))
        try end()
        var entries: [ModelEntry] = []
        while !list.rest.isEmpty { entries.append(try list.entry()) }
        try Self.requireAscending(entries.map(\.member))
        return entries
    }
}

/// What a link makes of the frames of §14 while it is a guest (R14.5-5).
struct ModelGuest {
    static let types: Set<UInt64> = [0x1C, 0x1E, 0x20, 0x22, 0x24, 0x2A, 0x2C]

    /// Whether ADMIT may come (R14.5-1).
    var mayBeAdmitted: Bool
    /// The session of the link, and its guest.
    var charter: ModelCharter?
    var own: [UInt8] = []
    /// A guest need not check the chain of ADMIT, but may: whether this one does.
    var checks = false

    mutating func receive(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        var reader = ModelReader(bytes)
        switch type {
        case 0x1C:
            let chain = try reader.vector(0, 768)
            guard chain.count % 96 == 0 else { throw .malformed }
            try reader.fieldsAndEnd()
            guard mayBeAdmitted else { throw .unexpectedFrame }
            mayBeAdmitted = false
            guard !checks || charter?.isValid(chain, for: own) ?? true else { throw .entryInvalid }
        case 0x1E: _ = try reader.roster()
        case 0x20:
            _ = try reader.take(32)
            try reader.fieldsAndEnd()
        case 0x22: try receiveSummary(&reader)
        case 0x2A:
            _ = try reader.charter()
            guard try reader.vector(0, 768).count % 96 == 0 else { throw .malformed }
            guard [0, 64].contains(try reader.vector(0, 64).count) else { throw .malformed }
            try reader.fieldsAndEnd()
        case 0x2C:
            _ = try reader.take(32)
            try reader.fieldsAndEnd()
            throw .unexpectedFrame
        default: try receiveWant(&reader)
        }
    }

    /// A guest has sent no DIGEST (R14.5-4).
    private func receiveSummary(_ reader: inout ModelReader) throws(ModelFault) {
        var list = ModelReader(try reader.vector(0, 32_768))
        var members: [[UInt8]] = []
        while !list.rest.isEmpty {
            members.append(try list.take(32))
            _ = (try list.varint(), try list.varint(), try list.take(32))
        }
        try ModelReader.requireAscending(members)
        try reader.fieldsAndEnd()
        throw .unexpectedFrame
    }

    private func receiveWant(_ reader: inout ModelReader) throws(ModelFault) {
        let bytes = try reader.vector(1, 8_192)
        guard bytes.count % 32 == 0 else { throw .malformed }
        try ModelReader.requireAscending(stride(from: 0, to: bytes.count, by: 32).map { Array(bytes[$0..<$0 + 32]) })
        try reader.fieldsAndEnd()
        throw .unexpectedFrame
    }
}
