/// One file of vectors (Vectors/README.md, "Files").
public struct VectorFile: Equatable, Sendable {
    /// Name of the schema in `schemas/`.
    public var schema: String
    /// Which specification the answers are for.
    public var specVersion: String
    /// Area and name, such as `framing/varint`.
    public var suite: String
    /// The generator that made it.
    public var source: Source
    /// What the flags mean.
    public var notes: [String: Note]
    /// The cases, by parameters.
    public var groups: [VectorGroup]

    /// A generator's name and version.
    public struct Source: Equatable, Sendable {
        public var name: String
        public var version: String
    }

    /// What a flag means.
    public struct Note: Equatable, Sendable {
        public var bugType: String
        public var description: String
        public var spec: String

        /// Creates a value from its parts.
        public init(bugType: String, description: String, spec: String) {
            self.bugType = bugType
            self.description = description
            self.spec = spec
        }
    }

    /// All tests, in order.
    public var tests: [VectorTest] { groups.flatMap(\.tests) }

    /// The one version that this implementation reads and writes.
    public static let currentSpecVersion = "1-draft-04"
}

/// Cases of one type with the same parameters.
public struct VectorGroup: Equatable, Sendable {
    public var type: VectorGroupType
    public var params: JSONValue
    public var tests: [VectorTest]

    /// Creates a value from its parts.
    public init(type: VectorGroupType, params: JSONValue, tests: [VectorTest]) {
        self.type = type
        self.params = params
        self.tests = tests
    }
}

/// What the cases of a group are about (Vectors/README.md, "Groups").
public enum VectorGroupType: String, Sendable, CaseIterable {
    case varint = "Varint"
    case frames = "Frames"
    case recordStream = "RecordStream"
    case initiatorHello = "InitiatorHello"
    case responderHello = "ResponderHello"
    case refusal = "Refusal"
    case controlFrame = "ControlFrame"
    case payloadFrame = "PayloadFrame"
    case fileName = "FileName"
    case displayName = "DisplayName"
    case responderChoice = "ResponderChoice"
    case initiatorCheck = "InitiatorCheck"
    case handshake = "Handshake"
    case proof = "Proof"
    case recordProtection = "RecordProtection"
    case rekey = "Rekey"
    case encryptionPolicy = "EncryptionPolicy"
    case crossingInvitations = "CrossingInvitations"
    case binding = "Binding"
    case messageAssembly = "MessageAssembly"
    case sessionIdentifier = "SessionIdentifier"
    case exporter = "Exporter"
    case resumeProof = "ResumeProof"
    case linkScript = "LinkScript"
    case session = "Session"
    case charterParameters = "CharterParameters"
    case admission = "Admission"
    case rosterEntry = "RosterEntry"
    case roster = "Roster"
    case manifest = "Manifest"
    case associationScript = "AssociationScript"
    case nodeScript = "NodeScript"
    case datagram = "Datagram"
    case datagramScript = "DatagramScript"
    case shortString = "ShortString"
    case oneTimeCode = "OneTimeCode"
    case codeExchange = "CodeExchange"
    case publication = "Publication"
    case advertisement = "Advertisement"

    /// The schema of files with such groups: `record-stream-v1.json`.
    public var schema: String {
        var name = ""
        for character in rawValue {
            if character.isUppercase, !name.isEmpty { name += "-" }
            name += character.lowercased()
        }
        return name + "-v1.json"
    }
}

/// One case.
public struct VectorTest: Equatable, Sendable {
    public var id: String
    public var comment: String
    /// A section, such as `§3.2`.
    public var spec: String
    /// What the case shows, such as `R3.2-1`.
    public var requirements: [String]
    public var importance: Importance
    public var features: [String]
    public var flags: [String]
    public var inputs: JSONValue
    public var steps: [JSONValue]?
    public var expected: JSONValue
    public var result: VectorResult

    /// RFC 2119's two strengths.
    public enum Importance: String, Sendable { case must, should }
}

/// The required end of a case.
public enum VectorResult: Equatable, Sendable {
    case accept
    case reject(layer: String, code: String, action: String)
    case incomplete
}
