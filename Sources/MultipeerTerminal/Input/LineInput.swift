import Glibc

/// Lines that a person types at the terminal. What is typed stays below everything that is printed meanwhile.
///
/// Where lines cannot be redrawn, the terminal edits them itself.
public struct LineInput: Sendable {
    private let screen: Screen
    /// The most bytes of a line.
    private let limit: Int

    /// Whether there is somebody to type.
    public static var isPossible: Bool { StandardStream.input.isTerminal }

    /// Creates the input.
    ///
    /// - Parameters:
    ///   - screen: Where what is typed is shown.
    ///   - limit: The most bytes of a line. What is typed beyond it is not taken.
    public init(on screen: Screen, limit: Int = 256) {
        self.screen = screen
        self.limit = limit
    }

    /// Asks for one line. What was typed before the question appeared is no answer to it, and is discarded.
    ///
    /// Returns nil at the end of the input, and when the task is cancelled. It returns only after nothing reads any more.
    public func line(_ label: String) async -> String? {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                OwnThread.start {
                    let reader = Reader(screen: screen, limit: limit, cancellation: cancellation)
                    var line: String?
                    reader.run(label, discardsOlder: true) { text in
                        line = text
                        return false
                    }
                    continuation.resume(returning: line)
                }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    /// All lines to the end of the input, or until nobody wants them.
    ///
    /// - Parameters:
    ///   - label: The text before what is typed.
    ///   - discardsOlder: Whether what was typed before is no line.
    public func lines(_ label: String, discardsOlder: Bool = false) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let cancellation = Cancellation()
        continuation.onTermination = { _ in cancellation.set() }
        OwnThread.start { [screen, limit] in
            let reader = Reader(screen: screen, limit: limit, cancellation: cancellation)
            reader.run(label, discardsOlder: discardsOlder) { text in
                continuation.yield(text)
                return !cancellation.isSet
            }
            continuation.finish()
        }
        return lines
    }
}

/// Reads lines on a thread of its own.
private struct Reader {
    let screen: Screen
    let limit: Int
    let cancellation: Cancellation

    /// Runs until `take` returns false, the input ends, or nobody wants a line.
    func run(_ label: String, discardsOlder: Bool, take: (String) -> Bool) {
        let isRaw = screen.canRedraw && TerminalMode.enter()
        defer {
            screen.show(prompt: nil)
            if isRaw { TerminalMode.leave() }
        }
        if discardsOlder { tcflush(STDIN_FILENO, TCIFLUSH) }
        isRaw ? edit(label, take) : plain(label, take)
    }

    private func edit(_ label: String, _ take: (String) -> Bool) {
        var keys = KeyReader()
        var editor = LineEditor(limit: limit)
        show(label, editor)
        while let key = keys.next(unless: cancellation) {
            switch editor.take(key) {
            case .typing: break
            case .done(let line):
                screen.answered(label, line)
                guard take(line) else { return }
            case .ended: return
            }
            show(label, editor)
        }
    }

    private func show(_ label: String, _ editor: LineEditor) {
        screen.show(prompt: Prompt(label: label, text: editor.text, cursor: editor.cursor))
    }

    private func plain(_ label: String, _ take: (String) -> Bool) {
        screen.show(prompt: Prompt(label: label))
        while let line = PlainLine.read(limit: limit, unless: cancellation) {
            screen.answered(label, line)
            guard take(line) else { return }
            screen.show(prompt: Prompt(label: label))
        }
    }
}
