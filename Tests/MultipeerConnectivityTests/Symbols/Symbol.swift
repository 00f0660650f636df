import MultipeerConnectivity
import Testing

/// One public symbol, in a use that compiles only if it has the type that code for Apple's framework gives it.
struct Symbol {
    let name: String

    /// - Parameter use: The symbol, coerced to its type.
    init<Use>(_ name: String, _ use: Use) {
        self.name = name
    }

    /// A property that only the framework sets.
    static func readOnly<Root, Value>(_ name: String, _ path: KeyPath<Root, Value>) -> Symbol {
        #expect(!(path is ReferenceWritableKeyPath<Root, Value>), "\(name) can be set")
        return Symbol(name, path)
    }

    /// A case and its number.
    static func value<Case: RawRepresentable & Equatable>(_ name: String, _ value: Case, _ raw: Int) -> Symbol
    where Case.RawValue == Int {
        #expect(value.rawValue == raw && Case(rawValue: raw) == value, "\(name)")
        return Symbol("\(name)=\(raw)", value)
    }
}
