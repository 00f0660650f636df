import MultipeerCommandLine
import MultipeerTerminal

/// How good or bad the result of a check is.
enum Finding: String, Sendable, Comparable {
    case good, skipped, warning, problem

    /// A worse finding is a greater one.
    static func < (one: Finding, other: Finding) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .skipped: 0
        case .good: 1
        case .warning: 2
        case .problem: 3
        }
    }
}

/// The checks, in the order in which they are reported.
enum CheckName: String, Sendable, CaseIterable {
    case interfaces, multicast, daemon, ports, firewall, clock, certificates, store, peer, policy, terminal
}

/// Something that is not as it should be.
struct Issue: Sendable, Equatable {
    /// ``Finding/warning`` or ``Finding/problem``.
    let finding: Finding
    /// What is wrong, in a clause. It is safe for a terminal.
    let reason: String
    /// Why it matters, in a sentence.
    let why: String
    /// What a person can do, in a sentence.
    let remedy: String

    private init(_ finding: Finding, _ reason: String, why: String, remedy: String) {
        self.finding = finding
        self.reason = reason
        self.why = why
        self.remedy = remedy
    }

    static func problem(_ reason: String, why: String, remedy: String) -> Issue {
        Issue(.problem, reason, why: why, remedy: remedy)
    }

    static func warning(_ reason: String, why: String, remedy: String) -> Issue {
        Issue(.warning, reason, why: why, remedy: remedy)
    }

    /// A problem that a command would fail with.
    static func problem(_ failure: CommandFailure, why: String) -> Issue {
        Issue(.problem, failure.reason, why: why, remedy: failure.remedy)
    }
}

/// What a check has found.
struct CheckResult: Sendable, Equatable {
    let name: CheckName
    /// What was seen, in a clause. It is safe for a terminal.
    let seen: String
    /// What is not as it should be, the worst first.
    let issues: [Issue]
    let finding: Finding

    init(_ name: CheckName, _ seen: String, _ issues: [Issue] = []) {
        self.init(name, seen, issues, issues.map(\.finding).max() ?? .good)
    }

    private init(_ name: CheckName, _ seen: String, _ issues: [Issue], _ finding: Finding) {
        self.name = name
        self.seen = seen
        self.issues = issues.filter { $0.finding == .problem } + issues.filter { $0.finding != .problem }
        self.finding = finding
    }

    /// There was nothing to check, because of `reason`.
    static func skipped(_ name: CheckName, _ reason: String) -> CheckResult { CheckResult(name, reason, [], .skipped) }
}

/// One thing that `multipeer doctor` looks at.
protocol Check: Sendable {
    var name: CheckName { get }
    /// How long it may take.
    var limit: Duration { get }
    func run() async -> CheckResult
}

extension Check {
    var limit: Duration { .seconds(4) }
}

/// A check that looks at what this host has, by calls that may block.
protocol LocalCheck: Check {
    func look() -> CheckResult
}

extension LocalCheck {
    func run() async -> CheckResult { await Blocking.run(look) }
}

/// Calls that may block, each on a thread of its own.
enum Blocking {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            OwnThread.start { continuation.resume(returning: body()) }
        }
    }
}
