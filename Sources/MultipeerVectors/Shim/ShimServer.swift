/// This project's own shim. It speaks the protocol of Vectors/SHIM.md, with one line for each request.
public final class ShimServer {
    private let subject: SwiftSubject

    /// Starts the implementation.
    public init() throws(SubjectFault) { subject = try SwiftSubject() }

    /// Answers one request. Returns nil if the request is `exit`.
    public func answer(_ line: String) -> String? {
        let request: JSONValue
        do { request = try JSONParser.parse(Array(line.utf8)) } catch {
            return JSONWriter.line(["seq": -1, "ok": false, "error": Self.harness("not_json", "")])
        }
        let command = request["command"]?.text
        if command == "exit" { return nil }
        var members: [String: JSONValue]
        do throws(SubjectFault) {
            members = try answer(to: command ?? "", Arguments(request, "request"))
        } catch {
            members = Self.members(of: error)
        }
        members["seq"] = request["seq"] ?? -1
        return JSONWriter.line(.object(members))
    }

    private func answer(to command: String, _ request: Arguments) throws(SubjectFault) -> [String: JSONValue] {
        switch command {
        case "hello":
            return [
                "ok": true, "name": "swift-multipeer", "version": "1",
                "specVersion": .string(VectorFile.currentSpecVersion),
                "features": .array(SwiftSubject.features.map(JSONValue.string)),
                "groups": .array(VectorGroupType.allCases.map { .string($0.rawValue) }),
            ]
        case "test": return try test(request)
        case "new":
            let name = request.has("group") ? try request.text("group") : VectorGroupType.linkScript.rawValue
            guard let group = VectorGroupType(rawValue: name),
                [.linkScript, .associationScript, .nodeScript, .datagramScript].contains(group)
            else {
                return ["unimplemented": true]
            }
            let link = try subject.makeLink(group, params: try request.object("params").json)
            return link.map { ["ok": true, "link": .integer($0)] } ?? ["unimplemented": true]
        case "step":
            try subject.step(link: try request.number("link"), try request.object("step").json)
            return ["ok": true]
        case "poll":
            let poll = try subject.poll(link: try request.number("link"))
            var members: [String: JSONValue] = [
                "ok": true, "sends": .hex(poll.sends), "events": .array(poll.events),
                "deadline": poll.deadline.map(JSONValue.integer) ?? .null,
            ]
            members.merge(Self.ofNode(poll)) { own, _ in own }
            return members
        case "free":
            try subject.free(link: try request.number("link"))
            return ["ok": true]
        default: return ["unimplemented": true]
        }
    }

    /// What only nodes and paths say.
    private static func ofNode(_ poll: LinkPoll) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !poll.links.isEmpty {
            members["links"] = .object(
                Dictionary(uniqueKeysWithValues: poll.links.map { (String($0.key), .hex($0.value)) }))
        }
        if let digest = poll.digest { members["digest"] = .hex(digest) }
        if !poll.packets.isEmpty {
            members["packets"] = .array(
                poll.packets.map { ["port": .integer($0.port), "packet": .hex($0.bytes)] })
        }
        return members
    }

    private func test(_ request: Arguments) throws(SubjectFault) -> [String: JSONValue] {
        guard let group = VectorGroupType(rawValue: try request.text("group")) else { return ["unimplemented": true] }
        let answer = try subject.test(
            group, params: try request.object("params").json, inputs: try request.object("inputs").json)
        switch answer {
        case .accepted(let expected): return ["ok": true, "expected": expected]
        case .rejected(let layer, let code, let expected):
            return ["ok": false, "error": Self.error(layer, code), "expected": expected]
        case .incomplete(let expected): return ["ok": false, "incomplete": true, "expected": expected]
        case .unimplemented: return ["unimplemented": true]
        }
    }

    private static func error(_ layer: String, _ code: String) -> JSONValue {
        ["layer": .string(layer), "code": .string(code)]
    }

    /// A question that cannot be answered is no rejection of the bytes: its layer is none of SPEC §18.
    private static func members(of fault: SubjectFault) -> [String: JSONValue] {
        switch fault {
        case .unimplemented: ["unimplemented": true]
        case .badQuestion(let text): ["ok": false, "error": harness("bad_question", text)]
        case .inconsistent(let text): ["ok": false, "error": harness("inconsistent", text)]
        case .fault(let text): ["ok": false, "error": harness("fault", text)]
        case .hang: ["ok": false, "error": harness("fault", "hang")]
        }
    }

    private static func harness(_ code: String, _ detail: String) -> JSONValue {
        ["layer": "harness", "code": .string(code), "detail": .string(detail)]
    }
}
