internal import Foundation

/// All files of a folder (or one file), read and checked together.
public struct VectorSet: Sendable {
    /// Files in the order of their names, each with its name below the folder.
    public let files: [(name: String, file: VectorFile)]

    /// Wraps files, and checks that no ID is used twice.
    public init(_ files: [(name: String, file: VectorFile)]) throws(VectorFileError) {
        var seen: [String: String] = [:]
        for (name, file) in files {
            for test in file.tests {
                if let first = seen[test.id] {
                    throw VectorFileError(file: name, test: test.id, reason: .duplicateID(firstFile: first))
                }
                seen[test.id] = name
            }
        }
        self.files = files
    }

    /// Reads a file, or every `.json` file below a folder, such as `Vectors/v1`.
    public static func read(path: String) throws(VectorFileError) -> VectorSet {
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard let kind else { throw VectorFileError(file: path, reason: .unreadable) }
        guard kind != .typeRegular else { return try VectorSet([(path, try file(path, name: path))]) }
        var files: [(name: String, file: VectorFile)] = []
        for name in names(below: path) {
            files.append((name, try file(path + "/" + name, name: name)))
        }
        guard !files.isEmpty else { throw VectorFileError(file: path, reason: .noFiles) }
        return try VectorSet(files)
    }

    /// Names of the files below a folder, in order.
    static func names(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".json") }.sorted()
    }

    private static func file(_ path: String, name: String) throws(VectorFileError) -> VectorFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw VectorFileError(file: name, reason: .unreadable)
        }
        return try VectorFile(text: [UInt8](data), file: name)
    }
}
