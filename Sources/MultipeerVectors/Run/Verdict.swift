/// How a case went.
public enum CaseVerdict: Equatable, Sendable {
    case passed
    /// What was expected, and what came.
    case failed(String)
    /// Why it was not run, or does not count.
    case skipped(String)
    /// No answer in time.
    case hang
    /// The implementation ended, or wrote what is no answer.
    case fault(String)

    /// Whether the run as a whole fails by it.
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

/// One case and how it went.
public struct CaseResult: Equatable, Sendable {
    public let id: String
    public let file: String
    public let comment: String
    public let verdict: CaseVerdict
}

/// All cases of a run.
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
