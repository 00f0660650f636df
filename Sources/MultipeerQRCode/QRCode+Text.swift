extension QRCode {
    /// How the squares are drawn.
    public enum Drawing: Sendable {
        /// Black on white by escape sequences, two rows a line: for terminals with colours, whatever their own are.
        case colours
        /// Block characters, two rows a line, light where the terminal is light: for dark terminals without colours.
        case blocks
        /// Two number signs a light square, in ASCII, for dark terminals that know nothing else.
        case ascii
    }

    /// The light squares that ISO/IEC 18004 wants around the code. Readers of today do with one.
    public static let usualMargin = 4

    /// How many columns of a terminal the code takes.
    /// - Parameters:
    ///   - drawing: How the squares are drawn.
    ///   - margin: The light squares at each edge.
    public func columns(_ drawing: Drawing, margin: Int = usualMargin) -> Int {
        let side = width + 2 * margin
        return drawing == .ascii ? 2 * side : side
    }

    /// How many rows of a terminal the code takes.
    /// - Parameters:
    ///   - drawing: How the squares are drawn.
    ///   - margin: The light squares at each edge.
    public func rows(_ drawing: Drawing, margin: Int = usualMargin) -> Int {
        let side = width + 2 * margin
        return drawing == .ascii ? side : (side + 1) / 2
    }

    /// The lines of the code, with its margin and without line ends.
    /// - Parameters:
    ///   - drawing: How the squares are drawn.
    ///   - margin: The light squares at each edge.
    public func lines(_ drawing: Drawing, margin: Int = usualMargin) -> [String] {
        let places = -margin..<width + margin
        return switch drawing {
        case .ascii:
            places.map { row in places.map { isDark(row: row, column: $0) ? "  " : "##" }.joined() }
        case .blocks, .colours:
            stride(from: places.lowerBound, to: places.upperBound, by: 2).map { row in
                let line = places.map { block(row, $0, isInverted: drawing == .colours) }.joined()
                return drawing == .colours ? "\u{1B}[30;107m" + line + "\u{1B}[0m" : line
            }
        }
    }

    /// Two squares, one above the other. What is drawn is light, or dark on a light ground.
    private func block(_ row: Int, _ column: Int, isInverted: Bool) -> String {
        let (upper, lower) = (isDark(row: row, column: column), isDark(row: row + 1, column: column))
        return switch (upper == isInverted, lower == isInverted) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
    }
}
