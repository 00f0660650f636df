import Foundation

/// What is committed, and what was built.
package enum Repository {
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    package static func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// `multipeer`, built beside the tests; nil where only the tests were built.
    package static let program = built("multipeer")
    /// `multipeer-lab`, in the same way.
    package static let laboratory = built("multipeer-lab")

    private static func built(_ name: String) -> String? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        // `swift test` runs the bundle through a helper of the toolchain; the bundle is then in the arguments.
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        return [own, bundle].map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/" + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// Known answers that stay outside the repository.
package enum ExternalVectors {
    package enum Fault: Error {
        case notHexadecimal(String)
        case wrongCount(file: String, declared: Int, found: Int)
    }

    /// `MULTIPEER_EXTERNAL_VECTORS`, or `../shared/external` beside the package.
    package static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["MULTIPEER_EXTERNAL_VECTORS"] {
            return URL(fileURLWithPath: path)
        }
        return Repository.root.deletingLastPathComponent().appendingPathComponent("shared/external")
    }()

    /// Whether the file is there; a suite without its file is reported as skipped.
    package static func has(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path)
    }

    package static func load<Content: Decodable>(_ file: String, as type: Content.Type) throws -> Content {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: folder.appendingPathComponent(file)))
    }
}
