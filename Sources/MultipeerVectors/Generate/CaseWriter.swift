internal import MultipeerCrypto

/// Why vectors could not be made: this project's implementation does not do what the case says.
public enum GeneratorFault: Error, Equatable, Sendable {
    /// The case says one thing, the implementation another.
    case wrongVerdict(id: String, declared: VectorResult, answer: String)
    /// The case cannot be put together.
    case cannotBuild(String)
    /// A flag without a note.
    case unknownFlag(String)
    /// The committed signatures do not have the one for this message.
    case noSignature(key: String, message: String)
}

/// Collects the cases of one file. What a case must end like is declared by hand, from SPEC.md; what it releases is the
/// implementation's answer, which the independent reference checks.
final class CaseWriter {
    let subject: SwiftSubject
    private let type: VectorGroupType
    private let suite: String
    private let topic: String
    private let section: String
    private var groups: [VectorGroup] = []
    private var count = 0

    /// - Parameter topic: the beginning of every ID, such as `framing-varint`.
    init(_ suite: String, topic: String, type: VectorGroupType, section: String, subject: SwiftSubject) {
        self.suite = suite
        self.topic = topic
        self.type = type
        self.section = section
        self.subject = subject
    }

    /// What a case is beside its inputs.
    struct Head {
        var comment: String
        var requirements: [String]
        var flags: [String] = []
        var section: String?
        var importance = VectorTest.Importance.must
        var features: [String] = []
    }

    /// Begins a group.
    func group(_ params: JSONValue = [:]) {
        groups.append(VectorGroup(type: type, params: params, tests: []))
    }

    var params: JSONValue { groups.last?.params ?? [:] }

    func accept(
        _ comment: String, _ requirements: [String] = [], flags: [String] = [], section: String? = nil,
        features: [String] = [], _ inputs: JSONValue
    ) throws {
        try add(
            Head(comment: comment, requirements: requirements, flags: flags, section: section, features: features),
            inputs, .accept)
    }

    func incomplete(_ comment: String, _ requirements: [String] = [], _ inputs: JSONValue) throws {
        try add(Head(comment: comment, requirements: requirements), inputs, .incomplete)
    }

    func reject(
        _ code: String, _ flag: String, _ comment: String, _ requirements: [String], section: String? = nil,
        features: [String] = [], also flags: [String] = [], _ inputs: JSONValue
    ) throws {
        let head = Head(
            comment: comment, requirements: requirements, flags: [flag] + flags, section: section,
            features: features)
        try add(head, inputs, .rejection(code))
    }

    /// A case of a stateless group.
    private func add(_ head: Head, _ inputs: JSONValue, _ declared: VectorResult) throws {
        let answer = try subject.test(type, params: params, inputs: inputs)
        let expected: JSONValue
        switch (answer, declared) {
        case (.accepted(let value), .accept): expected = value
        case (.incomplete(let value), .incomplete): expected = value
        case (.rejected(let layer, let code, let value), .reject(let ownLayer, let ownCode, _))
        where layer == ownLayer && code == ownCode:
            expected = value
        default:
            throw GeneratorFault.wrongVerdict(
                id: "\(topic)-\(count + 1) (\(head.comment))", declared: declared, answer: "\(answer)")
        }
        append(head, inputs: inputs, steps: nil, expected: expected, declared)
    }

    /// A case that is complete already.
    func append(
        _ head: Head, inputs: JSONValue, steps: [JSONValue]?, expected: JSONValue, _ result: VectorResult
    ) {
        if groups.isEmpty { group() }
        count += 1
        let digits = String(count)
        let test = VectorTest(
            id: "\(topic)-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits,
            comment: head.comment, spec: "§" + (head.section ?? section), requirements: head.requirements,
            importance: head.importance, features: head.features, flags: head.flags, inputs: inputs, steps: steps,
            expected: expected, result: result)
        groups[groups.count - 1].tests.append(test)
    }

    /// The file.
    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) {
        var notes: [String: VectorFile.Note] = [:]
        for flag in groups.flatMap(\.tests).flatMap(\.flags) {
            guard let note = Flags.notes[flag] else { throw .unknownFlag(flag) }
            notes[flag] = note
        }
        let file = VectorFile(
            schema: type.schema, specVersion: VectorFile.currentSpecVersion, suite: suite,
            source: .init(name: "swift-multipeer", version: "1"), notes: notes,
            groups: groups.filter { !$0.tests.isEmpty })
        return (suite + ".json", file)
    }
}

extension VectorResult {
    /// A rejection by a name of SPEC §18.
    static func rejection(_ code: String) -> VectorResult {
        let outcome = OutcomeNames.layer(of: code)
        return .reject(layer: outcome, code: code, action: "close")
    }
}
