extension VectorFile {
    /// Reads a file's text.
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - file: its name, for errors.
    public init(text: [UInt8], file: String) throws(VectorFileError) {
        let json: JSONValue
        do {
            json = try JSONParser.parse(text)
        } catch {
            throw VectorFileError(file: file, reason: .json(error))
        }
        let root = Members(json, path: "", file: file, test: nil)
        try root.only([
            "groups", "notes", "numberOfTests", "schema", "source", "specVersion", "suite",
        ])
        schema = try root.text("schema")
        specVersion = try root.text("specVersion")
        suite = try root.text("suite")
        guard VectorGroupType.allCases.contains(where: { [schema] in $0.schema == schema }) else {
            throw VectorFileError(file: file, reason: .unknownSchema(schema))
        }
        guard specVersion == Self.currentSpecVersion else {
            throw VectorFileError(file: file, reason: .wrongSpecVersion(specVersion))
        }
        let from = try root.members("source")
        try from.only(["name", "version"])
        source = Source(name: try from.text("name"), version: try from.text("version"))
        notes = try Self.notes(try root.members("notes"))
        groups = []
        for element in try root.array("groups") { groups.append(try VectorGroup(element, schema: schema)) }
        let declared = try root.number("numberOfTests")
        guard declared == tests.count else {
            throw VectorFileError(file: file, reason: .wrongCount(declared: declared, found: tests.count))
        }
        try checkFlags(file)
    }

    private static func notes(_ members: Members) throws(VectorFileError) -> [String: Note] {
        var notes: [String: Note] = [:]
        for flag in members.keys {
            let note = try members.members(flag)
            try note.only(["bugType", "description", "spec"])
            notes[flag] = Note(
                bugType: try note.text("bugType"), description: try note.text("description"),
                spec: try note.text("spec"))
        }
        return notes
    }

    private func checkFlags(_ file: String) throws(VectorFileError) {
        for test in tests {
            for flag in test.flags where notes[flag] == nil {
                throw VectorFileError(file: file, test: test.id, reason: .unknownFlag(flag))
            }
        }
    }

    /// The file as JSON.
    public var json: JSONValue {
        [
            "schema": .string(schema), "specVersion": .string(specVersion), "suite": .string(suite),
            "source": ["name": .string(source.name), "version": .string(source.version)],
            "numberOfTests": .integer(tests.count),
            "notes": .object(
                notes.mapValues {
                    [
                        "bugType": .string($0.bugType), "description": .string($0.description),
                        "spec": .string($0.spec),
                    ]
                }),
            "groups": .array(groups.map(\.json)),
        ]
    }
}

extension VectorGroup {
    init(_ members: Members, schema: String) throws(VectorFileError) {
        try members.only(["params", "tests", "type"])
        let name = try members.text("type")
        guard let type = VectorGroupType(rawValue: name) else { throw members.error(.unknownGroup(name)) }
        guard type.schema == schema else {
            throw members.error(.schemaMismatch(schema: schema, group: name))
        }
        self.type = type
        params = try members.object("params")
        tests = []
        for element in try members.array("tests") { tests.append(try VectorTest(element)) }
    }

    var json: JSONValue {
        ["type": .string(type.rawValue), "params": params, "tests": .array(tests.map(\.json))]
    }
}

extension VectorTest {
    init(_ anonymous: Members) throws(VectorFileError) {
        id = try anonymous.text("id")
        let members = anonymous.of(test: id)
        try members.only([
            "comment", "expected", "features", "flags", "id", "importance", "inputs", "requirements", "result", "spec",
            "steps",
        ])
        comment = try members.text("comment")
        spec = try members.text("spec")
        requirements = try members.texts("requirements")
        guard let importance = Importance(rawValue: try members.text("importance")) else {
            throw members.error(.badMember("importance"))
        }
        self.importance = importance
        features = try members.texts("features")
        flags = try members.texts("flags")
        inputs = try members.object("inputs")
        steps = members.has("steps") ? try members.values("steps") : nil
        expected = try members.object("expected")
        result = try VectorResult(try members.members("result"))
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "comment": .string(comment), "spec": .string(spec),
            "requirements": .array(requirements.map(JSONValue.string)), "importance": .string(importance.rawValue),
            "features": .array(features.map(JSONValue.string)), "flags": .array(flags.map(JSONValue.string)),
            "inputs": inputs, "expected": expected, "result": result.json,
        ]
        if let steps { members["steps"] = .array(steps) }
        return .object(members)
    }
}

extension VectorResult {
    init(_ members: Members) throws(VectorFileError) {
        switch try members.text("verdict") {
        case "accept":
            try members.only(["verdict"])
            self = .accept
        case "incomplete":
            try members.only(["verdict"])
            self = .incomplete
        case "reject":
            try members.only(["verdict", "layer", "code", "action"])
            self = .reject(
                layer: try members.text("layer"), code: try members.text("code"),
                action: try members.text("action"))
        default: throw members.error(.badMember("result.verdict"))
        }
    }

    var json: JSONValue {
        switch self {
        case .accept: ["verdict": "accept"]
        case .incomplete: ["verdict": "incomplete"]
        case .reject(let layer, let code, let action):
            ["verdict": "reject", "layer": .string(layer), "code": .string(code), "action": .string(action)]
        }
    }
}
