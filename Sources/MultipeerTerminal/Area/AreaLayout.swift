/// Puts an area on the lines of a terminal.
///
/// A line takes one column less than there are, because terminals differ in where the cursor is after a full one. The
/// area takes one line less, so that what is printed above is seen.
struct AreaLayout {
    let size: TerminalSize
    let palette: Palette

    private var columns: Int { max(1, size.columns - 1) }
    private var rows: Int { max(1, size.rows - 1) }

    func image(of area: ScreenArea) -> AreaImage {
        var image = AreaImage()
        let forPrompt = area.prompt == nil ? 0 : 1
        let room = rows - forPrompt
        // Beside a list, bars take at most half.
        let forBars = min(area.bars.count, area.list.isEmpty ? room : room / 2)
        for line in visible(area, in: room - forBars) { image.add(line.fitted(to: columns, palette)) }
        addBars(area.bars, in: forBars, to: &image)
        if let prompt = area.prompt { addPrompt(prompt, to: &image) }
        return image
    }

    /// The lines of the list that there is room for, with the one that must be seen.
    private func visible(_ area: ScreenArea, in room: Int) -> [StyledLine] {
        let count = area.list.count
        guard count > room else { return area.list }
        guard room > 1 else { return [] }
        // The last line says how many are missing.
        let shown = room - 1
        let first = max(0, min((area.focus ?? 0) - shown + 1, count - shown))
        return Array(area.list[first..<(first + shown)]) + [StyledLine("and \(count - shown) more", .dim)]
    }

    private func addBars(_ bars: [ScreenArea.Bar], in room: Int, to image: inout AreaImage) {
        let shown = bars.count > room ? max(0, room - 1) : bars.count
        for bar in bars.prefix(shown) {
            image.add(StyledLine(bar.content.line(columns: columns)).fitted(to: columns, palette))
        }
        guard shown < bars.count, room > 0 else { return }
        image.add(StyledLine("and \(bars.count - shown) more", .dim).fitted(to: columns, palette))
    }

    /// The line that is typed. Of a long one, the part around the cursor is shown.
    private func addPrompt(_ prompt: Prompt, to image: inout AreaImage) {
        let label = DisplayWidth.cut(prompt.label, to: max(1, columns * 3 / 4))
        let room = max(0, columns - DisplayWidth.columns(of: label))
        let widths = prompt.text.map { DisplayWidth.columns(of: DisplayWidth.safe(String($0))) }
        var first = prompt.cursor
        var before = 0
        while first > 0, before + widths[first - 1] <= room {
            first -= 1
            before += widths[first]
        }
        var (last, all) = (prompt.cursor, before)
        while last < widths.count, all + widths[last] <= room {
            all += widths[last]
            last += 1
        }
        let text = DisplayWidth.safe(String(prompt.text[first..<last]))
        let start = DisplayWidth.columns(of: label)
        image.add((palette.bold(label) + text, start + all))
        image.cursor = start + before
    }
}

/// An area as it is on a terminal.
struct AreaImage: Equatable {
    /// The lines with their escapes.
    private(set) var lines: [String] = []
    /// The columns of each line.
    private(set) var widths: [Int] = []
    /// The column of the cursor in the last line; nil for its end.
    var cursor: Int?

    mutating func add(_ line: (text: String, columns: Int)) {
        lines.append(line.text)
        widths.append(line.columns)
    }
}
