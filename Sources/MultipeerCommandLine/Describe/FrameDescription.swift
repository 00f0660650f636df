package import MultipeerWire

/// A description of a frame, field by field (SPEC §6.3).
package struct FrameDescription: Sendable {
    /// The name in SPEC §6.3. For an unknown type, it says what a receiver does (SPEC §6.4).
    package let name: String
    package let type: UInt64
    /// The length of the payload, in bytes.
    package let length: Int
    package let fields: [DescribedField]

    /// - Throws: `WireError` if the payload does not decode.
    package init(_ frame: borrowing RawFrame) throws(WireError) {
        type = frame.rawType
        length = frame.payload.count
        guard let type = frame.type else {
            name = Self.unknownName(frame.rawType)
            fields = [DescribedField("payload", .content([UInt8](copying: frame.payload)))]
            return
        }
        name = type.name
        fields = [DescribedField](
            try FieldVisitor.fields(of: type, payload: frame.payload), of: [UInt8](copying: frame.payload),
            in: type)
    }

    /// Returns the name for an unknown type. Values that are never assigned have a name of their own (SPEC §7.4).
    private static func unknownName(_ type: UInt64) -> String {
        if type % 32 == 31 { return "GREASE" }
        return type % 2 == 1 ? "unknown, ignorable" : "unknown, critical"
    }
}
