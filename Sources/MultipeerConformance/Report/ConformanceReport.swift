/// All results of a run.
public struct ConformanceReport: Sendable {
    /// In the order in which they were played.
    public let results: [CaseResult]

    /// Creates a report of these results.
    public init(results: [CaseResult]) { self.results = results }

    /// Returns how many cases have this verdict.
    public func count(_ verdict: CaseResult.Verdict) -> Int { results.filter { $0.verdict == verdict }.count }

    /// Whether every case that applies passed, and at least one did.
    public var isPassed: Bool { troubles.isEmpty && count(.passed) > 0 }

    /// The cases that keep the run from passing, in the order of play.
    public var troubles: [CaseResult] { results.filter { $0.verdict == .failed || $0.verdict == .inconclusive } }

    /// The last line of every run. It counts inconclusive cases only if there are any.
    public var summary: String {
        let inconclusive = count(.inconclusive)
        return "\(count(.passed)) passed, \(count(.failed)) failed, \(count(.skipped)) skipped"
            + (inconclusive == 0 ? "" : ", \(inconclusive) inconclusive")
    }

    /// The report as JUnit XML, for continuous integration. An inconclusive case is an error, not a failure.
    public var junit: String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append(
            "<testsuite name=\"multipeer conformance\" tests=\"\(results.count)\" failures=\"\(count(.failed))\" "
                + "errors=\"\(count(.inconclusive))\" skipped=\"\(count(.skipped))\">")
        lines += results.map(Self.junit)
        return (lines + ["</testsuite>"]).joined(separator: "\n") + "\n"
    }

    private static func junit(_ result: CaseResult) -> String {
        let (seconds, attoseconds) = result.duration.components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        let time = "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
        let section = String(result.conformanceCase.id.prefix { $0 != "-" })
        let head =
            "  <testcase classname=\"SPEC §\(section)\" name=\"\(xml(result.conformanceCase.id))\" time=\"\(time)\""
        let element: String
        switch result.verdict {
        case .passed: return head + "/>"
        case .skipped: return head + "><skipped message=\"\(xml(result.came))\"/></testcase>"
        case .failed: element = "failure"
        case .inconclusive: element = "error"
        }
        let details = (["expected: \(result.conformanceCase.expectation)"] + result.trace.map(\.line))
            .joined(separator: "\n")
        return head + "><\(element) message=\"\(xml(result.came))\">\(xml(details))</\(element)></testcase>"
    }

    /// Escapes text for XML 1.0, which does not allow most control characters.
    private static func xml(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "\n"
            case "\u{00}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension TraceLine {
    /// The line as reports show it.
    public var line: String { "\(direction.rawValue) \(text)" }
}
