/// The result of asking both implementations.
enum FuzzOutcome: Equatable {
    case agreed
    /// The question cannot be asked, or an implementation lacks what it is about.
    case skipped
    case different(Difference)
}

/// How two answers differ.
struct Difference: Equatable {
    /// The same for differences that may have the same reason; shrinking keeps it.
    var kind: String
    /// The answer of this implementation.
    var own: JSONValue
    /// The answer of the other implementation.
    var other: JSONValue
}
