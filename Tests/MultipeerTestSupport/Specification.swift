import Foundation

/// SPEC.md and its companions in docs/spec. Tests that read the specification take its files from here.
package enum Specification {
    package static let main = Repository.root.appendingPathComponent("SPEC.md")

    /// SPEC.md first, then the companions. The index of requirements in their folder is no part of the specification.
    package static func files() throws -> [URL] {
        let folder = Repository.root.appendingPathComponent("docs/spec")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let companions = names.filter { $0.hasSuffix(".md") && $0 != "requirements.md" }.sorted()
        return [main] + companions.map(folder.appendingPathComponent)
    }

    /// All files, one after the other.
    package static func text() throws -> String {
        try files().map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The identifiers of all requirements, in the order of their numbers.
    package static func requirements() throws -> [String] {
        let found = Set(try text().matches(of: /(?m)^- \[(R[0-9.]+-[0-9]+)\]/).map { String($0.1) })
        return found.map { (name: $0, place: place($0)) }
            .sorted { $0.place.lexicographicallyPrecedes($1.place) }.map(\.name)
    }

    /// The text of a section, its heading left out, up to the next heading of its level or above. A chapter that is in
    /// a companion is read there, and not where SPEC.md refers to it.
    package static func section(_ number: String) throws -> String? {
        for file in try files().reversed() {
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            guard
                let start = lines.firstIndex(where: { line in
                    ["## ", "### "].contains { line.hasPrefix($0 + number + " ") }
                })
            else { continue }
            let isChapter = lines[start].hasPrefix("## ")
            let rest = lines[(start + 1)...].prefix { line in
                !line.hasPrefix("## ") && (isChapter || !line.hasPrefix("### "))
            }
            return rest.joined(separator: "\n")
        }
        return nil
    }

    /// R9.8-2 is before R10.2-1. A requirement of a chapter without sections is before all others of it.
    private static func place(_ identifier: String) -> [Int] {
        let numbers = identifier.dropFirst().split { $0 == "." || $0 == "-" }.compactMap { Int($0) }
        return numbers.count == 2 ? [numbers[0], 0, numbers[1]] : numbers
    }
}
