internal import MultipeerCore
internal import MultipeerWire

/// Collects the scripts of one file. What a script must end like is declared by hand.
final class ScriptWriter {
    let samples: Samples
    let material: Material
    private let faults: FaultList
    private var cases: CaseList

    init(
        _ name: String, section: String, samples: Samples, material: Material, faults: FaultList,
        type: VectorGroupType = .linkScript
    ) {
        self.faults = faults
        cases = CaseList("session/" + name, topic: "session-" + name, type: type, section: section)
        self.samples = samples
        self.material = material
    }

    /// How a script ends.
    enum End: Equatable {
        /// Open, or finished, or closed by the peer.
        case good
        /// With a name of SPEC §18.
        case fails(String)
    }

    /// Writes a script. The stream ends at its end, and the implementation is heard.
    func add(
        _ setting: ScriptSetting, _ head: CaseList.Head, _ end: End, _ body: (Script) throws -> Void
    ) throws {
        let script = try Script(setting, samples: samples, material: material)
        do {
            try body(script)
            try script.hear()
        } catch let fault as SubjectFault {
            return faults.add(.cannotBuild("\(cases.name(of: head)): \(fault)"))
        }
        let result = try Self.result(script.ends)
        let declared: VectorResult = if case .fails(let code) = end { .rejection(code) } else { .accept }
        guard result == declared else {
            return faults.add(
                .wrongVerdict(
                    id: cases.name(of: head), declared: declared,
                    answer: String(JSONWriter.line(.array(script.steps.suffix(3))).suffix(400))))
        }
        var head = head
        head.features += setting.suite.features + setting.needs
        for (name, feature) in [("datagrams", Feature.datagrams), ("verification", .verification)]
        where script.params["features"]?.elements?.contains(.integer(Int(feature.rawValue))) == true {
            head.features.append(name)
        }
        append(head, params: .object(script.params), steps: script.steps, result)
    }

    /// Exactly one end, or none where the link is still there.
    private static func result(_ ends: [JSONValue]) throws -> VectorResult {
        guard ends.count <= 1 else { throw GeneratorFault.cannotBuild("the link ends twice") }
        guard let end = ends.first, end["byPeer"] != true, let code = end["end"]?.text, code != "finished" else {
            return .accept
        }
        return .rejection(code)
    }

    func append(_ head: CaseList.Head, params: JSONValue, steps: [JSONValue], _ result: VectorResult) {
        cases.append(head, to: params, steps: steps, result)
    }

    /// The file.
    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) { try cases.file() }
}
