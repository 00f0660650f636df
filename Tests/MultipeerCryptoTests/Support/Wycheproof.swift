import MultipeerTestSupport

/// A file of Wycheproof with cases of one form.
struct WycheproofFile<Group: Decodable & WycheproofGroup>: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]

    /// All groups, once the number of cases is the declared one.
    static func groups(_ name: String) throws -> [Group] {
        let file = try ExternalVectors.load("wycheproof/\(name)", as: Self.self)
        let found = file.testGroups.reduce(0) { $0 + $1.testCount }
        guard found == file.numberOfTests else {
            throw ExternalVectors.Fault.wrongCount(file: name, declared: file.numberOfTests, found: found)
        }
        return file.testGroups
    }
}

protocol WycheproofGroup {
    var testCount: Int { get }
}

enum WycheproofResult: String, Decodable {
    case valid, invalid, acceptable
}
