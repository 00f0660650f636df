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

/// Cases of which the implementation does not do what they say. They are reported at the end, all at once.
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
