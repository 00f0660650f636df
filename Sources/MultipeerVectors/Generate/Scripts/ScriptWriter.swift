internal import MultipeerCore
internal import MultipeerWire

/// Collects the scripts of one file. What a script must end like is declared by hand.
final class ScriptWriter {
    private let suite: String
    private let topic: String
    private let section: String
    let samples: Samples
    let material: Material
    private var groups: [(params: JSONValue, tests: [VectorTest])] = []
    private var count = 0
    private let type: VectorGroupType

    init(
        _ name: String, section: String, samples: Samples, material: Material, type: VectorGroupType = .linkScript
    ) {
        suite = "session/" + name
        topic = "session-" + name
        self.section = section
        self.samples = samples
        self.material = material
        self.type = type
    }

    /// How a script ends.
    enum End: Equatable {
        /// Open, or finished, or closed by the peer.
        case good
        /// With a name of SPEC §18.
        case fails(String)
    }

    /// What a script is about.
    struct Head {
        var comment: String
        var requirements: [String]
        var flags: [String] = []
        var section: String?
        var features: [String] = []
        var importance = VectorTest.Importance.must
    }

    /// Writes a script. The stream ends at its end, and the implementation is heard.
    func add(
        _ setting: ScriptSetting, _ head: Head, _ end: End, _ body: (Script) throws -> Void
    ) throws {
        let script = try Script(setting, samples: samples, material: material)
        do {
            try body(script)
            try script.hear()
        } catch let fault as SubjectFault {
            throw GeneratorFault.cannotBuild("\(topic)-\(count + 1) (\(head.comment)): \(fault)")
        }
        let result = try Self.result(script.ends)
        guard result == (end == .good ? .accept : .rejection(Self.code(end))) else {
            throw GeneratorFault.wrongVerdict(
                id: "\(topic)-\(count + 1) (\(head.comment))",
                declared: end == .good ? .accept : .rejection(Self.code(end)),
                answer: JSONWriter.line(.array(script.steps.suffix(3))))
        }
        var features = head.features
        if setting.suite == .aesGCM { features.append("suite-aesgcm") }
        append(head, features, params: .object(script.params), steps: script.steps, result)
    }

    private static func code(_ end: End) -> String { if case .fails(let code) = end { code } else { "no_error" } }

    /// Exactly one end, or none where the link is still there.
    private static func result(_ ends: [JSONValue]) throws -> VectorResult {
        guard ends.count <= 1 else { throw GeneratorFault.cannotBuild("the link ends twice") }
        guard let end = ends.first, end["byPeer"] != true, let code = end["end"]?.text, code != "finished" else {
            return .accept
        }
        return .rejection(code)
    }

    func append(
        _ head: Head, _ features: [String], params: JSONValue, steps: [JSONValue], _ result: VectorResult
    ) {
        count += 1
        let digits = String(count)
        let test = VectorTest(
            id: "\(topic)-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits,
            comment: head.comment, spec: "§" + (head.section ?? section), requirements: head.requirements,
            importance: head.importance, features: features, flags: head.flags, inputs: [:], steps: steps,
            expected: [:], result: result)
        if let index = groups.firstIndex(where: { $0.params == params }) {
            groups[index].tests.append(test)
        } else {
            groups.append((params, [test]))
        }
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
            groups: groups.map { VectorGroup(type: type, params: $0.params, tests: $0.tests) })
        return (suite + ".json", file)
    }
}
