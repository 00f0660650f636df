import Foundation

/// Known answers that stay outside the repository.
enum ExternalVectors {
    enum Fault: Error {
        case notHexadecimal(String)
        case wrongCount(file: String, declared: Int, found: Int)
    }

    /// `MULTIPEER_EXTERNAL_VECTORS`, or `../shared/external` beside the package.
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["MULTIPEER_EXTERNAL_VECTORS"] {
            return URL(fileURLWithPath: path)
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/external")
    }()

    /// Whether the file is there; a suite without its file is reported as skipped.
    static func has(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path)
    }

    static func load<Content: Decodable>(_ file: String, as type: Content.Type) throws -> Content {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: folder.appendingPathComponent(file)))
    }
}

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
