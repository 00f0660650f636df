@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// Plays a `DatagramScript` (Vectors/README.md) against an implementation.
struct DatagramRunner {
    let crypto: SwiftCrypto

    func run(_ test: VectorTest, params: JSONValue, on subject: any VectorSubject) throws(SubjectFault) -> CaseVerdict {
        try subject.withLink(.datagramScript, params: params) { (path) throws(SubjectFault) in
            try play(test, params, path: path, on: subject)
        }
    }

    private func play(
        _ test: VectorTest, _ params: JSONValue, path: Int, on subject: any VectorSubject
    ) throws(SubjectFault) -> CaseVerdict {
        for (index, step) in (test.steps ?? []).enumerated() {
            guard step["actor"] == "self" else {
                try subject.step(link: path, step)
                continue
            }
            let came = try shown(try subject.poll(link: path), params)
            for part in ["sends", "events"] where came[part] != step[part] {
                return .failed("step \(index + 1): \(part): \(line(came[part])), not \(line(step[part]))")
            }
        }
        let left = try shown(try subject.poll(link: path), params)
        guard left["sends"] == [], left["events"] == [] else { return .failed("something is left: \(line(left))") }
        return test.result == .accept ? .passed : .failed("expected \(test.result.word), got accept")
    }

    /// What a poll says, as scripts write it.
    func shown(_ poll: LinkPoll, _ params: JSONValue) throws(SubjectFault) -> JSONValue {
        let params = Arguments(params, "params")
        var sends: [JSONValue] = []
        for packet in poll.packets { sends.append(try shown(packet, params)) }
        return ["actor": "self", "sends": .array(sends), "events": .array(poll.events)]
    }

    private func shown(_ packet: LinkPoll.Packet, _ params: Arguments) throws(SubjectFault) -> JSONValue {
        let secret = try params.bytes("exporterSecret")
        guard let role = LinkRole(name: try params.text("role")),
            let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try params.number("suite")))
        else { throw .badQuestion("params") }
        let opened: (header: DatagramHeader, contents: [UInt8])?
        do throws(CryptoFailure) {
            opened = try DatagramAccess.open(
                packet.bytes, by: role, suite: suite,
                exporterSecret: try crypto.provider.secrets.makeSecret(copying: secret.span), crypto: crypto.provider)
        } catch { throw .fault("\(error)") }
        guard let opened else { throw .inconsistent("a packet that does not verify") }
        var members: [String: JSONValue] = ["port": .integer(packet.port), "counter": .wide(opened.header.counter)]
        switch opened.header.kind {
        case .message: members["message"] = .hex(opened.contents)
        case .probe:
            guard DatagramProbe(contents: opened.contents.span) != nil else { throw .inconsistent("no probe") }
            members["challenge"] = .hex(Array(opened.contents[0..<8]))
            members["answered"] = .hex(Array(opened.contents[8..<16]))
        case .report:
            guard let report = DatagramReport(contents: opened.contents.span) else { throw .inconsistent("no report") }
            members["greatest"] = .wide(report.greatest)
            members["received"] = .wide(report.received)
            members["delay"] = .integer(Int(report.delay))
        }
        return .object(members)
    }

    private func line(_ value: JSONValue?) -> String { value.map(JSONWriter.line)?.shortened ?? "nothing" }
}
