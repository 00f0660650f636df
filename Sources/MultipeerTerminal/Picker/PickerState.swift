/// What a picker shows, and what keys change of it.
///
/// A number belongs to its item for good, because the list changes while the person types. For the same reason the first item is not
/// chosen by a mere Enter: the person says a number, goes to a line, or types what only one item has.
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
        return items.filter { item in
            item.words.lowercased().contains(wanted) || (numbers[item.id].map { "\($0)".hasPrefix(wanted) } ?? false)
        }
    }

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
            // Whoever types looks for another one.
            selected = nil
        }
        return .choosing
    }

    private mutating func enter() -> Outcome {
        if let selected { return .chosen(selected) }
        let text = typed
        guard !text.isEmpty else { return .choosing }
        let outcome = resolve(text)
        if case .unclear = outcome { editor.clear() }
        return outcome
    }

    /// What a typed line means: a number, or what one item alone has.
    func resolve(_ text: String) -> Outcome {
        if let number = Int(text), let item = items.first(where: { numbers[$0.id] == number }) {
            return .chosen(item.id)
        }
        let found = matching(text)
        return found.count == 1 ? .chosen(found[0].id) : .unclear(text)
    }

    private mutating func move(by step: Int) {
        let visible = visible
        guard !visible.isEmpty else { return }
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
