/// Why a file of vectors cannot be used: which file, which test, and what is wrong.
public struct VectorFileError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case unreadable
        case notUTF8
        case json(JSONParser.Fault)
        /// A key is missing, or its value has another type. The path of keys leads to it.
        case badMember(String)
        /// The format does not have this key.
        case unknownMember(String)
        case unknownSchema(String)
        case wrongSpecVersion(String)
        /// The schema and the groups in the file do not belong together.
        case schemaMismatch(schema: String, group: String)
        case unknownGroup(String)
        case wrongCount(declared: Int, found: Int)
        case duplicateID(firstFile: String)
        /// A flag has no note.
        case unknownFlag(String)
        case notCanonical
        /// There is no file in the folder.
        case noFiles
    }

    /// As the caller named it, or below the folder that the caller named.
    public let file: String
    /// The test's ID, if one is to blame.
    public let test: String?
    public let reason: Reason

    /// Creates a value from its parts.
    public init(file: String, test: String? = nil, reason: Reason) {
        self.file = file
        self.test = test
        self.reason = reason
    }
}

extension VectorFileError: CustomStringConvertible {
    public var description: String {
        let place = test.map { "\(file), test \($0)" } ?? file
        return "\(place): \(reason)"
    }
}

extension VectorFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable: "the file cannot be read"
        case .notUTF8: "the file is not UTF-8"
        case .json(let fault): "line \(fault.line), column \(fault.column): not JSON: \(fault.reason)"
        case .badMember(let path): "\(path) is missing or of another type than the format asks for"
        case .unknownMember(let path): "\(path) is not part of the format"
        case .unknownSchema(let name): "the schema \(name) is not known"
        case .wrongSpecVersion(let version):
            "the specification is \(version), not \(VectorFile.currentSpecVersion)"
        case .schemaMismatch(let schema, let group): "a group of type \(group) does not belong under \(schema)"
        case .unknownGroup(let type): "the group type \(type) is not known"
        case .wrongCount(let declared, let found): "numberOfTests is \(declared), but there are \(found) tests"
        case .duplicateID(let first): "the ID is used before, in \(first)"
        case .unknownFlag(let flag): "the flag \(flag) has no note"
        case .notCanonical: "the text is not in canonical form; `multipeer-lab vectors generate` writes it"
        case .noFiles: "no vector files here"
        }
    }
}
