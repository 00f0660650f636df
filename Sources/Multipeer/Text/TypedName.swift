/// What a name means that a person has typed. Neither case nor the form of Unicode matters, unless a name is exactly as it was typed.
package enum TypedName {
    /// Those that have exactly this name. Where nobody has, those whose names differ from it by case alone: they may be several.
    package static func meant<Named>(
        by text: String, among all: [Named], names: (Named) -> [String]
    ) -> [Named] {
        // Swift compares strings by what they mean, whatever form they are in.
        let exact = all.filter { names($0).contains(text) }
        return exact.isEmpty ? all.filter { names($0).contains { isSame($0, text) } } : exact
    }

    /// Whether a name differs from what was typed by case at most.
    package static func isSame(_ name: String, _ text: String) -> Bool { name.lowercased() == text.lowercased() }
}
