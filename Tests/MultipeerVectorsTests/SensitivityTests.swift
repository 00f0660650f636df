import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("The runner sees every difference")
struct SensitivityTests {
    /// Rosters of more than 256 entries, which take seconds each.
    private let crowds = ["roster/full.json", "roster/apart.json"]

    /// Every way to change one value of an answer.
    private func changes(of value: JSONValue) -> [JSONValue] {
        switch value {
        case .null: return [.bool(true)]
        case .bool(let truth): return [.bool(!truth)]
        case .integer(let number): return [.integer(number + 1)]
        case .string(let text): return [.string(text == "00" ? "01" : "00")]
        case .array(let elements):
            var all: [JSONValue] = [.array(elements + [.null])]
            for index in elements.indices {
                all += changes(of: elements[index]).map { change in
                    var copy = elements
                    copy[index] = change
                    return .array(copy)
                }
            }
            return all
        case .object(let members):
            return members.flatMap { key, value in
                changes(of: value).map { change in .object(members.merging([key: change]) { _, new in new }) }
            }
        }
    }

    private let runner: VectorRunner

    init() throws { runner = try VectorRunner(SwiftSubject()) }

    private func verdicts(_ file: VectorFile, _ test: VectorTest, in group: VectorGroup) throws -> RunReport {
        var changed = file
        changed.groups = [VectorGroup(type: group.type, params: group.params, tests: [test])]
        return runner.run(try VectorSet([("changed.json", changed)]))
    }

    @Test("An answer that differs in one value fails", arguments: VectorGroupType.allCases)
    func answers(type: VectorGroupType) throws {
        let set = try Repository.vectors()
        var tried = 0
        // Rosters of 257 entries cost hundreds of signatures each time, and have the same members as others.
        for (name, file) in set.files where !(crowds + ["roster/branches.json"]).contains(name) {
            for group in file.groups where group.type == type {
                // Two cases of each kind of result are enough to see that all keys are looked at.
                for test in group.tests.filter({ $0.result == .accept }).prefix(2)
                    + group.tests.filter({ $0.result != .accept }).prefix(2)
                {
                    for expected in changes(of: test.expected).prefix(40) {
                        var changed = test
                        changed.expected = expected
                        let report = try verdicts(file, changed, in: group)
                        #expect(report.failed == 1, "\(test.id) passes with \(JSONWriter.line(expected).prefix(300))")
                        tried += 1
                    }
                }
            }
        }
        // These have nothing but a verdict, or steps.
        let isBare = [
            .displayName, .initiatorCheck, .linkScript, .session, .associationScript, .nodeScript, .datagramScript,
        ].contains(type)
        #expect(tried > 0 || isBare)
    }

    @Test("Another verdict fails", arguments: VectorGroupType.allCases)
    func results(type: VectorGroupType) throws {
        guard type != .linkScript, type != .session else { return }
        for (name, file) in try Repository.vectors().files where !crowds.contains(name) {
            for group in file.groups where group.type == type {
                for test in group.tests.prefix(3) {
                    var changed = test
                    changed.result =
                        test.result == .accept ? .reject(layer: "wire", code: "malformed", action: "close") : .accept
                    #expect(try verdicts(file, changed, in: group).failed == 1)
                    if case .reject(let layer, let code, let action) = test.result {
                        let another = code == "internal" ? "malformed" : "internal"
                        changed.result = .reject(layer: layer, code: another, action: action)
                        #expect(try verdicts(file, changed, in: group).failed == 1)
                    }
                }
            }
        }
    }

    @Test(
        "A script that expects one frame or event more, less or other fails",
        arguments: [
            "session/certificates", "session/files-sent", "association/streams", "association/files-received",
            "node/links",
        ])
    func scripts(name: String) throws {
        let file = try Repository.file("\(name).json")
        for group in file.groups {
            for test in group.tests.prefix(4) {
                let steps = try #require(test.steps)
                for (index, step) in steps.enumerated() where step["actor"] == "self" {
                    for change in changes(of: step) where change["actor"] == "self" {
                        // How much a sender wants at once is not compared.
                        if Self.withoutMaximum(change) == Self.withoutMaximum(step) { continue }
                        var changed = test
                        changed.steps?[index] = change
                        let report = try verdicts(file, changed, in: group)
                        #expect(report.failed == 1, "\(test.id), step \(index + 1)")
                    }
                }
            }
        }
    }

    private static func withoutMaximum(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): .object(members.filter { $0.key != "maximum" }.mapValues(withoutMaximum))
        case .array(let elements): .array(elements.map(withoutMaximum))
        default: value
        }
    }
}
