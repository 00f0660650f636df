import MultipeerWire

extension WireError {
    /// What is wrong, in a clause.
    package var words: String {
        let what =
            switch reason {
            case .truncated: "ends too early"
            case .nonMinimalInteger: "is longer than it needs to be"
            case .lengthOutOfRange: "has a length out of range"
            case .trailingBytes: "has bytes left over after it"
            case .valueOutOfRange: "has a value out of range"
            case .notAscending: "has a duplicate entry or one out of order"
            case .illFormedText: "is not well-formed UTF-8"
            case .unknownCritical: "has an unknown value that must be understood"
            }
        return "the field \(field) \(what)"
    }
}
