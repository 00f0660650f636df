/// Rows of text under headings, each column as wide as it needs to be.
public struct Table: Sendable {
    private let headings: [String]
    private let widest: Int
    private var rows: [[(text: String, style: Style)]] = []

    /// Creates a table without rows.
    ///
    /// - Parameters:
    ///   - headings: One for each column.
    ///   - widest: The most columns of a terminal that one column of the table takes, the last one apart.
    public init(_ headings: [String], widest: Int = 24) {
        self.headings = headings
        self.widest = widest
    }

    /// Adds a row, with a text for each heading.
    public mutating func add(_ row: [(text: String, style: Style)]) { rows.append(row) }

    /// The headings and the rows.
    public var lines: [StyledLine] {
        var widths = headings.map(DisplayWidth.columns(of:))
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], min(widest, DisplayWidth.columns(of: DisplayWidth.safe(cell.text))))
            }
        }
        return [Self.line(headings.map { ($0, .dim) }, widths)] + rows.map { Self.line($0, widths) }
    }

    private static func line(_ row: [(text: String, style: Style)], _ widths: [Int]) -> StyledLine {
        var line = StyledLine()
        for (index, cell) in row.enumerated() {
            if index < row.count - 1 {
                line.add(cell.text, columns: widths[index], cell.style)
            } else {
                line.add(cell.text, cell.style)
            }
        }
        return line
    }
}
