/// The members of a JSON object in a vector file, with the place for errors.
struct Members {
    private let json: [String: JSONValue]
    private let path: String
    private let file: String
    private let test: String?

    /// Anything but an object has no members, so that the first look at one fails with its path.
    init(_ value: JSONValue, path: String, file: String, test: String?) {
        json = value.members ?? [:]
        self.path = path
        self.file = file
        self.test = test
    }

    var keys: [String] { json.keys.sorted() }

    func has(_ key: String) -> Bool { json[key] != nil }

    /// The same, blamed on a test.
    func of(test: String) -> Members { Members(.object(json), path: "", file: file, test: test) }

    func error(_ reason: VectorFileError.Reason) -> VectorFileError {
        VectorFileError(file: file, test: test, reason: reason)
    }

    /// No other keys than these.
    func only(_ known: Set<String>) throws(VectorFileError) {
        for key in keys where !known.contains(key) { throw error(.unknownMember(path + key)) }
    }

    func text(_ key: String) throws(VectorFileError) -> String {
        guard let text = json[key]?.text else { throw error(.badMember(path + key)) }
        return text
    }

    func number(_ key: String) throws(VectorFileError) -> Int {
        guard let number = json[key]?.number else { throw error(.badMember(path + key)) }
        return number
    }

    func object(_ key: String) throws(VectorFileError) -> JSONValue {
        guard let value = json[key], value.members != nil else { throw error(.badMember(path + key)) }
        return value
    }

    func members(_ key: String) throws(VectorFileError) -> Members {
        Members(try object(key), path: path + key + ".", file: file, test: test)
    }

    func values(_ key: String) throws(VectorFileError) -> [JSONValue] {
        guard let elements = json[key]?.elements else { throw error(.badMember(path + key)) }
        for element in elements where element.members == nil { throw error(.badMember(path + key)) }
        return elements
    }

    /// The objects of an array.
    func array(_ key: String) throws(VectorFileError) -> [Members] {
        try values(key).enumerated().map { index, element in
            Members(element, path: "\(path)\(key)[\(index)].", file: file, test: test)
        }
    }

    func texts(_ key: String) throws(VectorFileError) -> [String] {
        guard let elements = json[key]?.elements else { throw error(.badMember(path + key)) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.text else { throw error(.badMember(path + key)) }
            texts.append(text)
        }
        return texts
    }
}
