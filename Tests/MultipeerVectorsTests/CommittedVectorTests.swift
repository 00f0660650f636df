import Foundation
import MultipeerTestSupport
import MultipeerVectors
import Testing

/// That this implementation passes all of them, `multipeer-lab vectors verify` shows, which the gate runs by itself.
@Suite("Committed vectors, issue 3")
struct CommittedVectorTests {
    @Test("The generator writes the same bytes again")
    func reproducible() throws {
        let material = try Material(path: Repository.path("Vectors/material.json"))
        let files = try VectorGenerator(material: material).files()
        let committed = try Repository.vectors()
        #expect(Set(files.map(\.name)) == Set(committed.files.map(\.name)))
        for (name, file) in files {
            let path = Repository.root.appendingPathComponent("Vectors/v1/" + name)
            // Not in the expectation: a difference would print megabytes.
            let isSame = try Data(JSONWriter.file(file.json).utf8) == Data(contentsOf: path)
            #expect(isSame, "\(name) differs from what the generator writes")
        }
    }

    @Test(
        "The lint finds faults",
        arguments: [
            ("\"comment\": ", "\"Comment\": ", "lacks comment"), ("§3.2", "§3.77", "does not exist"),
            ("\"numberOfTests\": 23", "\"numberOfTests\": 24", "numberOfTests"),
            ("R3.2-1", "R3.2" + "-9", "which the specification does not define"),
            ("framing-varint-002", "framing-varint-001", "is used before"), ("\"4000\"", "\"400\"", "does not match"),
            ("\n  \"groups\"", "\n \"groups\"", "canonical"), ("varint-v1.json", "none-v1.json", "does not exist"),
        ])
    func lintFinds(old: String, new: String, finding: String) throws {
        try expectFinding(finding, in: "v1/framing/varint.json", replacing: old, with: new)
    }

    @Test(
        "The lint finds a place of a schema without a type, and a definition that is missing or unused",
        arguments: [
            ("varint-v1.json", "\"additionalProperties\": false", "\"additionalProperties\": true", "lets in members"),
            ("varint-v1.json", "\"minimum\": 1,\n      \"type\": \"integer\"", "\"minimum\": 1", "has no type"),
            ("types-v1.json", "\n    \"hex89\": {", "\n    \"hex90\": {", "hex89 does not exist"),
            (
                "types-v1.json", "\n    \"hex8\": {", "\n    \"spare\": {\"const\": 1},\n    \"hex8\": {",
                "nothing uses spare"
            ),
        ])
    func lintFindsInSchemas(schema: String, old: String, new: String, finding: String) throws {
        try expectFinding(finding, in: "schemas/" + schema, replacing: old, with: new)
    }

    /// A copy of some files with one change is refused, for this reason. All of them would take long, and find the same.
    private func expectFinding(_ finding: String, in name: String, replacing old: String, with new: String) throws {
        let folder = try Scratch()
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder / "v1", withIntermediateDirectories: true)
        for name in ["v1/framing", "schemas", "not-by-bytes.json"] {
            try manager.copyItem(
                at: Repository.root.appendingPathComponent("Vectors/" + name),
                to: URL(fileURLWithPath: folder / name))
        }
        let file = URL(fileURLWithPath: folder / name)
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: old, with: new)
        try #require(changed != text)
        try changed.write(to: file, atomically: true, encoding: .utf8)
        let result = try Tool.run("python3", ["Scripts/check-vectors", folder.path], in: Repository.root.path)
        #expect(result.status == 1)
        #expect(result.output.contains(finding), "\(result.output)")
    }
}
