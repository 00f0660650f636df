/// What must hold did not: a finding, though nothing crashed.
public struct OracleFailure: Error, CustomStringConvertible {
    /// What must hold, and what was seen.
    public let description: String

    /// Names the oracle.
    public init(_ description: String) {
        self.description = description
    }
}

/// Fails unless `condition` holds.
public func require(_ condition: Bool, _ claim: @autoclosure () -> String) throws(OracleFailure) {
    if !condition { throw OracleFailure(claim()) }
}

/// Fails unless both are equal, and shows them.
public func requireEqual<Value: Equatable>(
    _ seen: Value, _ expected: Value, _ claim: @autoclosure () -> String
) throws(OracleFailure) {
    if seen != expected { throw OracleFailure("\(claim()): \(seen), and not \(expected)") }
}
