/// The results of a run as text, JSON and JUnit XML.
extension RunReport {
    /// Every failure and every skipped case, and the summary in the last line.
    public var text: String {
        var lines = results.filter(\.verdict.isFailure).map { result in
            "\(result.verdict.word) \(result.id) (\(result.file)): \(result.comment)\n    \(result.verdict.detail)"
        }
        lines += results.filter { !$0.verdict.isFailure && $0.verdict != .passed }.map { result in
            "skipped \(result.id): \(result.verdict.detail)"
        }
        lines += unusedExceptions.map { "unused exception \($0): no case that it names fails" }
        return (lines + [summary]).joined(separator: "\n") + "\n"
    }

    /// All results.
    public var json: JSONValue {
        [
            "passed": .integer(passed), "failed": .integer(failed), "skipped": .integer(skipped),
            "unusedExceptions": .array(unusedExceptions.map(JSONValue.string)),
            "results": .array(
                results.map {
                    [
                        "id": .string($0.id), "file": .string($0.file), "comment": .string($0.comment),
                        "verdict": .string($0.verdict.word), "detail": .string($0.verdict.detail),
                    ]
                }),
        ]
    }

    /// The results as JUnit XML, for continuous integration.
    public var junit: String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append(
            "<testsuite name=\"multipeer vectors\" tests=\"\(results.count)\" failures=\"\(failed)\" skipped=\"\(skipped)\">"
        )
        for result in results {
            let head = "  <testcase classname=\"\(xml(result.file))\" name=\"\(xml(result.id))\""
            let detail = xml(result.verdict.detail)
            switch result.verdict {
            case .passed: lines.append(head + "/>")
            case .skipped: lines.append(head + "><skipped message=\"\(detail)\"/></testcase>")
            case .failed, .hang, .fault:
                lines.append(
                    head + "><failure type=\"\(result.verdict.word)\" message=\"\(detail)\"/></testcase>")
            }
        }
        return (lines + ["</testsuite>"]).joined(separator: "\n") + "\n"
    }

    private func xml(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{00}"..<"\u{20}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
