internal import Foundation
internal import MultipeerCrypto

/// Any implementation that a shim drives (Vectors/SHIM.md). A shim that hangs or crashes is started again for the next
/// case.
public final class ShimSubject: VectorSubject {
    private let command: String
    private let timeout: Double
    private var process: ShimProcess?
    private var sequence = 0
    private var features: Set<String> = []
    private var groups: Set<String> = []
    /// The shim exited with status 89 before its first answer, because it supports nothing here.
    private var supportsNothing = false
    private var failedStarts = 0
    /// After this many failed starts in a row, the shim is not started again.
    private static let maximumFailedStarts = 3

    /// The name that the shim gives itself. It is empty before the first case.
    public private(set) var name = ""

    /// - Parameters:
    ///   - command: a command for `sh`.
    ///   - timeout: how long an answer may take, in seconds.
    public init(command: String, timeout: Double = 10) {
        self.command = command
        self.timeout = timeout
        // A child that does not read must not end this program; writes to it fail instead.
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Asks the shim to end.
    public func end() {
        if let process, process.write(JSONWriter.line(["seq": .integer(sequence + 1), "command": "exit"])) {
            _ = process.exitStatus()
        }
        process?.end()
        process = nil
    }

    // MARK: Questions

    public func lacking(_ wanted: [String]) throws(SubjectFault) -> [String] {
        try start()
        return supportsNothing ? [] : wanted.filter { !features.contains($0) }
    }

    public func test(
        _ group: VectorGroupType, params: JSONValue, inputs: JSONValue
    ) throws(SubjectFault) -> SubjectAnswer {
        try start()
        guard !supportsNothing, groups.contains(group.rawValue) else { return .unimplemented }
        let answer = try ask([
            "command": "test", "group": .string(group.rawValue), "params": params, "inputs": inputs,
        ])
        if answer["unimplemented"] == true { return .unimplemented }
        let expected = answer["expected"] ?? [:]
        if answer["ok"] == true { return .accepted(expected) }
        if answer["incomplete"] == true { return .incomplete(expected) }
        if let fault = Self.harnessFault(answer) { throw fault }
        guard let layer = answer["error"]?["layer"]?.text, let code = answer["error"]?["code"]?.text else {
            throw fall("no answer to a test: \(JSONWriter.line(answer).shortened)")
        }
        return .rejected(layer: layer, code: code, expected: expected)
    }

    public func makeLink(_ group: VectorGroupType, params: JSONValue) throws(SubjectFault) -> Int? {
        try start()
        guard !supportsNothing, groups.contains(group.rawValue) else { return nil }
        let answer = try ask(["command": "new", "group": .string(group.rawValue), "params": params])
        if answer["unimplemented"] == true { return nil }
        if let fault = Self.harnessFault(answer) { throw fault }
        guard let link = answer["link"]?.number else { throw fall("no answer to new") }
        return link
    }

    public func step(link: Int, _ step: JSONValue) throws(SubjectFault) {
        let answer = try ask(["command": "step", "link": .integer(link), "step": step])
        if answer["unimplemented"] == true { throw .unimplemented }
        if let fault = Self.harnessFault(answer) { throw fault }
        guard answer["ok"]?.truth != nil else { throw fall("no answer to step") }
    }

    public func poll(link: Int) throws(SubjectFault) -> LinkPoll {
        let answer = try ask(["command": "poll", "link": .integer(link)])
        if answer["unimplemented"] == true { throw .unimplemented }
        if let fault = Self.harnessFault(answer) { throw fault }
        guard let sends = answer["sends"]?.text.flatMap(Hexadecimal.decode), let events = answer["events"]?.elements
        else { throw fall("no answer to poll") }
        var poll = LinkPoll(sends: sends, events: events, deadline: answer["deadline"]?.number)
        for (link, frames) in answer["links"]?.members ?? [:] {
            guard let number = Int(link), let bytes = frames.text.flatMap(Hexadecimal.decode) else {
                throw fall("no answer to poll")
            }
            poll.links[number] = bytes
        }
        for packet in answer["packets"]?.elements ?? [] {
            guard let port = packet["port"]?.number, let bytes = packet["packet"]?.text.flatMap(Hexadecimal.decode)
            else { throw fall("no answer to poll") }
            poll.packets.append(LinkPoll.Packet(port: port, bytes: bytes))
        }
        poll.digest = answer["digest"]?.text.flatMap(Hexadecimal.decode)
        return poll
    }

    public func free(link: Int) throws(SubjectFault) {
        _ = try ask(["command": "free", "link": .integer(link)])
    }

    /// What a shim says about the question, not about the bytes.
    private static func harnessFault(_ answer: JSONValue) -> SubjectFault? {
        guard let error = answer["error"], error["layer"] == "harness" else { return nil }
        let detail = error["detail"]?.text ?? ""
        switch error["code"]?.text {
        case "bad_question": return .badQuestion(detail)
        case "inconsistent": return .inconsistent(detail)
        default: return .fault("harness: \(error["code"]?.text ?? "") \(detail)".shortened)
        }
    }

    // MARK: The child

    private func start() throws(SubjectFault) {
        guard process == nil, !supportsNothing else { return }
        guard failedStarts < Self.maximumFailedStarts else { throw .fault("the shim does not start") }
        failedStarts += 1
        do { process = try ShimProcess(command: command) } catch { throw .fault("the shim does not start") }
        let answer: JSONValue
        do throws(SubjectFault) {
            answer = try ask(["command": "hello", "protocol": 1])
        } catch {
            guard supportsNothing else { throw error }
            return
        }
        guard let name = answer["name"]?.text, let features = answer["features"]?.elements,
            let groups = answer["groups"]?.elements
        else { throw fall("no answer to hello: \(JSONWriter.line(answer).shortened)") }
        self.name = name
        self.features = Set(features.compactMap(\.text))
        self.groups = Set(groups.compactMap(\.text))
        failedStarts = 0
    }

    /// One request and its answer. Whatever goes wrong, the shim is ended.
    private func ask(_ request: [String: JSONValue]) throws(SubjectFault) -> JSONValue {
        guard let process else { throw .fault("the shim has ended") }
        let isFirst = request["command"] == "hello"
        sequence += 1
        let members = request.merging(["seq": .integer(sequence)]) { own, _ in own }
        guard process.write(JSONWriter.line(.object(members))) else { throw ended(process, isFirst) }
        switch process.read(timeout: timeout) {
        case .timedOut:
            drop()
            throw .hang
        case .ended: throw ended(process, isFirst)
        case .line(let line):
            guard let answer = try? JSONParser.parse(line), answer.members != nil else {
                throw fall("writes what is not JSON: \(String(decoding: line.prefix(120), as: UTF8.self))")
            }
            guard answer["seq"]?.number == sequence else {
                throw fall("answers \(answer["seq"].map(JSONWriter.line) ?? "nothing") in place of \(sequence)")
            }
            return answer
        }
    }

    private func ended(_ child: ShimProcess, _ isFirst: Bool) -> SubjectFault {
        let status = child.exitStatus()
        drop()
        if isFirst, status == 89 {
            supportsNothing = true
            return .unimplemented
        }
        return .fault("the shim ended" + (status.map { " with status \($0)" } ?? ""))
    }

    private func fall(_ text: String) -> SubjectFault {
        drop()
        return .fault(text)
    }

    private func drop() {
        process?.end()
        process = nil
    }
}
