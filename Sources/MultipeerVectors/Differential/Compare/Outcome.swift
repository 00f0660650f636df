/// What came of asking both.
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
    /// What this implementation says.
    var own: JSONValue
    /// What the other says.
    var other: JSONValue
}
