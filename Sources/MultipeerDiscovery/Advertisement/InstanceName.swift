/// A name of a service, and the ones that are tried where it is taken (SPEC §23.1).
struct InstanceName {
    /// The most bytes of a name.
    static let maximumLength = 63
    /// How many names are tried.
    static let attempts = 100

    private let base: String
    private var number = 1

    init(_ base: String) { self.base = base }

    /// The name that is tried now.
    var text: String {
        guard number > 1 else { return base }
        let ending = " (\(number))"
        return Self.beginning(of: base, Self.maximumLength - ending.utf8.count) + ending
    }

    /// The name is taken. Returns false if enough were tried.
    mutating func next() -> Bool {
        number += 1
        return number <= Self.attempts
    }

    /// The first characters of a text, in at most so many bytes.
    private static func beginning(of text: String, _ count: Int) -> String {
        var end = text.startIndex
        var length = 0
        while end < text.endIndex {
            length += text[end].utf8.count
            guard length <= count else { break }
            end = text.index(after: end)
        }
        return String(text[..<end])
    }
}
