/// Something that can be chosen.
public struct PickerItem<ID: Hashable & Sendable>: Equatable, Sendable {
    /// What distinguishes it.
    public let id: ID
    /// What is shown of it.
    public let line: StyledLine
    /// What the person may type to find it: the beginning of one of these words, and what follows it.
    public let words: String

    /// Describes an item.
    public init(id: ID, line: StyledLine, words: String) {
        self.id = id
        self.line = line
        self.words = words
    }
}
