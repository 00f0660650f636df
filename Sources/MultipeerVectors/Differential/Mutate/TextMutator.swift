/// Changes of names: ill-formed UTF-8, code points that SPEC §4.2 forbids, and all that §15.5 looks at.
enum TextMutator {
    private static let pieces: [[UInt8]] =
        [
            "\u{00}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}", "\u{2027}", "\u{2028}", "\u{202E}", "\u{202F}",
            "\u{2065}", "\u{2066}", "\u{2069}", "\u{206A}", "\u{200F}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}",
            "\u{10FFFF}",
            "\u{E000}", "\u{D7FF}", "e\u{301}", "\u{1F469}\u{200D}\u{1F680}", "ſ", "ı", "K", "\u{B9}", "\u{B2}",
            "\u{B3}", "\u{2074}", "/", "\\", "..", ".", " ", "  ", "\u{3000}", ":", "*", "?", "\"", "<", ">", "|", "_",
            "CON", "con", "PRN", "aux", "NUL", "CONIN$", "CONOUT$", "COM1", "com\u{B9}", "LPT9", "LPT0", "COM", ".txt",
            " .txt", ".tar.gz", "CON .a.b", "\r\n", "%2F", "~", "a", "é", "€",
        ].map { Array($0.utf8) } + [
            // Overlong, surrogates, beyond U+10FFFF, alone, cut off.
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x80], [0xBF], [0xC2], [0xE2, 0x80], [0xF0, 0x9F, 0x98],
        ]

    /// After one to six changes.
    static func mutated(_ bytes: [UInt8], others: [[UInt8]], _ dice: inout Dice) -> [UInt8] {
        var result = bytes
        for _ in 0..<dice.few() {
            let place = dice.below(result.count + 1)
            switch dice.below(8) {
            case 0: result.insert(contentsOf: others.isEmpty ? [] : dice.pick(others), at: place)
            case 1: result.removeSubrange(place..<min(result.count, place + 1 + dice.below(3)))
            case 2: result.insert(contentsOf: repeated(dice.pick(pieces), &dice), at: place)
            case 3: result += dice.pick(pieces)
            case 4: result = dice.pick(pieces) + result
            default: result.insert(contentsOf: dice.pick(pieces), at: place)
            }
        }
        return result
    }

    /// To one of the lengths that count: 63, 200 and 255 bytes, or one beside them.
    private static func repeated(_ piece: [UInt8], _ dice: inout Dice) -> [UInt8] {
        let length = dice.pick([32, 62, 63, 64, 199, 200, 201, 254, 255, 256])
        return Array(repeatElement(piece, count: length / piece.count + 1).joined().prefix(length))
    }
}
