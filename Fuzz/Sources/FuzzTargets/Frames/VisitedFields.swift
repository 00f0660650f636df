import FuzzSupport
import MultipeerWire

/// The field visitor accepts all that decodes, and its fields follow each other from the first byte to the last.
enum VisitedFields {
    /// A field takes more memory than its bytes, and the target's memory budget is for the decoder.
    private static let longestPayload = 192

    /// Checks the fields of a frame that decodes.
    static func check(_ frame: borrowing RawFrame) throws {
        guard let type = frame.type, frame.payload.count <= longestPayload else { return }
        let fields: [VisitedField]
        do { fields = try FieldVisitor.fields(of: type, payload: frame.payload) } catch { return }
        try check(fields, count: frame.payload.count)
    }

    /// Checks the fields of `count` bytes. Two fields may share the same bytes (FILE_CANCEL, SPEC §15.4).
    static func check(_ fields: [VisitedField], count: Int) throws(OracleFailure) {
        var end = 0
        var last: Range<Int>?
        for field in fields where field.range.isEmpty || field.range != last {
            try requireEqual(field.range.lowerBound, end, "the first byte of \(field.name)")
            end = field.range.upperBound
            last = field.range
        }
        try requireEqual(end, count, "the end of the last field")
    }
}
