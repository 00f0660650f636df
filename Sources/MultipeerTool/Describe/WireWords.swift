import MultipeerWire

extension WireError {
    /// What is wrong, in a clause.
    var words: String {
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

extension RecordFault {
    /// What is wrong, in a clause.
    var words: String {
        switch self {
        case .malformed(let error): error.words
        case .unexpectedKind(let kind): "a record of kind \(kind.name) is out of order"
        case .limitExceeded: "there are more bytes than the limits allow"
        }
    }

    /// The error of SPEC §18.
    var code: CloseCode {
        switch self {
        case .malformed(let error): error.closeCode
        case .unexpectedKind: .unexpectedRecord
        case .limitExceeded: .limitExceeded
        }
    }
}
