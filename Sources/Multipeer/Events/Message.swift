/// A message of a member.
public struct Message: Hashable, Sendable {
    /// The bytes, as they were sent.
    public let bytes: [UInt8]

    /// The text; nil if the bytes are not UTF-8. It may contain anything, such as control characters: print the message itself
    /// in a terminal.
    public var text: String? { String(validating: bytes, as: UTF8.self) }
}

extension Message: CustomStringConvertible {
    /// One line that is safe to print: nothing in it moves a cursor, changes a colour or hides text. Long messages are cut.
    public var description: String { SafeText.message(bytes) }
}
