/// Runs cases against an implementation, and compares the answers.
public struct VectorRunner {
    private let subject: any VectorSubject
    private let scripts: ScriptRunner
    private let associations: AssociationRunner
    private let nodes: NodeRunner
    private let paths: DatagramRunner
    private let exceptions: Exceptions

    /// - Parameters:
    ///   - subject: the implementation.
    ///   - exceptions: cases that are known to fail.
    public init(_ subject: any VectorSubject, exceptions: Exceptions = Exceptions([])) throws(SubjectFault) {
        self.subject = subject
        self.exceptions = exceptions
        let crypto: SwiftCrypto
        do { crypto = try SwiftCrypto() } catch { throw .fault("\(error)") }
        scripts = ScriptRunner(crypto: crypto)
        associations = AssociationRunner(crypto: crypto)
        nodes = NodeRunner(crypto: crypto)
        paths = DatagramRunner(crypto: crypto)
    }

    /// Runs all cases whose ID begins with `filter`.
    /// - Parameters:
    ///   - set: the files.
    ///   - filter: the beginning of an ID; empty for all.
    ///   - progress: Is called for every result.
    public func run(
        _ set: VectorSet, filter: String = "", progress: (CaseResult) -> Void = { _ in }
    ) -> RunReport {
        var report = RunReport()
        var used: Set<String> = []
        for (name, file) in set.files {
            for group in file.groups {
                for test in group.tests where filter.isEmpty || test.id.hasPrefix(filter) {
                    var verdict = verdict(test, in: group)
                    if verdict.isFailure, let exception = exceptions.exception(for: test.id) {
                        used.insert(exception.id)
                        verdict = .skipped("exception: \(exception.reason) (\(verdict.word) \(verdict.detail))")
                    }
                    let result = CaseResult(id: test.id, file: name, comment: test.comment, verdict: verdict)
                    report.results.append(result)
                    progress(result)
                }
            }
        }
        if filter.isEmpty { report.unusedExceptions = exceptions.ids.filter { !used.contains($0) } }
        return report
    }

    /// Runs one case.
    func verdict(_ test: VectorTest, in group: VectorGroup) -> CaseVerdict {
        do throws(SubjectFault) {
            let missing = try subject.lacking(test.features)
            guard missing.isEmpty else { return .skipped("lacks " + missing.joined(separator: ", ")) }
            switch group.type {
            case .linkScript: return try scripts.run(test, params: group.params, on: subject)
            case .session: return try SessionRunner(scripts: scripts).run(test, params: group.params, on: subject)
            case .associationScript: return try associations.run(test, params: group.params, on: subject)
            case .nodeScript: return try nodes.run(test, params: group.params, on: subject)
            case .datagramScript: return try paths.run(test, params: group.params, on: subject)
            default: return try compare(test, in: group)
            }
        } catch {
            switch error {
            case .hang: return .hang
            case .fault(let text): return .fault(text)
            case .unimplemented: return .skipped("unimplemented")
            case .badQuestion(let text): return .failed("the vector lacks \(text)")
            case .inconsistent(let text): return .failed(text)
            }
        }
    }

    private func compare(_ test: VectorTest, in group: VectorGroup) throws(SubjectFault) -> CaseVerdict {
        let answer = try subject.test(group.type, params: group.params, inputs: test.inputs)
        switch (answer, test.result) {
        case (.unimplemented, _): return .skipped("unimplemented")
        case (.accepted(let expected), .accept), (.incomplete(let expected), .incomplete):
            return difference(expected, test.expected)
        case (.rejected(let layer, let code, let expected), .reject(let ownLayer, let ownCode, _)):
            guard layer == ownLayer, code == ownCode else {
                return .failed("expected \(ownLayer)/\(ownCode), got \(layer)/\(code)")
            }
            return difference(expected, test.expected)
        default: return .failed("expected \(test.result.word), got \(answer.word)")
        }
    }

    private func difference(_ got: JSONValue, _ expected: JSONValue) -> CaseVerdict {
        for (key, value) in (expected.members ?? [:]).sorted(by: { $0.key < $1.key }) where got[key] != value {
            let came = got[key].map(JSONWriter.line) ?? "nothing"
            return .failed("\(key): expected \(JSONWriter.line(value).shortened), got \(came.shortened)")
        }
        return .passed
    }
}

extension VectorResult {
    /// The text for messages.
    var word: String {
        switch self {
        case .accept: "accept"
        case .incomplete: "incomplete"
        case .reject(let layer, let code, _): "reject \(layer)/\(code)"
        }
    }
}

extension SubjectAnswer {
    /// The text for messages.
    var word: String {
        switch self {
        case .accepted: "accept"
        case .incomplete: "incomplete"
        case .rejected(let layer, let code, _): "reject \(layer)/\(code)"
        case .unimplemented: "unimplemented"
        }
    }
}

extension String {
    /// At most 200 characters.
    var shortened: String { count <= 200 ? self : prefix(200) + "… (\(count) characters)" }
}
