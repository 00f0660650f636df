/// The result of a case.
public enum CaseVerdict: Equatable, Sendable {
    case passed
    /// The expected answer and the actual one differ.
    case failed(String)
    /// The case was not run or does not count, for this reason.
    case skipped(String)
    /// There was no answer in time.
    case hang
    /// The implementation ended, or wrote something that is not an answer.
    case fault(String)

    /// Whether the run fails because of it.
    public var isFailure: Bool {
        switch self {
        case .passed, .skipped: false
        case .failed, .hang, .fault: true
        }
    }

    /// One word for reports.
    public var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        case .hang: "HANG"
        case .fault: "FAULT"
        }
    }

    /// More than the word.
    public var detail: String {
        switch self {
        case .passed: ""
        case .failed(let text), .skipped(let text), .fault(let text): text
        case .hang: "no answer in time"
        }
    }
}

/// A case and its result.
public struct CaseResult: Equatable, Sendable {
    public let id: String
    public let file: String
    public let comment: String
    public let verdict: CaseVerdict
}

/// The results of a run.
public struct RunReport: Sendable {
    /// In the order of the files.
    public var results: [CaseResult] = []
    /// Exceptions that no failing case needed.
    public var unusedExceptions: [String] = []

    public var passed: Int { results.count { $0.verdict == .passed } }
    public var failed: Int { results.count { $0.verdict.isFailure } }
    public var skipped: Int { results.count - passed - failed }

    /// The last line of every run.
    public var summary: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
}
