import Synchronization

/// What a program prints, and what stays on the last lines of its terminal meanwhile: questions, what is typed, bars, a table.
///
/// Results go to one stream and notes to standard error, and lines never mix. Printing never blocks a program that serves others
/// (``leaveOutWhenFull()``). Without a terminal, or on one that cannot redraw lines, everything is plain lines.
public final class Screen: Sendable {
    /// Whether lists, tables and what is typed can be redrawn in place. This is so if standard error is a terminal that can.
    public let canRedraw: Bool
    /// The colours of results.
    public let resultPalette: Palette
    /// The colours of notes.
    public let notePalette: Palette
    /// Whether results and notes come to one terminal.
    public let isOneTerminal: Bool
    private let resultStream: StandardStream
    private let results: Printer
    /// The same printer as for results if both go to a terminal, because an area must give way to both.
    private let notes: Printer
    private let lastBar = Mutex(0)

    /// Creates the screen of this process.
    ///
    /// - Parameters:
    ///   - stream: Where results go.
    ///   - omittedResults: Makes the line that says how many results were left out, because nobody read them in time.
    public init(
        resultsTo stream: StandardStream = .output, omittedResults: @escaping @Sendable (Int, Palette) -> String
    ) {
        resultStream = stream
        canRedraw = StandardStream.error.canRedraw
        isOneTerminal = stream.isTerminal && StandardStream.error.isTerminal
        let (resultPalette, notePalette) = (Palette(for: stream), Palette(for: .error))
        results = Printer(canRedraw: canRedraw, notePalette) { count in
            PrintQueue.Item(stream: stream, bytes: Array((omittedResults(count, resultPalette) + "\n").utf8))
        }
        notes =
            isOneTerminal
            ? results
            : Printer(canRedraw: canRedraw, notePalette) { count in
                let text = notePalette.yellow("left out:") + " \(count) notes, because nobody read them in time\n"
                return PrintQueue.Item(stream: .error, bytes: Array(text.utf8))
            }
        self.resultPalette = resultPalette
        self.notePalette = notePalette
    }

    /// The size of the terminal of notes.
    public var size: TerminalSize { StandardStream.error.size ?? .usual }

    // MARK: Lines

    /// Prints a result: bytes with a line feed at the end. They are not even made if there is no room for them.
    public func printResult(_ line: () -> [UInt8]) { results.print(to: resultStream, line) }

    /// Prints a note to standard error: text without the line feed at its end.
    public func printNote(_ text: (Palette) -> String) {
        notes.print(to: .error) { Array((text(notePalette) + "\n").utf8) }
    }

    // MARK: The area

    /// Shows a list or table in place of the previous one. It is shown where ``canRedraw`` says so.
    ///
    /// - Parameters:
    ///   - list: The lines, from above.
    ///   - focus: The line that must be seen if there is no room for all.
    public func show(list: [StyledLine], focus: Int? = nil) {
        notes.change { area in
            area.list = list
            area.focus = focus
        }
    }

    /// Begins a bar, below those that began before.
    public func beginBar() -> BarHandle {
        let number = lastBar.withLock { last in
            last += 1
            return last
        }
        return BarHandle(number, on: self)
    }

    func show(bar number: Int, _ content: ScreenArea.BarContent?) {
        notes.change { area in
            let index = area.bars.firstIndex { $0.number == number }
            switch (index, content) {
            case (let index?, let content?): area.bars[index].content = content
            case (let index?, nil): area.bars.remove(at: index)
            case (nil, let content?):
                let place = area.bars.firstIndex { $0.number > number } ?? area.bars.count
                area.bars.insert(ScreenArea.Bar(number: number, content: content), at: place)
            case (nil, nil): break
            }
        }
    }

    func show(prompt: Prompt?) { notes.change { $0.prompt = prompt } }

    /// A line was typed after the prompt. Where lines can be redrawn it is printed for good; elsewhere the terminal has
    /// shown it.
    func answered(_ label: String, _ line: String) {
        if canRedraw { printNote { $0.bold(DisplayWidth.safe(label)) + DisplayWidth.safe(line) } }
        notes.change { area in
            area.prompt = nil
            area.answers += 1
        }
    }

    // MARK: Readers

    /// From now on, what finds no room is left out and counted, and nobody waits for a reader.
    public func leaveOutWhenFull() { printers { $0.leaveOutWhenFull() } }

    /// Whether the reader of the results has gone away.
    public var isBroken: Bool { results.isBroken }

    /// Calls `action` once when the reader of the results goes away, or at once if it has already gone.
    public func whenBroken(_ action: @escaping @Sendable () -> Void) { results.whenBroken(action) }

    /// Waits while much waits to be printed and somebody reads it. It does not wait for a reader that takes nothing.
    public func waitForRoom() async {
        await results.waitForRoom()
        await notes.waitForRoom()
    }

    /// From now on, ``finish()`` gives up a reader that takes nothing.
    public func hurry() { printers { $0.hurry() } }

    /// Removes the area, and waits until everything has been printed.
    public func finish() async {
        notes.change { $0.clear() }
        await results.finish()
        await notes.finish()
    }

    private func printers(_ action: (Printer) -> Void) {
        action(results)
        action(notes)
    }
}
