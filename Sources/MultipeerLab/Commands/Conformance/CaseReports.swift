import Multipeer
import MultipeerCommandLine
import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerTerminal

/// A case that was played.
struct PlayedCase: Report {
    let result: CaseResult
    let showsTrace: Bool

    var members: [(String, JSON)] { ConformanceJSON.members(result) }

    func text(_ palette: Palette) -> String {
        let head =
            "\(result.verdict.word(palette)) \(palette.bold(result.conformanceCase.id)) \(result.conformanceCase.title)"
        switch result.verdict {
        case .skipped: return head + ": " + SafeText.escape(result.came)
        case .passed where !showsTrace: return head
        case .passed, .failed, .inconclusive: return ([head] + details).joined(separator: "\n")
        }
    }

    private var details: [String] {
        let asked = result.conformanceCase
        return [
            "    asked by:  \(asked.requirements.joined(separator: ", ")) (\(asked.level.rawValue))",
            "    expected:  \(asked.expectation)", "    came:      \(SafeText.escape(result.came))",
        ] + result.trace.map { "      \(SafeText.escape($0.line))" }
    }
}

/// A case that `--list` shows.
struct ListedCase: Report {
    let conformanceCase: ConformanceCase

    var members: [(String, JSON)] { ConformanceJSON.members(conformanceCase) }

    func text(_ palette: Palette) -> String {
        "\(palette.bold(conformanceCase.id)) \(conformanceCase.title) "
            + palette.dim(
                "(\(conformanceCase.requirements.joined(separator: ", ")), \(conformanceCase.level.rawValue))")
    }
}

extension CaseResult.Verdict {
    fileprivate func word(_ palette: Palette) -> String {
        switch self {
        case .passed: palette.green("passed")
        case .failed: palette.red("FAILED")
        case .skipped: palette.dim("skipped")
        case .inconclusive: palette.yellow("INCONCLUSIVE")
        }
    }
}

/// The last line, and above it once more what was not passed, which may be hundreds of lines up.
struct ReportSummary: Report {
    let report: ConformanceReport

    var members: [(String, JSON)] { ConformanceJSON.counts(report) }

    func text(_ palette: Palette) -> String {
        let troubles = report.troubles.map { result in
            "  \(result.verdict.word(palette)) \(palette.bold(result.conformanceCase.id)): \(SafeText.escape(result.came))"
        }
        return ((troubles.isEmpty ? [] : ["Not passed:"] + troubles) + [report.summary]).joined(separator: "\n")
    }
}

/// Results as JSON.
enum ConformanceJSON {
    static func text(_ report: ConformanceReport, _ peer: PeerOptions) -> String {
        JSON.object(
            [
                ("schema", .string("conformance-v1")), ("specVersion", .string("1-draft-02")),
                ("tester", .string(peer.role.rawValue)), ("peer", .string(peer.profile.invitations.rawValue)),
            ] + counts(report) + [("results", .array(report.results.map { .object(members($0)) }))]
        ).line + "\n"
    }

    static func counts(_ report: ConformanceReport) -> [(String, JSON)] {
        CaseResult.Verdict.allCases.map { ($0.rawValue, .integer(UInt64(report.count($0)))) }
    }

    static func members(_ conformanceCase: ConformanceCase) -> [(String, JSON)] {
        [
            ("id", .string(conformanceCase.id)), ("title", .string(conformanceCase.title)),
            ("requirements", .array(conformanceCase.requirements.map(JSON.string))),
            ("level", .string(conformanceCase.level.rawValue)), ("expected", .string(conformanceCase.expectation)),
        ]
    }

    static func members(_ result: CaseResult) -> [(String, JSON)] {
        let (seconds, attoseconds) = result.duration.components
        let milliseconds = UInt64(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        return members(result.conformanceCase) + [
            ("verdict", .string(result.verdict.rawValue)), ("came", .string(result.came)),
            ("milliseconds", .integer(milliseconds)), ("trace", .array(result.trace.map { .string($0.line) })),
        ]
    }
}
