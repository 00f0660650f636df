import Foundation
import MultipeerTestSupport
import MultipeerVectors

/// A shim written for a test: varints, messages of frames, and what it does wrong, in Python.
enum FuzzShim {
    /// Right answers for `Varint` and `Refusal`, but for the faults that its argument names.
    private static let program = """
        import json, os, sys, time
        fault = sys.argv[1]

        def varint(data):
            if not data: raise ValueError
            length = 1 << (data[0] >> 6)
            value = int.from_bytes(data[:length], "big") & ((1 << (8 * length - 2)) - 1)
            shortest = 1 if value < 64 else 2 if value < 16384 else 4 if value < 1 << 30 else 8
            if len(data) < length or (length != shortest and fault != "lenient"): raise ValueError
            return value, data[length:]

        def judge(group, inputs):
            data = bytes.fromhex(inputs["bytes"])
            if fault == "crash" and b"\\x40" in data: os._exit(3)
            if fault == "hang" and b"\\x40" in data: time.sleep(3600)
            if fault == "bad" and b"\\x40" in data: return {"ok": False, "error": {"layer": "harness", "code": "bad_question"}}
            if fault == "lack" and b"\\x40" in data: return {"unimplemented": True}
            try:
                value, rest = varint(data)
                if rest and fault != "trailing": raise ValueError
            except ValueError:
                code = "unsupported" if fault == "code" and data[:1] == b"\\xc0" else "malformed"
                return {"ok": False, "error": {"layer": "wire", "code": code}, "expected": {}}
            if fault == "value" and value == 16384: value += 1
            return {"ok": True, "expected": {"value": str(value), "more": 1}}

        for line in sys.stdin:
            request = json.loads(line)
            answer = {"seq": request["seq"]}
            if request["command"] == "exit": sys.exit(0)
            if request["command"] == "hello":
                answer |= {"name": "fake", "version": "1", "features": [], "groups": ["Varint"]}
            else:
                answer |= judge(request["group"], request["inputs"])
            print(json.dumps(answer), flush=True)
        """

    /// A run over varints against that shim.
    static func run(
        _ fault: String, count: Int = 400, seed: UInt64 = 5, first: Int = 0, timeout: Double = 20,
        groups: Set<VectorGroupType>? = [.varint]
    ) throws -> DifferentialReport {
        let folder = try Scratch()
        let shim = try folder.write("shim.py", program)
        let subject = ShimSubject(command: "python3 \(shim) \(fault)", timeout: timeout)
        defer { subject.end() }
        let fuzzer = try DifferentialFuzzer(
            SwiftSubject(), and: subject,
            seeds: try VectorSet([("varint.json", try Repository.file("framing/varint.json"))]))
        return fuzzer.run(
            DifferentialSettings(seed: seed, first: first, groups: groups, limit: .count(count)))
    }
}

/// This implementation with another answer where a test wants one.
final class BentSubject: VectorSubject {
    private let base: SwiftSubject
    var bendsTest: (VectorGroupType, JSONValue, SubjectAnswer) -> SubjectAnswer = { $2 }
    var bendsPoll: (LinkPoll) -> LinkPoll = { $0 }
    private(set) var asked = 0

    init() throws { base = try SwiftSubject() }

    func test(
        _ group: VectorGroupType, params: JSONValue, inputs: JSONValue
    ) throws(SubjectFault) -> SubjectAnswer {
        asked += 1
        return bendsTest(group, inputs, try base.test(group, params: params, inputs: inputs))
    }

    func makeLink(_ group: VectorGroupType, params: JSONValue) throws(SubjectFault) -> Int? {
        try base.makeLink(group, params: params)
    }
    func step(link: Int, _ step: JSONValue) throws(SubjectFault) { try base.step(link: link, step) }
    func poll(link: Int) throws(SubjectFault) -> LinkPoll { bendsPoll(try base.poll(link: link)) }
    func free(link: Int) throws(SubjectFault) { try base.free(link: link) }
    func lacking(_ features: [String]) throws(SubjectFault) -> [String] { base.lacking(features) }
}
