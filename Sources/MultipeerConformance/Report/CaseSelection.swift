/// Which cases are played.
public struct CaseSelection: Sendable {
    /// Beginnings of IDs, or patterns with `*`. An empty list selects all.
    public var patterns: [String] = []
    /// Whether to play cases about what SPEC.md only recommends.
    public var includesShould = false
    /// Whether to play cases that wait for deadlines of a minute.
    public var includesSlow = false

    /// Selects everything that SPEC.md requires (MUST), except cases with long waits.
    public init() {}

    /// Returns whether a case is selected. A case that is named by its full ID always is.
    public func contains(_ conformanceCase: ConformanceCase) -> Bool {
        if patterns.contains(conformanceCase.id) { return true }
        guard patterns.isEmpty || patterns.contains(where: { Self.matches(conformanceCase.id, $0) }) else {
            return false
        }
        guard includesShould || conformanceCase.level == .must else { return false }
        switch conformanceCase.waits {
        case .none, .handshake, .ping, .silence, .attempt: return true
        case .invitation, .certificates, .answer: return includesSlow
        }
    }

    /// Returns whether `text` begins with `pattern`, or matches it as a whole if the pattern has stars.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text.hasPrefix(pattern) }
        var rest = text[...]
        for (index, part) in parts.enumerated() {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let found = Self.range(of: part, in: rest) else { return false }
                rest = rest[found...]
            }
        }
        return true
    }

    /// Where `part` ends for the first time in `text`.
    private static func range(of part: Substring, in text: Substring) -> Substring.Index? {
        var start = text.startIndex
        while true {
            if text[start...].hasPrefix(part) { return text.index(start, offsetBy: part.count) }
            guard start < text.endIndex else { return nil }
            start = text.index(after: start)
        }
    }
}
