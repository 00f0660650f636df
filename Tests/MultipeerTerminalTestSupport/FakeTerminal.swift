/// A terminal of a given size that understands what ours get, and nothing else: text, carriage return, line feed, *up*,
/// *right*, *erase to the end* and colours. Whatever else comes is a fault.
///
/// Lines that were broken at the right edge are joined and broken again when it gets another width, as most terminals do.
package struct FakeTerminal {
    /// One row, and whether it continues in the next one because the edge broke it.
    private struct Row {
        var cells: [Character] = []
        var isBroken = false
    }

    package private(set) var columns: Int
    package let height: Int
    /// All rows since the beginning, those that have scrolled away too.
    private var rows = [Row()]
    private var row = 0
    private var column = 0
    /// The first row on the screen.
    private var top = 0
    /// What is not understood.
    package private(set) var faults: [String] = []
    private var escape: String?

    package init(columns: Int, rows: Int) {
        self.columns = columns
        height = rows
    }

    // MARK: What is seen

    /// All lines from the beginning, without blanks at their ends. One that the edge broke is whole here.
    package var lines: [String] {
        var lines: [String] = []
        var whole = ""
        for row in rows {
            whole += String(row.cells)
            if row.isBroken { continue }
            lines.append(Self.trimmed(whole))
            whole = ""
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The lines that are on the screen.
    package var visible: [String] { rows[top...].map { Self.trimmed(String($0.cells)) } }

    /// Where the cursor is: the line, counted from the beginning, and the column.
    package var cursor: (line: Int, column: Int) { (row, column) }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    // MARK: What it gets

    package mutating func take(_ text: String) {
        for scalar in text.unicodeScalars { take(scalar) }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if let escape {
            self.escape = escape + String(scalar)
            finishEscape()
            return
        }
        switch scalar {
        case "\u{1B}": escape = ""
        case "\r": column = 0
        // By the kernel, which echoes what is typed before the program reads keys.
        case "\u{8}": column = max(0, column - 1)
        case "\n":
            column = 0
            row += 1
            scroll()
        case _
        where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            || scalar.properties.generalCategory == .format:
            faults.append("control U+\(String(scalar.value, radix: 16))")
        default: put(scalar)
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory) { return }
        let isWide = scalar.properties.isEmojiPresentation || (0x4E00...0x9FFF).contains(scalar.value)
        if column + (isWide ? 2 : 1) > columns {
            rows[row].isBroken = true
            column = 0
            row += 1
            scroll()
        }
        for character in isWide ? [Character(scalar), "\u{2060}"] : [Character(scalar)] {
            while rows[row].cells.count <= column { rows[row].cells.append(" ") }
            rows[row].cells[column] = character
            column += 1
        }
    }

    /// The cursor is in the next row, which may be below the screen.
    private mutating func scroll() {
        if row == rows.count { rows.append(Row()) }
        top = max(top, row - height + 1)
    }

    /// CSI, at most one number, and a letter.
    private mutating func finishEscape() {
        guard let text = escape, text.first == "[" else {
            faults.append("escape \(escape ?? "")")
            escape = nil
            return
        }
        guard text.count > 1, let letter = text.last, letter.isLetter else { return }
        escape = nil
        let number = Int(text.dropFirst().dropLast()) ?? 1
        switch letter {
        case "A":
            if row - number < top { faults.append("up beyond the screen") }
            row = max(0, row - number)
        case "C": column = min(columns - 1, column + number)
        case "J":
            rows[row].cells.removeSubrange(min(column, rows[row].cells.count)...)
            rows[row].isBroken = false
            rows.removeSubrange((row + 1)...)
        case "m": break
        default: faults.append("CSI \(text)")
        }
    }

    // MARK: Size

    /// The window gets another width.
    package mutating func resize(columns new: Int) {
        var result: [Row] = []
        var place = (row: 0, column: 0)
        var index = 0
        while index < rows.count {
            var cells = rows[index].cells
            var (first, cursor) = (index, row == index ? column : nil)
            while rows[first].isBroken, first + 1 < rows.count {
                first += 1
                if row == first { cursor = cells.count + column }
                cells += rows[first].cells
            }
            if let cursor {
                let down = min(cursor / new, max(0, (cells.count - 1) / new))
                place = (result.count + down, cursor - down * new)
            }
            var rest = cells[...]
            repeat {
                result.append(Row(cells: Array(rest.prefix(new)), isBroken: rest.count > new))
                rest = rest.dropFirst(new)
            } while !rest.isEmpty
            index = first + 1
        }
        columns = new
        rows = result
        while rows.count <= place.row { rows.append(Row()) }
        (row, column) = place
        top = max(0, rows.count - height)
    }
}
