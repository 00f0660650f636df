import MultipeerCommandLine
import MultipeerWire

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
