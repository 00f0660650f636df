/// Characters that look like Latin letters.
///
/// Source: the facts of `confusables.txt` of Unicode Technical Standard #39 (version 15.1), as far as they are about letters
/// of Cyrillic and Greek and Latin letters, and the compatibility mappings of `UnicodeData.txt`. Capitals that look like a
/// Latin capital become its small letter, because skeletons fold case.
enum Confusables {
    /// What to read a character as.
    static func latin(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // ASCII is nearly everything.
        guard scalar.value >= 0x80 else { return [scalar] }
        if let letter = letters[scalar] { return [letter] }
        if let (base, accent) = accented[scalar] { return [letters[base] ?? base, accent] }
        if let ligature = ligatures[scalar] { return Array(ligature.unicodeScalars) }
        return [compatible(scalar) ?? scalar]
    }

    /// Ranges of compatibility forms in the order of the alphabet.
    private static func compatible(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let value = scalar.value
        return switch value {
        // Full width
        case 0xFF01...0xFF5E: Unicode.Scalar(value - 0xFF01 + 0x21)
        // Circled capitals and small letters
        case 0x24B6...0x24E9: letter((value - 0x24B6) % 26)
        // Mathematical letters: alphabets of capitals and small letters, without regard to the holes in them
        case 0x1D400...0x1D6A3: letter((value - 0x1D400) % 26)
        // Mathematical digits
        case 0x1D7CE...0x1D7FF: Unicode.Scalar(0x30 + (value - 0x1D7CE) % 10)
        // Regional indicators and squared capitals
        case 0x1F1E6...0x1F1FF: letter(value - 0x1F1E6)
        case 0x1F130...0x1F149: letter(value - 0x1F130)
        default: nil
        }
    }

    private static func letter(_ index: UInt32) -> Unicode.Scalar? { Unicode.Scalar(0x61 + index) }

    private static let ligatures: [Unicode.Scalar: String] = [
        "\u{FB00}": "ff", "\u{FB01}": "fi", "\u{FB02}": "fl", "\u{FB03}": "ffi", "\u{FB04}": "ffl",
        "\u{2161}": "ii", "\u{2162}": "iii", "\u{2163}": "iv", "\u{2165}": "vi", "\u{2166}": "vii",
        "\u{2171}": "ii", "\u{2172}": "iii", "\u{2173}": "iv", "\u{2175}": "vi", "\u{2176}": "vii",
        "\u{01C7}": "lj", "\u{01C8}": "lj", "\u{01C9}": "lj", "\u{01CA}": "nj", "\u{01CB}": "nj", "\u{01CC}": "nj",
    ]

    /// Letters of Cyrillic and Greek that Unicode has in one piece with an accent: the letter, and the accent.
    private static let accented: [Unicode.Scalar: (Unicode.Scalar, Unicode.Scalar)] = [
        "\u{0451}": ("\u{0435}", "\u{308}"), "\u{0401}": ("\u{0415}", "\u{308}"), "\u{0450}": ("\u{0435}", "\u{300}"),
        "\u{0457}": ("\u{0456}", "\u{308}"), "\u{0407}": ("\u{0406}", "\u{308}"), "\u{045E}": ("\u{0443}", "\u{306}"),
        "\u{04D1}": ("\u{0430}", "\u{306}"), "\u{04D3}": ("\u{0430}", "\u{308}"), "\u{04D2}": ("\u{0410}", "\u{308}"),
        "\u{04D7}": ("\u{0435}", "\u{306}"), "\u{04E7}": ("\u{043E}", "\u{308}"), "\u{04E6}": ("\u{041E}", "\u{308}"),
        "\u{04F1}": ("\u{0443}", "\u{308}"), "\u{03AC}": ("\u{03B1}", "\u{301}"), "\u{0386}": ("\u{0391}", "\u{301}"),
        "\u{03AD}": ("\u{03B5}", "\u{301}"), "\u{0388}": ("\u{0395}", "\u{301}"), "\u{03AE}": ("\u{03B7}", "\u{301}"),
        "\u{0389}": ("\u{0397}", "\u{301}"), "\u{03AF}": ("\u{03B9}", "\u{301}"), "\u{038A}": ("\u{0399}", "\u{301}"),
        "\u{03CA}": ("\u{03B9}", "\u{308}"), "\u{03CC}": ("\u{03BF}", "\u{301}"), "\u{038C}": ("\u{039F}", "\u{301}"),
        "\u{03CD}": ("\u{03C5}", "\u{301}"), "\u{03CB}": ("\u{03C5}", "\u{308}"), "\u{038E}": ("\u{03A5}", "\u{301}"),
    ]

    /// One letter each: first the Latin letter, then what looks like it, small and capital.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
        let rows: [(Unicode.Scalar, String)] = [
            ("a", "\u{0430}\u{0410}\u{03B1}\u{0391}\u{0251}\u{00AA}"),
            ("b", "\u{0412}\u{0432}\u{0392}\u{042C}\u{044C}\u{0184}"),
            ("c", "\u{0441}\u{0421}\u{03F2}\u{03F9}\u{217D}\u{216D}"),
            ("d", "\u{0501}\u{217E}\u{216E}"),
            ("e", "\u{0435}\u{0415}\u{0395}\u{03B5}\u{212E}\u{04BD}"),
            ("g", "\u{0261}\u{050D}"),
            ("h", "\u{04BB}\u{041D}\u{043D}\u{0397}\u{04A2}\u{210E}"),
            ("i", "\u{0456}\u{0406}\u{03B9}\u{0399}\u{0131}\u{04C0}\u{04CF}\u{217C}\u{216C}\u{2170}\u{2160}"),
            ("j", "\u{0458}\u{0408}\u{03F3}\u{037F}"),
            ("k", "\u{043A}\u{041A}\u{03BA}\u{039A}\u{212A}"),
            ("m", "\u{043C}\u{041C}\u{039C}\u{217F}\u{216F}"),
            ("n", "\u{03B7}\u{039D}\u{043F}\u{0578}"),
            ("o", "\u{043E}\u{041E}\u{03BF}\u{039F}\u{03C3}\u{0585}\u{00BA}\u{3007}"),
            ("p", "\u{0440}\u{0420}\u{03C1}\u{03A1}\u{03F1}"),
            ("q", "\u{051B}\u{051A}\u{0566}"),
            ("r", "\u{0433}"),
            ("s", "\u{0455}\u{0405}\u{017F}"),
            ("t", "\u{0442}\u{0422}\u{03C4}\u{03A4}"),
            ("u", "\u{03C5}\u{057D}"),
            ("v", "\u{03BD}\u{0475}\u{0474}\u{2174}\u{2164}"),
            ("w", "\u{051D}\u{051C}\u{0461}"),
            ("x", "\u{0445}\u{0425}\u{03C7}\u{03A7}\u{2179}\u{2169}"),
            ("y", "\u{0443}\u{0423}\u{03A5}\u{03B3}\u{04AF}\u{04AE}"),
            ("z", "\u{0396}"),
            ("3", "\u{0417}\u{0437}"),
        ]
        var letters: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (latin, others) in rows {
            for other in others.unicodeScalars { letters[other] = latin }
        }
        return letters
    }()
}
