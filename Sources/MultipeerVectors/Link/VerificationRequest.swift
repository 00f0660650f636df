internal import MultipeerCrypto

/// What an app of scripts does about SPEC §25 (Vectors/README.md).
enum VerificationRequest {
    case showCode(OneTimeCode)
    case hideCode
    /// What a person typed; nil where it has no normal form.
    case giveCode(OneTimeCode?)
    case compareStrings
    /// The code that is shown is tried on another link.
    case otherBegins
    /// CODE_CONFIRM comes there.
    case otherConfirms
    /// That attempt is over.
    case otherEnds
    /// A code is typed for another link.
    case otherGives(OneTimeCode)
    /// CODE_CONFIRM goes there.
    case otherBurns

    /// Nil if the step is about something else.
    init?(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("do") {
        case "showCode": self = .showCode(try Self.code(step))
        case "hideCode": self = .hideCode
        case "giveCode": self = .giveCode(OneTimeCode(typed: try step.text("code")))
        case "compareStrings": self = .compareStrings
        case "otherLink": self = try Self.other(step)
        default: return nil
        }
    }

    private static func other(_ step: Arguments) throws(SubjectFault) -> VerificationRequest {
        switch try step.text("happens") {
        case "begins": .otherBegins
        case "confirms": .otherConfirms
        case "ends": .otherEnds
        case "gives": .otherGives(try code(step))
        case "burns": .otherBurns
        default: throw .badQuestion("step.happens")
        }
    }

    private static func code(_ step: Arguments) throws(SubjectFault) -> OneTimeCode {
        guard let code = OneTimeCode(typed: try step.text("code")) else { throw .badQuestion("step.code") }
        return code
    }
}
