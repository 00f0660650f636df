internal import MultipeerCrypto

/// Plays a `NodeScript` (Vectors/README.md) against an implementation.
struct NodeRunner {
    let crypto: SwiftCrypto

    func run(_ test: VectorTest, params: JSONValue, on subject: any VectorSubject) throws(SubjectFault) -> CaseVerdict {
        try subject.withLink(.nodeScript, params: params) { (node) throws(SubjectFault) in
            try play(test, node: node, on: subject)
        }
    }

    private func play(_ test: VectorTest, node: Int, on subject: any VectorSubject) throws(SubjectFault) -> CaseVerdict
    {
        for (index, step) in (test.steps ?? []).enumerated() {
            guard step["actor"] == "self" else {
                try subject.step(link: node, step)
                continue
            }
            let came = try shown(try subject.poll(link: node))
            for part in ["sends", "events", "digest"] where came[part] != step[part] {
                return .failed("step \(index + 1): \(part): \(line(came[part])), not \(line(step[part]))")
            }
        }
        let left = try shown(try subject.poll(link: node))
        guard left["sends"] == [], left["events"] == [] else { return .failed("something is left: \(line(left))") }
        return test.result == .accept ? .passed : .failed("expected \(test.result.word), got accept")
    }

    /// What a poll says, as scripts write it. Links have no order among each other, and events of one step have none.
    func shown(_ poll: LinkPoll) throws(SubjectFault) -> JSONValue {
        var sends: [JSONValue] = []
        for (link, frames) in poll.links.sorted(by: { $0.key < $1.key }) {
            for sent in try SendsReader.frames(frames) {
                sends.append([
                    "link": .integer(link), "frame": .string(sent.name), "payload": crypto.short(sent.payload),
                ])
            }
        }
        let events = poll.events.sorted { JSONWriter.line($0) < JSONWriter.line($1) }
        return .members([
            "actor": "self", "sends": .array(sends), "events": .array(events),
            "digest": poll.digest.map(JSONValue.hex),
        ])
    }

    private func line(_ value: JSONValue?) -> String { value.map(JSONWriter.line)?.shortened ?? "nothing" }
}

extension SwiftCrypto {
    /// Bytes as scripts show them: long ones by their length and hash.
    func short(_ bytes: [UInt8]) -> JSONValue {
        guard bytes.count > AssociationRunner.longest else { return .hex(bytes) }
        return .string("#\(bytes.count):" + Hexadecimal.encode(sha256(bytes)))
    }
}
