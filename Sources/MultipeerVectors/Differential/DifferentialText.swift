/// The results of a run as text and JSON.
extension DifferentialReport {
    /// Every finding, the counts, and the summary in the last line.
    public var text: String {
        var lines = findings.flatMap(lines(of:))
        for (group, counts) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append(
                "\(group.rawValue): \(counts.compared) compared, \(counts.different) different, \(counts.skipped) skipped"
            )
        }
        if wasGivenUp { lines.append("given up: the other implementation does not answer at all") }
        let rate = Double(total.compared) / max(duration / .seconds(1), 0.001)
        lines.append("\(Int(rate)) a second, seed \(settings.seed)")
        return (lines + [summary]).joined(separator: "\n") + "\n"
    }

    private func lines(of finding: Finding) -> [String] {
        var lines = [
            "DIFFERENT \(finding.group.rawValue): \(finding.kind) (\(finding.count) cases)",
            "    again: \(arguments(of: finding))", "    params: \(JSONWriter.line(finding.params))",
        ]
        if let inputs = finding.inputs { lines.append("    inputs: \(JSONWriter.line(inputs))") }
        for step in finding.steps ?? [] { lines.append("    step: \(JSONWriter.line(step))") }
        for record in finding.records { lines.append("    holds: \(record)") }
        lines.append("    this implementation: \(JSONWriter.line(finding.own))")
        lines.append("    the other: \(JSONWriter.line(finding.other))")
        return lines
    }

    /// Options that make a finding's case again.
    public func arguments(of finding: Finding) -> String {
        let groups = (settings.groups ?? []).map(\.rawValue).sorted().map { " --group \($0)" }.joined()
        return "--seed \(settings.seed) --first \(finding.number) --count 1" + groups
    }

    /// The whole run as JSON.
    public var json: JSONValue {
        [
            "seed": .string(String(settings.seed)), "first": .integer(settings.first),
            "milliseconds": .integer(Int(duration / .milliseconds(1))),
            "compared": .integer(total.compared), "agreed": .integer(total.agreed),
            "different": .integer(total.different), "skipped": .integer(total.skipped), "givenUp": .bool(wasGivenUp),
            "groups": .object(
                Dictionary(
                    uniqueKeysWithValues: counts.map { group, counts in
                        (
                            group.rawValue,
                            [
                                "compared": .integer(counts.compared), "different": .integer(counts.different),
                                "skipped": .integer(counts.skipped),
                            ]
                        )
                    })),
            "findings": .array(findings.map(json(of:))),
        ]
    }

    private func json(of finding: Finding) -> JSONValue {
        .members([
            "group": .string(finding.group.rawValue), "kind": .string(finding.kind),
            "number": .integer(finding.number), "cases": .integer(finding.count),
            "again": .string(arguments(of: finding)), "params": finding.params, "inputs": finding.inputs,
            "steps": finding.steps.map(JSONValue.array),
            "records": finding.steps == nil ? nil : .array(finding.records.map(JSONValue.string)), "own": finding.own,
            "other": finding.other,
        ])
    }
}
