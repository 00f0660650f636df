/// The cases of one file, numbered in the order in which they come.
struct CaseList {
    private let suite: String
    private let topic: String
    private let section: String
    let type: VectorGroupType
    private var groups: [VectorGroup] = []
    private var count = 0

    /// - Parameter topic: the beginning of every ID, such as `framing-varint`.
    init(_ suite: String, topic: String, type: VectorGroupType, section: String) {
        (self.suite, self.topic, self.type, self.section) = (suite, topic, type, section)
    }

    /// What a case is beside its inputs.
    struct Head {
        var comment: String
        var requirements: [String]
        var flags: [String] = []
        var section: String?
        var features: [String] = []
        var importance = VectorTest.Importance.must
    }

    /// The parameters of the group under way.
    var params: JSONValue { groups.last?.params ?? [:] }

    /// Begins a group.
    mutating func group(_ params: JSONValue) { groups.append(VectorGroup(type: type, params: params, tests: [])) }

    /// What the next case is called in a fault.
    func name(of head: Head) -> String { "\(topic)-\(count + 1) (\(head.comment))" }

    /// Adds a case to the group with these parameters, or to the one under way.
    mutating func append(
        _ head: Head, to params: JSONValue? = nil, inputs: JSONValue = [:], steps: [JSONValue]? = nil,
        expected: JSONValue = [:], _ result: VectorResult
    ) {
        count += 1
        let digits = String(count)
        let test = VectorTest(
            id: "\(topic)-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits,
            comment: head.comment, spec: "§" + (head.section ?? section), requirements: head.requirements,
            importance: head.importance, features: head.features, flags: head.flags, inputs: inputs, steps: steps,
            expected: expected, result: result)
        let params = params ?? self.params
        let index = groups.lastIndex { $0.params == params } ?? groups.endIndex
        if index == groups.endIndex { group(params) }
        groups[index].tests.append(test)
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
