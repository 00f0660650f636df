import Foundation
import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Bad vector files, issue 3")
struct BadFileTests {
    /// A good file with one test, as JSON.
    private static let good = """
        {"schema": "varint-v1.json", "specVersion": "1-draft-04", "suite": "framing/varint",
         "source": {"name": "test", "version": "1"}, "numberOfTests": 1, "notes": {},
         "groups": [{"type": "Varint", "params": {}, "tests": [
           {"id": "framing-varint-001", "comment": "", "spec": "§3.2", "requirements": [], "importance": "must",
            "features": [], "flags": [], "inputs": {"bytes": "00"}, "expected": {"value": "0"},
            "result": {"verdict": "accept"}}]}]}
        """

    private func fault(_ text: String) -> VectorFileError? {
        do throws(VectorFileError) {
            _ = try VectorFile(text: Array(text.utf8), file: "a.json")
            return nil
        } catch {
            return error
        }
    }

    @Test("The good file is read")
    func goodFile() { #expect(fault(Self.good) == nil) }

    @Test(
        "One change makes it bad: the error names file, test and reason",
        arguments: [
            ("\"numberOfTests\": 1", "\"numberOfTests\": 2", nil, .wrongCount(declared: 2, found: 1)),
            ("varint-v1.json", "varint-v2.json", nil, .unknownSchema("varint-v2.json")),
            ("varint-v1.json", "frames-v1.json", nil, .schemaMismatch(schema: "frames-v1.json", group: "Varint")),
            ("1-draft-04", "1-draft-00", nil, .wrongSpecVersion("1-draft-00")),
            ("\"version\": \"1\"", "\"version\": \"1\", \"x\": 1", nil, .unknownMember("source.x")),
            ("\"type\": \"Varint\"", "\"type\": \"Variants\"", nil, .unknownGroup("Variants")),
            ("\"comment\": \"\", ", "", "framing-varint-001", .badMember("comment")),
            ("\"comment\": \"\"", "\"comment\": 1", "framing-varint-001", .badMember("comment")),
            ("\"comment\": \"\"", "\"comment\": \"\", \"x\": 1", "framing-varint-001", .unknownMember("x")),
            ("\"flags\": []", "\"flags\": [\"Odd\"]", "framing-varint-001", .unknownFlag("Odd")),
            ("\"verdict\": \"accept\"", "\"verdict\": \"maybe\"", "framing-varint-001", .badMember("result.verdict")),
            ("\"must\"", "\"may\"", "framing-varint-001", .badMember("importance")),
            ("\"id\": \"framing-varint-001\", ", "", nil, .badMember("groups[0].tests[0].id")),
        ] as [(String, String, String?, VectorFileError.Reason)])
    func changes(old: String, new: String, test: String?, reason: VectorFileError.Reason) throws {
        let changed = Self.good.replacingOccurrences(of: old, with: new)
        try #require(changed != Self.good)
        let error = try #require(fault(changed))
        // A missing ID leaves the test without a name; its place says which it is.
        if case .badMember("groups[0].tests[0].id") = reason {
            #expect("\(error)".contains("id"))
        } else {
            #expect(error == VectorFileError(file: "a.json", test: test, reason: reason))
        }
        #expect("\(error)".hasPrefix("a.json"))
    }

    @Test("Text that is not JSON has a line and a column")
    func notJSON() {
        #expect("\(fault("{\n  \"schema\": }")!)".hasPrefix("a.json: line 2, column 13: not JSON"))
    }

    @Test("An ID that occurs in two files is refused, and both files are named")
    func duplicates() throws {
        let folder = try Scratch()
        _ = try folder.write("one.json", Self.good)
        _ = try folder.write("two.json", Self.good)
        let error = #expect(throws: VectorFileError.self) { try VectorSet.read(path: folder.path) }
        #expect(
            error
                == VectorFileError(
                    file: "two.json", test: "framing-varint-001", reason: .duplicateID(firstFile: "one.json")))
    }

    @Test("A folder without files and a missing path are errors")
    func nothing() throws {
        let folder = try Scratch()
        #expect(throws: VectorFileError.self) { try VectorSet.read(path: folder.path) }
        #expect(throws: VectorFileError.self) { try VectorSet.read(path: folder.path + "/none") }
    }
}
