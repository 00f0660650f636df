internal import MultipeerCrypto

/// Plays an `AssociationScript` (Vectors/README.md) against an implementation.
struct AssociationRunner {
    /// More bytes than this are shown by their length and hash.
    static let longest = 1_024

    let crypto: SwiftCrypto

    func run(_ test: VectorTest, params: JSONValue, on subject: any VectorSubject) throws(SubjectFault) -> CaseVerdict {
        try subject.withLink(.associationScript, params: params) { (link) throws(SubjectFault) in
            try play(test, link: link, on: subject)
        }
    }

    private func play(_ test: VectorTest, link: Int, on subject: any VectorSubject) throws(SubjectFault) -> CaseVerdict
    {
        var failure: JSONValue?
        for (index, step) in (test.steps ?? []).enumerated() {
            guard step["actor"] == "self" else {
                try subject.step(link: link, step)
                continue
            }
            let (sends, events) = try shown(try subject.poll(link: link))
            failure = events.first { $0["event"] == "failed" }?["code"] ?? failure
            guard JSONValue.array(sends) == step["sends"] else {
                return .failed("step \(index + 1): sends \(line(sends)), not \(line(step["sends"]))")
            }
            let (came, expected) = (events.map(Self.comparable), (step["events"]?.elements ?? []).map(Self.comparable))
            guard came == expected else {
                return .failed("step \(index + 1): reports \(line(came)), not \(line(expected))")
            }
        }
        let (sends, events) = try shown(try subject.poll(link: link))
        guard sends.isEmpty, events.isEmpty else {
            return .failed("something is left: \(line(sends)), \(line(events))")
        }
        switch test.result {
        case .accept where failure == nil: return .passed
        case .reject(_, let code, _) where failure == .string(code): return .passed
        default: return .failed("expected \(test.result.word), got \(failure?.text ?? "accept")")
        }
    }

    /// What a poll says, as scripts write it.
    func shown(_ poll: LinkPoll) throws(SubjectFault) -> (sends: [JSONValue], events: [JSONValue]) {
        let sends: [JSONValue] = SendsReader.joined(try SendsReader.frames(poll.sends)).map { sent in
            ["frame": .string(sent.name), "payload": short(.hex(sent.payload))]
        }
        let events = poll.events.map { event in
            guard case .object(var members) = event, let bytes = members["bytes"] else { return event }
            members["bytes"] = short(bytes)
            return .object(members)
        }
        return (sends, events)
    }

    private func short(_ bytes: JSONValue) -> JSONValue {
        guard let text = bytes.text, text.utf8.count > 2 * Self.longest, let content = Hexadecimal.decode(text) else {
            return bytes
        }
        return .string("#\(content.count):" + Hexadecimal.encode(crypto.sha256(content)))
    }

    private static func comparable(_ event: JSONValue) -> JSONValue {
        guard case .object(var members) = event else { return event }
        members["maximum"] = nil
        return .object(members)
    }

    private func line(_ values: [JSONValue]) -> String { JSONWriter.line(.array(values)).shortened }
    private func line(_ value: JSONValue?) -> String { value.map(JSONWriter.line)?.shortened ?? "nothing" }
}
