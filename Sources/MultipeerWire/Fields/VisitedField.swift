/// One field of a structure of SPEC.md, and where it is (``FieldVisitor``).
public struct VisitedField: Sendable {
    /// What the bytes of a field are.
    public enum Kind: Sendable {
        /// How many bytes the vector after it has.
        case length
        /// How many bytes the list after it has. Its elements follow, one step deeper.
        case listLength
        /// A count, a limit, a place, a time.
        case number
        /// A number of a registry.
        case code
        /// A key, a hash, a signature, an identifier.
        case bytes
        /// Bytes that are long, or the sender's own words.
        case content
    }

    /// The name in SPEC.md. A length has the name of what it counts.
    public let name: String
    public let kind: Kind
    /// The number of a length, a number or a code.
    public let value: UInt64
    /// The registry's name for a code, if it has one.
    public let meaning: String?
    /// Where the field is in the visited bytes.
    public let range: Range<Int>
    /// How many lists the field is in.
    public let depth: Int
}
