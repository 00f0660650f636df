/// What a picker shows, and what keys change of it.
///
/// A number belongs to its item for good, because the list changes while the person types. For the same reason Enter chooses only what
/// a key of the person has selected: a number, a line, or what only one item has. Digits are a number of the list and nothing else.
struct PickerState<ID: Hashable & Sendable>: Sendable {
    typealias Item = PickerItem<ID>

    /// What comes of a key.
    enum Outcome: Equatable {
        case choosing
        case chosen(ID)
        /// What was typed means none, or several.
        case unclear(String)
        /// The person ends the input.
        case ended
    }

    private var numbers: [ID: Int] = [:]
    private(set) var items: [Item] = []
    private(set) var editor = LineEditor(limit: 256)
    private(set) var selected: ID?
    /// Whether it was selected by the text that is typed, which another item may fit as well by now.
    private var isSelectedByText = false

    private var typed: String { String(editor.text) }

    /// The number of an item that has been there.
    func number(of id: ID) -> Int? { numbers[id] }

    /// Takes what there is now.
    mutating func set(_ new: [Item]) {
        for item in new where numbers[item.id] == nil { numbers[item.id] = numbers.count + 1 }
        items = new.sorted { (numbers[$0.id] ?? 0) < (numbers[$1.id] ?? 0) }
        if let selected, !items.contains(where: { $0.id == selected }) { self.selected = nil }
    }

    /// What fits what is typed.
    var visible: [Item] { matching(typed) }

    private func matching(_ text: String) -> [Item] {
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return items }
        guard !Self.isNumber(text) else {
            return items.filter { numbers[$0.id].map { "\($0)".hasPrefix(wanted) } ?? false }
        }
        return items.filter { item in
            let words = item.words.lowercased()
            return words.hasPrefix(wanted) || words.contains(" " + wanted)
        }
    }

    private static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    mutating func take(_ key: Key) -> Outcome {
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .escape:
            editor.clear()
            selected = nil
        case .enter: return enter()
        default:
            if case .ended = editor.take(key) { return .ended }
            select(by: typed)
        }
        return .choosing
    }

    /// Selects what a text means, if that is one item.
    private mutating func select(by text: String) {
        isSelectedByText = true
        selected = if !text.isEmpty, case .chosen(let id) = resolve(text) { id } else { nil }
    }

    private mutating func enter() -> Outcome {
        let text = typed
        if let selected {
            guard isSelectedByText, resolve(text) != .chosen(selected) else { return .chosen(selected) }
            self.selected = nil
        } else {
            guard !text.isEmpty else { return .choosing }
            // One that has come since the text was typed may fit it: the person sees it selected now, and presses Enter again.
            select(by: text)
            guard selected == nil else { return .choosing }
        }
        editor.clear()
        return .unclear(text)
    }

    /// What a typed line means: the number of an item, or what one item alone has.
    func resolve(_ text: String) -> Outcome {
        if Self.isNumber(text) {
            let item = items.first { numbers[$0.id].map(String.init) == text }
            return item.map { .chosen($0.id) } ?? .unclear(text)
        }
        let found = matching(text)
        return found.count == 1 ? .chosen(found[0].id) : .unclear(text)
    }

    private mutating func move(by step: Int) {
        let visible = visible
        guard !visible.isEmpty else { return }
        isSelectedByText = false
        guard let place = visible.firstIndex(where: { $0.id == selected }) else {
            selected = step > 0 ? visible.first?.id : visible.last?.id
            return
        }
        selected = visible[max(0, min(visible.count - 1, place + step))].id
    }

    /// The list as it is shown, and which line must be seen.
    var lines: (list: [StyledLine], focus: Int?) {
        let visible = visible
        let lines = visible.map { item in
            let isSelected = item.id == selected
            var line = StyledLine("\(numbers[item.id] ?? 0)", columns: 3, isSelected ? .selected : .bold)
            line.add(item.line, in: isSelected ? .selected : nil)
            return line
        }
        return (lines, visible.firstIndex { $0.id == selected })
    }
}
