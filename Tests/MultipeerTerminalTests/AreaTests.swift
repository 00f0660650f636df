import MultipeerTerminalTestSupport
import Testing

@testable import MultipeerTerminal

@Suite("The area below what is printed")
struct AreaTests {
    private static let palette = Palette(isEnabled: true)

    /// A terminal with what is printed and drawn on it.
    private struct Stage {
        var terminal: FakeTerminal
        var painter = AreaPainter()
        var printed: [String] = []

        init(columns: Int, rows: Int) { terminal = FakeTerminal(columns: columns, rows: rows) }

        var layout: AreaLayout {
            AreaLayout(
                size: TerminalSize(columns: terminal.columns, rows: terminal.height), palette: AreaTests.palette)
        }

        mutating func draw(_ area: ScreenArea) {
            terminal.take(painter.redraw(layout.image(of: area), columns: terminal.columns))
        }

        mutating func print(_ line: String, above area: ScreenArea) {
            terminal.take(painter.erase(columns: terminal.columns))
            terminal.take(line + "\n")
            printed.append(line)
            terminal.take(painter.draw(layout.image(of: area)))
        }
    }

    private static func area(
        list: Int = 0, bars: Int = 0, typing text: String? = nil, focus: Int? = nil
    ) -> ScreenArea {
        var area = ScreenArea()
        area.list = (0..<list).map { StyledLine("item \($0) " + String(repeating: "x", count: $0 * 7 % 90), .green) }
        area.focus = focus
        area.bars = (0..<bars).map { number in
            let progress = ProgressBar(verb: "sending", name: "file \(number)", done: UInt64(number), size: 10)
            return ScreenArea.Bar(number: number, content: .progress(progress))
        }
        area.prompt = text.map { Prompt(label: "Take it? ", text: Array($0), cursor: $0.count) }
        return area
    }

    @Test("Lines stay whole and in order, whatever is redrawn below them", arguments: [2, 3, 10, 24], [3, 12, 20, 80])
    func order(rows: Int, columns: Int) {
        var random = SystemRandomNumberGenerator()
        var stage = Stage(columns: columns, rows: rows)
        var area = ScreenArea()
        for step in 0..<400 {
            if Bool.random(using: &random) {
                stage.print("\(step)", above: area)
            } else {
                area = Self.area(
                    list: .random(in: 0...6, using: &random), bars: .random(in: 0...6, using: &random),
                    typing: Bool.random(using: &random)
                        ? String(repeating: "é", count: .random(in: 0...100, using: &random)) : nil)
                stage.draw(area)
            }
            #expect(stage.terminal.faults.isEmpty)
        }
        stage.draw(ScreenArea())
        #expect(stage.terminal.lines == stage.printed)
    }

    @Test("An area fits any terminal, and says what it omits", arguments: 1...30)
    func fits(rows: Int) {
        for columns in [1, 2, 5, 19, 40, 80, 200] {
            let layout = AreaLayout(
                size: TerminalSize(columns: columns, rows: rows), palette: Palette(isEnabled: false))
            let image = layout.image(of: Self.area(list: 40, bars: 20, typing: "yes", focus: 17))
            #expect(image.lines.count <= max(1, rows - 1))
            #expect(image.widths.allSatisfy { $0 <= max(1, columns - 1) })
            #expect(zip(image.lines, image.widths).allSatisfy { DisplayWidth.columns(of: $0) == $1 })
            #expect((image.cursor ?? 0) <= image.widths.last ?? 0)
            guard columns >= 80, rows >= 10 else { continue }
            #expect(image.lines.contains { $0.hasPrefix("item 17 ") })
            #expect(image.lines.count { $0.hasPrefix("and ") && $0.hasSuffix(" more") } == 2)
            #expect(image.lines.last == "Take it? yes")
        }
    }

    @Test("Bars are shown oldest first; without room for all, the last line counts the others")
    func bars() {
        let layout = AreaLayout(size: TerminalSize(columns: 60, rows: 5), palette: Palette(isEnabled: false))
        let image = layout.image(of: Self.area(bars: 7))
        #expect(image.lines.count == 4 && image.lines.last == "and 4 more")
        for (index, line) in image.lines.dropLast().enumerated() { #expect(line.hasPrefix("sending file \(index) ")) }
        let all = layout.image(of: Self.area(bars: 4))
        #expect(all.lines.count == 4 && all.lines.last?.hasPrefix("sending file 3 ") == true)
    }

    @Test("The part of a long line around the cursor is shown, with the cursor in it", arguments: 0...40)
    func longLine(cursor: Int) {
        var area = ScreenArea()
        area.prompt = Prompt(label: "> ", text: Array(repeating: "界", count: 40), cursor: cursor)
        var stage = Stage(columns: 31, rows: 10)
        stage.draw(area)
        let image = stage.layout.image(of: area)
        #expect(image.widths == [image.widths.last ?? 0] && (image.widths.last ?? 0) <= 30)
        #expect(stage.terminal.cursor.line == 0 && stage.terminal.cursor.column == 2 + min(cursor, 14) * 2)
        #expect(stage.terminal.faults.isEmpty)
    }

    @Test("A window that gets narrower or wider erases nothing above the area", arguments: [12, 25, 39, 41, 120])
    func resized(columns: Int) {
        var stage = Stage(columns: 40, rows: 24)
        let area = Self.area(list: 2, bars: 2, typing: "an answer that is quite long for this")
        stage.print("above", above: area)
        stage.terminal.resize(columns: columns)
        stage.print("below", above: area)
        stage.draw(ScreenArea())
        #expect(stage.terminal.lines == ["above", "below"])
        #expect(stage.terminal.faults.isEmpty)
    }

    @Test("Control sequences of the terminal are not drawn, at any place")
    func hostile() {
        let text = "a\u{1B}[2J\u{9B}H\u{202E}b\u{7}\r\nc\u{2028}d\u{200B}e"
        var area = ScreenArea()
        area.list = [StyledLine(text, .red), StyledLine(text, columns: 30)]
        var table = Table([text, "x"])
        table.add([(text, .plain), (text, .bold)])
        area.list += table.lines
        area.bars = [
            .init(number: 1, content: .progress(ProgressBar(verb: "sending", name: text, done: 1, size: 2))),
            .init(number: 2, content: .text(text)),
        ]
        area.prompt = Prompt(label: text, text: Array(text), cursor: 3)
        var stage = Stage(columns: 100, rows: 30)
        stage.draw(area)
        #expect(stage.terminal.faults.isEmpty)
        #expect(stage.terminal.lines.count == 7)
        #expect(stage.terminal.lines.allSatisfy { $0.contains("a\u{FFFD}[2J\u{FFFD}H\u{FFFD}b") })
    }

    @Test("The same area is not drawn twice")
    func unchanged() {
        var painter = AreaPainter()
        let image = AreaLayout(size: .usual, palette: Self.palette).image(of: Self.area(bars: 1))
        #expect(!painter.redraw(image, columns: 80).isEmpty)
        #expect(painter.redraw(image, columns: 80).isEmpty)
        #expect(painter.redraw(AreaImage(), columns: 80) == "\r\u{1B}[J")
    }
}

@Suite("Output without redrawing")
struct PlainAreaTests {
    private static func batch(_ lines: Int, _ label: String?, answers: Int = 0) -> PrintQueue.Batch {
        var area = ScreenArea()
        area.prompt = label.map { Prompt(label: $0) }
        area.answers = answers
        area.list = [StyledLine("never shown")]
        return PrintQueue.Batch(items: Array(repeating: .init(stream: .output, bytes: []), count: lines), area: area)
    }

    @Test("A question is printed again below later output, and nothing else of the area")
    func question() {
        var plain = PlainArea(isTerminal: true)
        for (batch, before, after) in [
            (Self.batch(1, nil), "", ""), (Self.batch(0, "Well? "), "", "Well? "), (Self.batch(0, "Well? "), "", ""),
            (Self.batch(2, "Well? "), "\n", "Well? "), (Self.batch(0, "Other? "), "\n", "Other? "),
            // The terminal has shown the answer and gone to the next line.
            (Self.batch(0, nil, answers: 1), "", ""), (Self.batch(0, "Last? ", answers: 1), "", "Last? "),
            (Self.batch(0, nil, answers: 1), "\n", ""),
        ] {
            #expect(plain.begin(batch) == before)
            #expect(plain.end(batch) == after)
        }
    }

    @Test("A pipe does not get the typed text")
    func pipe() {
        var plain = PlainArea(isTerminal: false)
        let asked = Self.batch(0, "Well? ")
        #expect(plain.begin(asked) + plain.end(asked) == "Well? ")
        let answered = Self.batch(0, nil, answers: 1)
        #expect(plain.begin(answered) + plain.end(answered) == "\n")
    }
}
