import Synchronization

/// Lets a person choose from a list that changes meanwhile: by number, by the beginning of a word, or with the arrow keys.
///
/// Items get their numbers in the order in which a list has them first, and keep them.
///
/// Where lines cannot be redrawn, each item is printed once with its number, and the person types a line.
public struct Picker<ID: Hashable & Sendable>: Sendable {
    private let screen: Screen
    private let question: String
    /// What is shown while there is nothing to choose.
    private let whenEmpty: String

    /// Creates a picker.
    ///
    /// - Parameters:
    ///   - screen: Where it is shown.
    ///   - question: Stands before what is typed.
    ///   - whenEmpty: What is shown while there is nothing to choose.
    public init(on screen: Screen, question: String, whenEmpty: String) {
        self.screen = screen
        self.question = question
        self.whenEmpty = whenEmpty
    }

    /// Runs until one is chosen. Each element of `lists` is all that there is by then.
    ///
    /// Returns nil at the end of the input, and when the task is cancelled.
    public func choose(from lists: AsyncStream<[PickerItem<ID>]>) async -> ID? {
        let choice = Choice<ID>(on: screen, whenEmpty: whenEmpty)
        choice.show()
        let following = Task { for await items in lists { choice.set(items) } }
        defer {
            following.cancel()
            choice.end()
        }
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                OwnThread.start { [question] in
                    continuation.resume(returning: choice.run(question, unless: cancellation))
                }
            }
        } onCancel: {
            cancellation.set()
        }
    }
}

/// One choice, whose list and keys come from different tasks.
private final class Choice<ID: Hashable & Sendable>: Sendable {
    private let screen: Screen
    private let whenEmpty: String
    private let state = Mutex(PickerState<ID>())

    init(on screen: Screen, whenEmpty: String) {
        self.screen = screen
        self.whenEmpty = whenEmpty
    }

    // MARK: The list

    func set(_ items: [PickerItem<ID>]) {
        state.withLock { state in
            let before = state.items
            state.set(items)
            if screen.canRedraw { show(state) } else { tell(state, before) }
        }
    }

    func show() { state.withLock { show($0) } }

    func end() { screen.show(list: []) }

    private func show(_ state: PickerState<ID>) {
        let (list, focus) = state.lines
        screen.show(list: state.items.isEmpty ? [StyledLine(whenEmpty, .dim)] : list, focus: focus)
    }

    /// Prints what has come and gone.
    private func tell(_ state: PickerState<ID>, _ before: [PickerItem<ID>]) {
        for item in state.items where !before.contains(item) { printLine(item, of: state, "") }
        for item in before where !state.items.contains(where: { $0.id == item.id }) {
            printLine(item, of: state, " is gone")
        }
    }

    private func printLine(_ item: PickerItem<ID>, of state: PickerState<ID>, _ note: String) {
        var line = StyledLine("\(state.number(of: item.id) ?? 0)", columns: 3, .bold)
        line.add(item.line)
        line.add(note)
        screen.printNote { line.text(columns: .max, $0) }
    }

    // MARK: Keys

    /// Reads until one is chosen. The call blocks.
    func run(_ question: String, unless cancellation: Cancellation) -> ID? {
        let isRaw = screen.canRedraw && TerminalMode.enter()
        defer {
            screen.show(prompt: nil)
            if isRaw { TerminalMode.leave() }
        }
        return isRaw ? pick(question, cancellation) : ask(question, cancellation)
    }

    private func pick(_ question: String, _ cancellation: Cancellation) -> ID? {
        var keys = KeyReader()
        screen.show(prompt: Prompt(label: question))
        while let key = keys.next(unless: cancellation) {
            let (outcome, editor) = state.withLock { state in
                let outcome = state.take(key)
                show(state)
                return (outcome, state.editor)
            }
            switch outcome {
            case .choosing: break
            case .chosen(let id): return id
            case .unclear(let text): complain(text)
            case .ended: return nil
            }
            screen.show(prompt: Prompt(label: question, text: editor.text, cursor: editor.cursor))
        }
        return nil
    }

    private func ask(_ question: String, _ cancellation: Cancellation) -> ID? {
        screen.show(prompt: Prompt(label: question))
        while let line = PlainLine.read(limit: 256, unless: cancellation) {
            screen.answered(question, line)
            if !line.isEmpty {
                switch state.withLock({ $0.resolve(line) }) {
                case .chosen(let id): return id
                case .choosing, .unclear, .ended: complain(line)
                }
            }
            screen.show(prompt: Prompt(label: question))
        }
        return nil
    }

    private func complain(_ text: String) {
        screen.printNote { palette in
            palette.yellow("warning:") + " \(DisplayWidth.safe(text)) is none of them, or several: type a number"
        }
    }
}
