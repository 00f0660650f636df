/// All results of a run.
public struct ConformanceReport: Sendable {
    /// In the order in which they were played.
    public let results: [CaseResult]

    /// Joins results.
    public init(results: [CaseResult]) { self.results = results }

    /// How many had this verdict.
    public func count(_ verdict: CaseResult.Verdict) -> Int { results.filter { $0.verdict == verdict }.count }

    /// Whether every case that applies was passed, and there was one.
    public var isPassed: Bool { troubles.isEmpty && count(.passed) > 0 }

    /// What keeps the run from being passed, in the order in which it was played.
    public var troubles: [CaseResult] { results.filter { $0.verdict == .failed || $0.verdict == .inconclusive } }

    /// The last line of every run. Cases that say nothing are counted where there are any.
    public var summary: String {
        let inconclusive = count(.inconclusive)
        return "\(count(.passed)) passed, \(count(.failed)) failed, \(count(.skipped)) skipped"
            + (inconclusive == 0 ? "" : ", \(inconclusive) inconclusive")
    }

    /// What continuous integration reads. A case that says nothing is an error, not a failure.
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

    /// Text that is data in XML 1.0, where most control characters cannot stand at all.
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
    /// As it stands in reports.
    public var line: String { "\(direction.rawValue) \(text)" }
}
