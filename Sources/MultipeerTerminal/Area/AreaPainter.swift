/// Draws an area below what is printed, and erases it.
///
/// The cursor stays in the last line of the area. Only three escapes are needed, which every terminal of the last forty years knows:
/// up, right, and erase to the end of the screen.
struct AreaPainter {
    private var shown: AreaImage?

    /// The area is no longer where it was drawn.
    mutating func forget() { shown = nil }

    /// Returns what erases the area, for a terminal that has `columns` columns by now.
    mutating func erase(columns: Int) -> String {
        guard let image = shown else { return "" }
        shown = nil
        // A terminal that has become narrower has broken its lines.
        let columns = max(1, columns)
        let rows = image.widths.map { max(1, ($0 + columns - 1) / columns) }
        let last = min((image.cursor ?? image.widths.last ?? 0) / columns, (rows.last ?? 1) - 1)
        let above = rows.dropLast().reduce(last, +)
        return "\r" + (above > 0 ? "\u{1B}[\(above)A" : "") + "\u{1B}[J"
    }

    /// Returns what draws the area where there is none.
    mutating func draw(_ image: AreaImage) -> String {
        guard !image.lines.isEmpty else { return "" }
        shown = image
        var text = image.lines.joined(separator: "\n")
        if let cursor = image.cursor, cursor < image.widths.last ?? 0 {
            text += "\r" + (cursor > 0 ? "\u{1B}[\(cursor)C" : "")
        }
        return text
    }

    /// Returns what draws `image` in place of what is shown; nothing if it is the same.
    mutating func redraw(_ image: AreaImage, columns: Int) -> String {
        if image == shown ?? AreaImage() { return "" }
        return erase(columns: columns) + draw(image)
    }
}
