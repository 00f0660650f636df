import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Scripts of nodes, SPEC §8.7 and §14")
struct NodeScriptTests {
    private static let names = [
        "joining", "rosters", "instances", "unions", "dialling", "links", "member-invites", "departures", "attacks",
    ]

    @Test("This implementation passes all of them", arguments: names)
    func verify(name: String) throws {
        let file = try Repository.file("node/\(name).json")
        let report = try VectorRunner(SwiftSubject()).run(try VectorSet([("node/\(name).json", file)]))
        #expect(report.failed == 0 && report.skipped == 0, "\(report.text)")
        #expect(report.passed == file.tests.count && report.passed > 4)
    }

    @Test("The shim answers about a node as the implementation in this process does")
    func shim() throws {
        let server = try ShimServer()
        func ask(_ request: [String: JSONValue]) throws -> JSONValue {
            let line = JSONWriter.line(.object(request.merging(["seq": 1]) { own, _ in own }))
            return try JSONParser.parse(Array(try #require(server.answer(line)).utf8))
        }
        let file = try Repository.file("node/joining.json")
        let group = try #require(file.groups.first)
        let node = try #require(
            try ask(["command": "new", "group": "NodeScript", "params": group.params])["link"])
        var frames: [String] = []
        for step in try #require(group.tests.first?.steps) {
            guard step["actor"] == "self" else {
                #expect(try ask(["command": "step", "link": node, "step": step])["ok"] == true)
                continue
            }
            let poll = try ask(["command": "poll", "link": node])
            #expect(poll["digest"] == step["digest"] && poll["sends"] == "")
            frames += (poll["links"]?.members ?? [:]).sorted { $0.key < $1.key }.compactMap { $0.value.text }
        }
        // INVITE, CERTIFICATES and so on: each link's frames come once.
        #expect(frames.count >= 3 && frames.allSatisfy { !$0.isEmpty })
    }

    @Test(
        "An unknown step of a node is a bad question",
        arguments: [
            #"{"actor": "peer", "link": 2, "end": true}"#, #"{"actor": "app", "do": "rest"}"#,
            #"{"actor": "peer", "link": 1, "frame": "NOTHING", "payload": ""}"#, #"{"actor": "somebody"}"#,
            #"{"actor": "app", "do": "dial", "member": "00"}"#,
        ])
    func badSteps(text: String) throws {
        let subject = try SwiftSubject()
        let file = try Repository.file("node/joining.json")
        let group = try #require(file.groups.first)
        let node = try #require(try subject.makeLink(.nodeScript, params: group.params))
        #expect(throws: SubjectFault.self) {
            try subject.step(link: node, try JSONParser.parse(Array(text.utf8)))
        }
    }
}
