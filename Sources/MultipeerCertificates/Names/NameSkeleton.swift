public import MultipeerCrypto

/// What a name looks like: names with one skeleton are easily taken for each other.
///
/// The rule, in this order: compatibility forms become plain letters (full width, mathematical, circled, Roman numerals,
/// ligatures); letters of Cyrillic and Greek that look like Latin ones become those (`Confusables`); case is folded;
/// `0` becomes `o`, `1`, `i` and `|` become `l`, and `rn` becomes `m`; characters that nobody sees are dropped; white space
/// is trimmed, and runs of it become one space. Canonically equivalent strings are equal. Accents stay: José is not Jose.
///
/// This is smaller than the skeleton of Unicode Technical Standard #39, and also folds case. It finds more than it should
/// rather than less: `Ali` and `Ail` are alike. A match is a question, and never a proof.
public struct NameSkeleton: Hashable, Sendable {
    private let text: String

    /// Computes the skeleton of a name.
    public init(_ name: DisplayName) {
        var plain = String.UnicodeScalarView()
        for scalar in name.description.unicodeScalars {
            for letter in Confusables.latin(scalar) { plain.append(letter) }
        }
        // Upper case first: it joins the two forms of sigma, and writes ß as SS.
        let folded = Array(String(plain).uppercased().lowercased().unicodeScalars)
        var letters: [Unicode.Scalar] = []
        for (index, scalar) in folded.enumerated() {
            Self.add(scalar, before: index + 1 < folded.count ? folded[index + 1] : nil, to: &letters)
        }
        if letters.last == " " { letters.removeLast() }
        var view = String.UnicodeScalarView()
        for letter in letters { view.append(letter) }
        text = String(view)
    }

    private static func add(
        _ scalar: Unicode.Scalar, before next: Unicode.Scalar?, to letters: inout [Unicode.Scalar]
    ) {
        // A letter with an accent stays, so that it equals the same letter in one piece. The dot of İ is no accent.
        let hasAccent = next.map { $0 != dot && $0.properties.canonicalCombiningClass != .notReordered } ?? false
        switch scalar {
        case "0": letters.append("o")
        case "1", "|": letters.append("l")
        case "i" where !hasAccent: letters.append("l")
        case dot where letters.last == "l": break
        case "n" where letters.last == "r" && !hasAccent: letters[letters.count - 1] = "m"
        case _ where scalar.properties.isWhitespace:
            if let last = letters.last, last != " " { letters.append(" ") }
        case _ where scalar.properties.isDefaultIgnorableCodePoint: break
        default: letters.append(scalar)
        }
    }

    /// COMBINING DOT ABOVE, which case folding leaves of İ.
    private static let dot: Unicode.Scalar = "\u{307}"
}
