internal import MultipeerCrypto

/// Why vectors cannot be generated: this project's implementation does not do what a case says.
public enum GeneratorFault: Error, Equatable, Sendable {
    /// The implementation does not do what the case declares.
    case wrongVerdict(id: String, declared: VectorResult, answer: String)
    /// The case cannot be built.
    case cannotBuild(String)
    /// A flag has no note.
    case unknownFlag(String)
    /// The committed signatures lack the one for this message.
    case noSignature(key: String, message: String)
    /// All that is wrong.
    case several([GeneratorFault])
}

/// Cases of which the implementation does not do what they say. They are told at the end, all at once.
final class FaultList {
    private var faults: [GeneratorFault] = []

    func add(_ fault: GeneratorFault) { faults.append(fault) }

    /// Throws if there is one, and begins anew.
    func check() throws(GeneratorFault) {
        defer { faults = [] }
        guard let first = faults.first else { return }
        throw faults.count == 1 ? first : .several(faults)
    }
}

/// Collects the cases of one file. What a case must end like is declared by hand, from SPEC.md; what it releases is the
/// implementation's answer, which the independent reference checks.
final class CaseWriter {
    let subject: SwiftSubject
    private var cases: CaseList

    /// - Parameter topic: the beginning of every ID, such as `framing-varint`.
    init(_ suite: String, topic: String, type: VectorGroupType, section: String, subject: SwiftSubject) {
        cases = CaseList(suite, topic: topic, type: type, section: section)
        self.subject = subject
    }

    /// Begins a group.
    func group(_ params: JSONValue = [:]) { cases.group(params) }

    /// The file.
    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) { try cases.file() }

    func accept(
        _ comment: String, _ requirements: [String] = [], flags: [String] = [], section: String? = nil,
        features: [String] = [], _ inputs: JSONValue
    ) throws {
        try add(
            CaseList.Head(
                comment: comment, requirements: requirements, flags: flags, section: section, features: features),
            inputs, .accept)
    }

    func incomplete(_ comment: String, _ requirements: [String] = [], _ inputs: JSONValue) throws {
        try add(CaseList.Head(comment: comment, requirements: requirements), inputs, .incomplete)
    }

    func reject(
        _ code: String, _ flag: String, _ comment: String, _ requirements: [String], section: String? = nil,
        features: [String] = [], also flags: [String] = [], _ inputs: JSONValue
    ) throws {
        let head = CaseList.Head(
            comment: comment, requirements: requirements, flags: [flag] + flags, section: section,
            features: features)
        try add(head, inputs, .rejection(code))
    }

    /// A rejection that refuses the input and not the link.
    func drop(_ code: String, _ flag: String, _ comment: String, _ requirements: [String], _ inputs: JSONValue) throws {
        let head = CaseList.Head(comment: comment, requirements: requirements, flags: [flag])
        try add(head, inputs, .reject(layer: OutcomeNames.layer(of: code), code: code, action: "drop"))
    }

    /// A case of a stateless group.
    private func add(_ head: CaseList.Head, _ inputs: JSONValue, _ declared: VectorResult) throws {
        let answer = try subject.test(cases.type, params: cases.params, inputs: inputs)
        let expected: JSONValue
        switch (answer, declared) {
        case (.accepted(let value), .accept): expected = value
        case (.incomplete(let value), .incomplete): expected = value
        case (.rejected(let layer, let code, let value), .reject(let ownLayer, let ownCode, _))
        where layer == ownLayer && code == ownCode:
            expected = value
        default:
            subject.faults.add(
                .wrongVerdict(id: cases.name(of: head), declared: declared, answer: "\(answer)".shortened))
            expected = [:]
        }
        cases.append(head, inputs: inputs, expected: expected, declared)
    }
}

extension VectorResult {
    /// A rejection by a name of SPEC §18.
    static func rejection(_ code: String) -> VectorResult {
        let outcome = OutcomeNames.layer(of: code)
        return .reject(layer: outcome, code: code, action: "close")
    }
}
