/// That the receiver of a file has had the same one already, and has kept that: an empty field of FILE_DONE (SPEC §15.5).
public enum KeptFile {
    /// The type of the field.
    private static let fieldType: UInt64 = 0x07

    /// The field.
    public static var field: Field { Field(type: fieldType, value: []) }

    /// Whether a list says so. Nothing depends on the field.
    public static func isSaid(in fields: [Field]) -> Bool {
        fields.contains { $0.type == fieldType && $0.value.isEmpty }
    }
}
