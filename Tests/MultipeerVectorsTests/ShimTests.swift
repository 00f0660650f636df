import Foundation
import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Shims that crash, hang and lie, issue 3")
struct ShimTests {
    /// Knows varints of one byte. What it does with the byte `fault` is its mode.
    private static let program = """
        import json, os, sys, time
        mode, fault = sys.argv[1], "3f"
        if mode == "nothing": sys.exit(89)
        if mode == "start": sys.exit(3)
        for line in sys.stdin:
            request = json.loads(line)
            answer = {"seq": request["seq"]}
            if request["command"] == "exit": sys.exit(0)
            if request["command"] == "hello":
                answer |= {"name": "fake", "version": "1", "features": [], "groups": ["Varint"]}
            elif request["inputs"]["bytes"] == fault and mode == "crash": sys.exit(5)
            elif request["inputs"]["bytes"] == fault and mode == "late89": sys.exit(89)
            elif request["inputs"]["bytes"] == fault and mode == "hang": time.sleep(3600)
            elif request["inputs"]["bytes"] == fault and mode == "half":
                sys.stdout.write('{"seq": '); sys.stdout.flush(); time.sleep(3600)
            elif request["inputs"]["bytes"] == fault and mode == "nonsense": print("hello?", flush=True); continue
            elif request["inputs"]["bytes"] == fault and mode == "other": answer["seq"] += 1
            elif request["inputs"]["bytes"] == fault and mode == "empty": pass
            elif request["inputs"]["bytes"] == fault and mode == "closed": os.close(1); time.sleep(3600)
            elif request["inputs"]["bytes"] == fault and mode == "wrong": answer |= {"ok": True, "expected": {"value": "1"}}
            elif len(request["inputs"]["bytes"]) == 2:
                answer |= {"ok": True, "expected": {"value": str(int(request["inputs"]["bytes"], 16))}}
            else: answer["unimplemented"] = True
            print(json.dumps(answer), flush=True)
        """

    private func run(_ mode: String, exceptions: Exceptions = Exceptions([]), timeout: Double = 20) throws -> RunReport
    {
        let folder = try Scratch()
        let shim = try folder.write("shim.py", Self.program)
        let subject = ShimSubject(command: "python3 \(shim) \(mode)", timeout: timeout)
        defer { subject.end() }
        let file = try Repository.file("framing/varint.json")
        var small = file
        // 0, 1, 63, and two of two bytes.
        small.groups[0].tests = Array(file.groups[0].tests.prefix(5))
        return try VectorRunner(subject, exceptions: exceptions).run(try VectorSet([("varint.json", small)]))
    }

    @Test("A good shim passes supported cases; the rest is skipped")
    func good() throws {
        let report = try run("good")
        #expect(report.summary == "3 passed, 0 failed, 2 skipped")
        #expect(report.results[3].verdict == .skipped("unimplemented"))
    }

    @Test(
        "The case gets its verdict, the shim is restarted, and the run continues",
        arguments: [
            ("crash", .fault("the shim ended with status 5")), ("late89", .fault("the shim ended with status 89")),
            ("nonsense", .fault("writes what is not JSON: hello?")),
        ] as [(String, CaseVerdict)])
    func falls(mode: String, verdict: CaseVerdict) throws {
        let report = try run(mode)
        #expect(report.results[2].verdict == verdict)
        #expect(report.summary == "2 passed, 1 failed, 2 skipped")
    }

    @Test("An answer of another form or to another question is a FAULT", arguments: ["other", "empty", "closed"])
    func lies(mode: String) throws {
        let report = try run(mode)
        guard case .fault = report.results[2].verdict else {
            Issue.record("\(report.results[2].verdict)")
            return
        }
        #expect(report.summary == "2 passed, 1 failed, 2 skipped")
    }

    @Test("No answer, or half of one, is a HANG", arguments: ["hang", "half"])
    func hangs(mode: String) throws {
        let report = try run(mode, timeout: 5)
        #expect(report.results[2].verdict == .hang)
        #expect(report.summary == "2 passed, 1 failed, 2 skipped")
    }

    @Test("A wrong answer fails, with the expected and the received one")
    func wrong() throws {
        let report = try run("wrong")
        #expect(report.results[2].verdict == .failed("value: expected \"63\", got \"1\""))
    }

    @Test("Status 89 before the first answer means that nothing is supported")
    func nothing() throws { #expect(try run("nothing").summary == "0 passed, 0 failed, 5 skipped") }

    @Test("A shim that never starts is a FAULT for every case", arguments: ["start"])
    func neverStarts(mode: String) throws { #expect(try run(mode).summary == "0 passed, 5 failed, 0 skipped") }

    @Test("A program that echoes its input is no shim")
    func echo() throws {
        let subject = ShimSubject(command: "cat", timeout: 20)
        defer { subject.end() }
        let file = try Repository.file("encryption-policy/outcome.json")
        let report = try VectorRunner(subject).run(try VectorSet([("outcome.json", file)]))
        #expect(report.failed == file.tests.count)
    }

    @Test("An exception with a reason turns a failure into a skip; an unneeded one is reported")
    func exceptions() throws {
        let known = Exceptions([
            .init(id: "framing-varint-003", reason: "a joke"), .init(id: "framing-varint-00*", reason: "unused"),
            .init(id: "framing-varint-001", reason: "passes"),
        ])
        let report = try run("wrong", exceptions: known)
        #expect(report.summary == "2 passed, 0 failed, 3 skipped")
        #expect(report.unusedExceptions == ["framing-varint-00*", "framing-varint-001"])
        #expect(report.text.contains("unused exception framing-varint-001"))
    }

    @Test("A file of exceptions without a reason is refused")
    func badExceptions() {
        let texts = [
            "{}", "{\"exceptions\": [{\"id\": \"a\"}]}", "{\"exceptions\": [{\"id\": \"a\", \"reason\": \"\"}]}", "[",
        ]
        for text in texts {
            #expect(throws: VectorFileError.self) { try Exceptions(text: Array(text.utf8), file: "x.json") }
        }
    }

    @Test("Reports: the summary is the last line, JUnit is XML, JSON is JSON")
    func reports() throws {
        let report = try run("crash")
        #expect(report.text.hasSuffix("\n2 passed, 1 failed, 2 skipped\n"))
        let folder = try Scratch()
        let path = try folder.write("r.xml", report.junit)
        let counts = try Tool.run("python3", ["Scripts/testing/junit.py", path], in: Repository.root.path)
        #expect(counts.output == "2\n1\n2\nvarint.json.framing-varint-003: the shim ended with status 5\n")
        let json = try JSONParser.parse(Array(JSONWriter.file(report.json).utf8))
        #expect(json["failed"] == 1)
    }

    @Test(
        "This project's own shim answers every case as the implementation does",
        .enabled(if: Repository.laboratory != nil)
    )
    func ownShim() throws {
        let program = try #require(Repository.laboratory)
        let subject = ShimSubject(command: "'\(program)' vectors shim", timeout: 60)
        defer { subject.end() }
        let report = try VectorRunner(subject).run(try Repository.vectors())
        #expect(report.failed == 0, "\(report.text.prefix(4_000))")
        #expect(report.skipped == 0)
        #expect(subject.name == "swift-multipeer")
    }

    @Test(
        "The own shim survives malformed input",
        arguments: [
            "", "x", "[]", "{}", "{\"seq\": 1, \"command\": \"dance\"}", "{\"seq\": 1, \"command\": \"test\"}",
            "{\"seq\": 1, \"command\": \"poll\", \"link\": 77}", "{\"seq\": 1, \"command\": \"new\", \"params\": {}}",
            "{\"seq\": 1, \"command\": \"test\", \"group\": \"Varint\", \"params\": {}, \"inputs\": {\"bytes\": \"0\"}}",
        ])
    func nonsense(line: String) throws {
        let server = try ShimServer()
        let answer = try #require(server.answer(line))
        let json = try JSONParser.parse(Array(answer.utf8))
        #expect(json["ok"] == false || json["unimplemented"] == true)
        #expect(server.answer("{\"seq\": 2, \"command\": \"exit\"}") == nil)
    }
}
