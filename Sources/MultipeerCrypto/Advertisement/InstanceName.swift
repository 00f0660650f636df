/// A name of a service, and the ones that are tried where it is taken (SPEC §23.1).
package struct InstanceName {
    /// The most bytes of a name.
    static let maximumLength = 63
    /// How many names are tried.
    static let attempts = 100

    private let base: String
    private var number = 1

    package init(_ base: String) { self.base = base }

    /// The name that is tried now.
    package var text: String {
        guard number > 1 else { return base }
        let ending = " (\(number))"
        return Self.beginning(of: base, Self.maximumLength - ending.utf8.count) + ending
    }

    /// The name is taken. Returns false if enough were tried.
    package mutating func next() -> Bool {
        number += 1
        return number <= Self.attempts
    }

    /// The first code points of a text, in at most `count` bytes.
    private static func beginning(of text: String, _ count: Int) -> String {
        var beginning = String.UnicodeScalarView()
        var length = 0
        for character in text.unicodeScalars {
            length += UTF8.width(character)
            guard length <= count else { break }
            beginning.append(character)
        }
        return String(beginning)
    }
}
