/// Cases that an implementation is known to fail, each with the reason:
/// `{"exceptions": [{"id": "framing-varint-011", "reason": "…"}]}`. An ID that ends in `*` is a prefix.
public struct Exceptions: Sendable {
    /// One exception.
    public struct Exception: Equatable, Sendable {
        public let id: String
        public let reason: String

        /// Creates a value from its parts.
        public init(id: String, reason: String) {
            self.id = id
            self.reason = reason
        }
    }

    private let all: [Exception]

    /// Creates a list of exceptions.
    public init(_ all: [Exception]) { self.all = all }

    /// Reads a file's text.
    public init(text: [UInt8], file: String) throws(VectorFileError) {
        let json: JSONValue
        do { json = try JSONParser.parse(text) } catch { throw VectorFileError(file: file, reason: .json(error)) }
        let root = Members(json, path: "", file: file, test: nil)
        try root.only(["exceptions"])
        var all: [Exception] = []
        for entry in try root.array("exceptions") {
            try entry.only(["id", "reason"])
            let exception = Exception(id: try entry.text("id"), reason: try entry.text("reason"))
            guard !exception.reason.isEmpty else { throw entry.error(.badMember("exceptions.reason")) }
            all.append(exception)
        }
        self.all = all
    }

    var ids: [String] { all.map(\.id) }

    func exception(for id: String) -> Exception? {
        all.first { $0.id == id || ($0.id.hasSuffix("*") && id.hasPrefix($0.id.dropLast())) }
    }
}
