/// What is wrong with a frame, as a code of SPEC §18.
struct ModelFault: Error, Equatable {
    let code: UInt64
    let name: String

    static let malformed = ModelFault(code: 0x01, name: "malformed")
    static let unexpectedFrame = ModelFault(code: 0x03, name: "unexpected_frame")
    static let unsupported = ModelFault(code: 0x04, name: "unsupported")
    static let limitExceeded = ModelFault(code: 0x05, name: "limit_exceeded")
    static let wrongProtection = ModelFault(code: 0x07, name: "wrong_protection")
    static let creditExceeded = ModelFault(code: 0x24, name: "credit_exceeded")
    static let entryInvalid = ModelFault(code: 0x26, name: "entry_invalid")
    static let policyViolation = ModelFault(code: 0x0F, name: "policy_violation")
    static let codeWrong = ModelFault(code: 0x27, name: "code_wrong")
    static let codeUnavailable = ModelFault(code: 0x28, name: "code_unavailable")
    static let commitmentInvalid = ModelFault(code: 0x29, name: "commitment_invalid")
    static let bindingInvalid = ModelFault(code: 0x14, name: "binding_invalid")
}

/// SPEC §3, by the plainest code.
struct ModelReader {
    var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() throws(ModelFault) -> UInt8 {
        guard let first = rest.first else { throw .malformed }
        rest = rest.dropFirst()
        return first
    }

    /// §3.2.
    mutating func varint() throws(ModelFault) -> UInt64 {
        let first = try byte()
        var value = UInt64(first % 64)
        let more = [0, 1, 3, 7][Int(first / 64)]
        for _ in 0..<more { value = value * 256 + UInt64(try byte()) }
        let least: UInt64 = [0: 0, 1: 64, 3: 16_384, 7: 1_073_741_824][more] ?? 0
        guard value >= least else { throw .malformed }
        return value
    }

    mutating func take(_ count: Int) throws(ModelFault) -> [UInt8] {
        guard rest.count >= count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// §3.3.
    mutating func vector(_ least: UInt64, _ most: UInt64) throws(ModelFault) -> [UInt8] {
        let count = try varint()
        guard count >= least, count <= most, count <= UInt64(rest.count) else { throw .malformed }
        return try take(Int(count))
    }

    /// §3.4: ascending, odd ones skipped, even ones unknown. Returns whether there is any.
    @discardableResult
    mutating func fields(_ most: UInt64 = 1_024) throws(ModelFault) -> Bool {
        try !fields(most, known: []) { (_, _) throws(ModelFault) in }.isEmpty
    }

    /// §3.4. The value of a known field is judged before the next field. Returns the types, and the values of those.
    mutating func fields(
        _ most: UInt64, known: Set<UInt64>, even fault: ModelFault = .unsupported,
        _ judge: (UInt64, [UInt8]) throws(ModelFault) -> Void
    ) throws(ModelFault) -> [UInt64: [UInt8]] {
        var list = ModelReader(try vector(0, most))
        var last: UInt64?
        var found: [UInt64: [UInt8]] = [:]
        while !list.rest.isEmpty {
            let type = try list.varint()
            if let last, type <= last { throw .malformed }
            if type % 2 == 0, !known.contains(type) { throw fault }
            let value = try list.vector(0, 4_096)
            if known.contains(type) { try judge(type, value) }
            found[type] = value
            last = type
        }
        return found
    }

    /// R8.1-3.
    mutating func features() throws(ModelFault) -> [UInt16] {
        let bytes = try vector(0, 256)
        guard bytes.count % 2 == 0 else { throw .malformed }
        let values = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) * 256 + Int(bytes[$0 + 1]) }
        guard zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .malformed }
        return values.map { UInt16($0) }
    }

    /// R3.3-2.
    func end() throws(ModelFault) {
        guard rest.isEmpty else { throw .malformed }
    }
}

/// The payloads of SPEC §8, §10, RESUME and §16, by the plainest code.
enum ModelFrame {
    /// R4.2-1, R8.1-2. An empty name is one that is not shown.
    static func peerInfo(
        _ payload: [UInt8]
    ) throws(ModelFault) -> (name: [UInt8], maximum: UInt64, features: [UInt16]) {
        var reader = ModelReader(payload)
        let name = try reader.vector(0, 63)
        guard isName(name) else { throw .malformed }
        let maximum = try reader.varint()
        guard maximum >= 1, maximum <= 4_294_967_295 else { throw .malformed }
        let features = try reader.features()
        try reader.fields()
        try reader.end()
        return (name, maximum, features)
    }

    /// R4.2-1, but for the length.
    static func isName(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return !text.unicodeScalars.contains(where: isForbidden)
            && (text.isEmpty || !text.unicodeScalars.allSatisfy(isBlank))
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        // White space that is no control, and four letters and patterns that show nothing.
        scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            || [0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0].contains(scalar.value)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064,
            0x2066...0x2069, 0xFEFF...0xFEFF, 0xE0000...0xE007F,
        ]
        return ranges.contains { $0.contains(scalar.value) }
    }

    static func invite(_ payload: [UInt8], from sender: [UInt8]) throws(ModelFault) -> ModelInvite {
        var reader = ModelReader(payload)
        let charter = try reader.charter()
        let sessionKind = try kind(&reader, most: 2)
        let (preference, kind) = (try preference(&reader), try kind(&reader))
        let timeout = try reader.varint()
        guard timeout >= 1, timeout <= 600_000 else { throw .malformed }
        let context = try reader.vector(0, 16_384)
        // R8.2-7: the value in its place, and whether the field may be there after all of them.
        let fields = try reader.fields(8_192, known: [0x02]) { (_, value) throws(ModelFault) in
            guard value.count <= 768, value.count % 96 == 0 else { throw .malformed }
        }
        try reader.end()
        guard (fields[0x02] != nil) == (sessionKind != 1) else { throw .malformed }
        // R8.2-5, after all fields.
        if sessionKind == 1, charter.founder != sender { throw .malformed }
        return ModelInvite(
            charter: charter.encoded, sessionKind: sessionKind, preference: preference, kind: kind, timeout: timeout,
            context: context, chain: fields[0x02])
    }

    static func accept(_ payload: [UInt8]) throws(ModelFault) -> (preference: UInt8, kind: UInt8, outcome: UInt8) {
        var reader = ModelReader(payload)
        let (preference, kind, outcome) = (try preference(&reader), try kind(&reader), try reader.byte())
        guard outcome <= 1 else { throw .malformed }
        try reader.fields(8_192)
        try reader.end()
        return (preference, kind, outcome)
    }

    /// What the app hears: R8.4-1.
    static func decline(_ payload: [UInt8]) throws(ModelFault) -> String {
        var reader = ModelReader(payload)
        let (reason, detail) = (try reader.byte(), try reader.vector(0, 64))
        let names: [UInt8: String] = [
            1: "declinedByPeer", 2: "peerBusy", 3: "policy_conflict", 4: "noAnswer", 6: "noSession",
            7: "sessionFull",
        ]
        if reason == 3 {
            guard detail.count == 1, detail[0] <= 2 else { throw .malformed }
        } else if names[reason] != nil, !detail.isEmpty {
            throw .malformed
        }
        try reader.fields()
        try reader.end()
        return names[reason] ?? "declinedByPeer"
    }

    static func cancel(_ payload: [UInt8]) throws(ModelFault) -> String {
        var reader = ModelReader(payload)
        let reason = try reader.byte()
        try reader.fields()
        try reader.end()
        return reason == 2 ? "noAnswer" : "withdrawnByPeer"
    }

    /// R13.9-9. Nothing of it matters to a peer without associations.
    static func resume(_ payload: [UInt8]) throws(ModelFault) {
        var reader = ModelReader(payload)
        _ = (try reader.take(16), try reader.varint(), try reader.varint())
        var files = ModelReader(try reader.vector(0, 1_024))
        var last: UInt64?
        while !files.rest.isEmpty {
            let id = try files.varint()
            if let last, id <= last { throw .malformed }
            last = id
            _ = try files.varint()
        }
        try reader.fields()
        _ = try reader.take(32)
        try reader.end()
    }

    /// R10.2-1.
    static func certificates(_ payload: [UInt8]) throws(ModelFault) -> ModelCertificates {
        var reader = ModelReader(payload)
        let encoded = try reader.vector(0, 49_216)
        var list = ModelReader(encoded)
        var chain: [[UInt8]] = []
        while !list.rest.isEmpty { chain.append(try list.vector(1, 16_384)) }
        guard chain.count <= 8, chain.map(\.count).reduce(0, +) <= 49_152 else { throw .malformed }
        let algorithm = UInt16(try reader.byte()) * 256 + UInt16(try reader.byte())
        let signature = try reader.vector(0, 4_096)
        try reader.fields(4_096)
        try reader.end()
        return ModelCertificates(encoded: encoded, chain: chain, algorithm: algorithm, signature: signature)
    }

    static func close(_ payload: [UInt8]) throws(ModelFault) -> UInt64 {
        var reader = ModelReader(payload)
        let code = try reader.varint()
        try reader.fields()
        try reader.end()
        return code
    }

    /// READY and REKEY.
    static func fieldsAlone(_ payload: [UInt8]) throws(ModelFault) {
        var reader = ModelReader(payload)
        try reader.fields()
        try reader.end()
    }

    private static func preference(_ reader: inout ModelReader) throws(ModelFault) -> UInt8 {
        let byte = try reader.byte()
        guard byte <= 2 else { throw .malformed }
        return byte
    }

    private static func kind(_ reader: inout ModelReader, most: UInt8 = 1) throws(ModelFault) -> UInt8 {
        let byte = try reader.byte()
        guard byte <= most else { throw .unsupported }
        return byte
    }
}

/// CERTIFICATES, decoded.
struct ModelCertificates {
    let encoded: [UInt8]
    let chain: [[UInt8]]
    let algorithm: UInt16
    let signature: [UInt8]
}
