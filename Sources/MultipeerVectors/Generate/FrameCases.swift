internal import MultipeerScriptedPeer
internal import MultipeerWire

extension Samples {
    /// ASCII letters.
    func letters(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) } }
}

/// Cases of the groups `ControlFrame` and `PayloadFrame`.
final class FrameCases {
    private let cases: CaseWriter
    private var section = "6.3"

    init(_ cases: CaseWriter) { self.cases = cases }

    /// Begins the cases of a frame.
    func begin(_ frame: String, section: String) {
        self.section = section
        cases.group(["frame": .string(frame)])
    }

    func accept(
        _ comment: String, _ requirements: [String], flags: [String] = [], section: String? = nil, _ payload: [UInt8]
    ) throws {
        try cases.accept(
            comment, requirements, flags: flags, section: section ?? self.section, ["payload": .hex(payload)])
    }

    func refuse(
        _ flag: String, _ comment: String, _ requirements: [String], code: String = "malformed",
        section: String? = nil, _ payload: [UInt8]
    ) throws {
        try cases.reject(
            code, flag, comment, requirements, section: section ?? self.section, ["payload": .hex(payload)])
    }

    /// What every structure that ends in a field list of at most `maximum` bytes does with it (SPEC §3.4).
    /// - Parameter even: a type that the structure does not know.
    func fieldLists(_ front: [UInt8], maximum: Int = 1_024, even: UInt64 = 2) throws {
        func list(_ fields: [UInt8]...) -> [UInt8] { front + WireBytes.vector(fields.flatMap { $0 }) }
        func value(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
        func odd(_ comment: String, _ payload: [UInt8]) throws {
            try accept(comment, ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4", payload)
        }
        func wrong(_ flag: String, _ comment: String, _ requirements: [String], _ payload: [UInt8]) throws {
            try refuse(flag, comment, requirements, section: "3.4", payload)
        }
        try accept("no field", [], section: "3.4", list())
        try odd("an unknown odd field", list(WireBytes.field(1, [1, 2, 3])))
        try odd(
            "two odd fields and a GREASE one",
            list(WireBytes.field(1, []), WireBytes.field(3, [9]), WireBytes.field(0x7F, [1])))
        for (type, name) in [(even, "an unknown even field"), (0, "field 0")] as [(UInt64, String)] {
            try refuse(
                "UnknownCritical", name, ["R3.4-3"], code: "unsupported", section: "3.4",
                list(WireBytes.field(type, [])))
        }
        try wrong("Duplicate", "a field stands twice", ["R3.4-1"], list(WireBytes.field(1, []), WireBytes.field(1, [])))
        try wrong("NotAscending", "fields descend", ["R3.4-1"], list(WireBytes.field(3, []), WireBytes.field(1, [])))
        try wrong(
            "Precedence", "an even field that is out of order", ["R3.4-1", "R18-1"],
            list(WireBytes.field(3, []), WireBytes.field(2, [])))
        // Values of 4,096 bytes where they fit; the list is as long as it may be.
        let (first, rest) = maximum > 4_099 ? (4_096, maximum - 4_099 - 3) : (maximum - 3, nil)
        try odd(
            "\(maximum) bytes of fields, a value of \(first)",
            list(WireBytes.field(1, value(first)), rest.map { WireBytes.field(3, value($0)) } ?? []))
        try wrong(
            "LengthOutOfRange", "\(maximum + 1) bytes of fields", ["R3.3-1"],
            list(
                WireBytes.field(1, value(rest == nil ? first + 1 : first)),
                rest.map { WireBytes.field(3, value($0 + 1)) } ?? []))
        if rest != nil {
            try wrong("LengthOutOfRange", "a value of 4,097 bytes", ["R3.3-1"], list(WireBytes.field(1, value(4_097))))
        }
        try wrong("LengthExceedsRest", "a value beyond the list", ["R3.3-1"], list([1, 2, 0]))
        try refuse("Truncated", "no field list, as in draft 01", ["R3.3-1"], section: "3.3", front)
        try refuse("TrailingBytes", "a byte after the fields", ["R3.3-2"], section: "3.3", list() + [0])
    }
}
