import MultipeerCommandLine
import MultipeerTerminal

/// The result of a check, as `multipeer doctor` reports it.
struct CheckReport: Report {
    let result: CheckResult
    let marks: Marks

    var members: [(String, JSON)] {
        [
            ("event", .string("check")), ("check", .string(result.name.rawValue)),
            ("finding", .string(result.finding.rawValue)), ("seen", .string(result.seen)),
            (
                "issues",
                .array(
                    result.issues.map { issue in
                        .object([
                            ("finding", .string(issue.finding.rawValue)), ("reason", .string(issue.reason)),
                            ("why", .string(issue.why)), ("remedy", .string(issue.remedy)),
                        ])
                    })
            ),
        ]
    }

    func text(_ palette: Palette) -> String {
        let name = result.name.rawValue
        let width = CheckName.allCases.map(\.rawValue.count).max() ?? 0
        let padding = String(repeating: " ", count: width - name.count)
        let head = "\(marks.coloured(result.finding, palette)) \(palette.bold(name))\(padding)  \(result.seen)"
        let indent = String(repeating: " ", count: 4)
        return result.issues.reduce(head) { text, issue in
            text + "\n\(indent)\(marks.coloured(issue.finding, palette)) \(issue.reason)"
                + "\n\(indent)  \(palette.dim("why:")) \(issue.why)\n\(indent)  \(palette.bold("remedy:")) \(issue.remedy)"
        }
    }
}

/// What all checks come to.
struct Diagnosis: Report {
    private(set) var checks = 0
    private(set) var problems = 0
    private(set) var warnings = 0

    mutating func add(_ result: CheckResult) {
        checks += 1
        problems += result.issues.count { $0.finding == .problem }
        warnings += result.issues.count { $0.finding == .warning }
    }

    var status: ExitStatus { problems == 0 ? .done : .found }

    var members: [(String, JSON)] {
        [
            ("event", .string("diagnosis")), ("checks", .integer(UInt64(checks))),
            ("problems", .integer(UInt64(problems))), ("warnings", .integer(UInt64(warnings))),
        ]
    }

    func text(_ palette: Palette) -> String {
        let counts = "\(Self.count(problems, "problem")), \(Self.count(warnings, "warning"))"
        return "\(Self.count(checks, "check")): " + (problems == 0 ? palette.green(counts) : palette.red(counts))
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

/// The signs before results: plain ASCII where the terminal is not said to show UTF-8.
struct Marks: Sendable, Equatable {
    let isUTF8: Bool

    /// The marks for the locale of this process.
    static var ofLocale: Marks { Marks(isUTF8: TextLocale.current.isUTF8) }

    func mark(_ finding: Finding) -> String {
        switch finding {
        case .good: isUTF8 ? "✔" : "+"
        case .warning: "!"
        case .problem: isUTF8 ? "✘" : "x"
        case .skipped: isUTF8 ? "–" : "-"
        }
    }

    func coloured(_ finding: Finding, _ palette: Palette) -> String {
        let mark = mark(finding)
        return switch finding {
        case .good: palette.green(mark)
        case .warning: palette.yellow(mark)
        case .problem: palette.red(mark)
        case .skipped: palette.dim(mark)
        }
    }
}

/// What the environment says of language and characters (POSIX, XBD 8.2).
struct TextLocale: Sendable, Equatable {
    /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that says something.
    let name: String?

    static var current: TextLocale {
        TextLocale(name: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Environment[$0] }.first { !$0.isEmpty })
    }

    var isUTF8: Bool {
        let name = name?.lowercased() ?? ""
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8") || name.contains("utf-8@") || name.contains("utf8@")
    }
}
