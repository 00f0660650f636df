import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Scripts of paths, SPEC §26")
struct DatagramScriptTests {
    @Test("This implementation passes all of them", arguments: ["packets", "window", "paths", "rates"])
    func verify(name: String) throws {
        let file = try Repository.file("datagrams/\(name).json")
        let report = try VectorRunner(SwiftSubject()).run(try VectorSet([("datagrams/\(name).json", file)]))
        #expect(report.failed == 0 && report.skipped == 0, "\(report.text)")
        #expect(report.passed == file.tests.count && report.passed > 30)
    }

    @Test("The shim answers about a path as the implementation in this process does")
    func shim() throws {
        let server = try ShimServer()
        func ask(_ request: [String: JSONValue]) throws -> JSONValue {
            let line = JSONWriter.line(.object(request.merging(["seq": 1]) { own, _ in own }))
            return try JSONParser.parse(Array(try #require(server.answer(line)).utf8))
        }
        let group = try #require(try Repository.file("datagrams/paths.json").groups.first)
        let path = try #require(
            try ask(["command": "new", "group": "DatagramScript", "params": group.params])["link"])
        var packets = 0
        for step in try #require(group.tests.first?.steps) {
            guard step["actor"] == "self" else {
                #expect(try ask(["command": "step", "link": path, "step": step])["ok"] == true)
                continue
            }
            let poll = try ask(["command": "poll", "link": path])
            #expect(poll["events"] == step["events"] && poll["sends"] == "")
            packets += poll["packets"]?.elements?.count ?? 0
        }
        #expect(packets >= 3)
    }

    @Test(
        "An unknown step of a path is a bad question",
        arguments: [
            #"{"actor": "app", "do": "rest"}"#, #"{"actor": "somebody"}"#, #"{"actor": "peer", "port": 5}"#,
            #"{"actor": "app", "do": "send"}"#,
        ])
    func badSteps(text: String) throws {
        let subject = try SwiftSubject()
        let group = try #require(try Repository.file("datagrams/paths.json").groups.first)
        let path = try #require(try subject.makeLink(.datagramScript, params: group.params))
        #expect(throws: SubjectFault.self) {
            try subject.step(link: path, try JSONParser.parse(Array(text.utf8)))
        }
    }
}
