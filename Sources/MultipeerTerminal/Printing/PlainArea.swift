/// What the person is asked, where lines cannot be redrawn: a dumb terminal, or no terminal.
struct PlainArea {
    /// Whether what the person types, and so the end of its line, is seen there.
    let isTerminal: Bool
    private var label: String?
    private var answers = 0
    /// Whether the cursor is after the label.
    private var isOpen = false

    init(isTerminal: Bool) {
        self.isTerminal = isTerminal
    }

    /// Returns what comes before the lines of a batch.
    mutating func begin(_ batch: PrintQueue.Batch) -> String {
        if batch.area.answers != answers {
            answers = batch.area.answers
            if isOpen, isTerminal {
                isOpen = false
                return ""
            }
        }
        guard isOpen, !batch.items.isEmpty || batch.area.prompt?.label != label else { return "" }
        isOpen = false
        return "\n"
    }

    /// Returns what comes after them.
    mutating func end(_ batch: PrintQueue.Batch) -> String {
        label = batch.area.prompt?.label
        guard let label, !isOpen else { return "" }
        isOpen = true
        return DisplayWidth.safe(label)
    }
}
