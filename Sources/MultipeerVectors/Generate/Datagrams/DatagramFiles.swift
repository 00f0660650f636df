internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `datagrams/`: messages over UDP beside a link (SPEC §26).
struct DatagramFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try frames().file(), try packets().file(),
            try PathScripts(files: self).write().file(), try WindowScripts(files: self).write().file(),
            try RateScripts(files: self).write().file(),
        ]
    }

    private func frames() throws -> CaseWriter {
        let writer = CaseWriter(
            "datagrams/frames", topic: "datagrams-frames", type: .controlFrame, section: "26.2", subject: subject)
        let cases = FrameCases(writer)
        cases.begin("DATAGRAMS", section: "26.2")
        try cases.accept("of an initiator", [], [0, 0, 0])
        try cases.accept("of a responder", [], [0xC3, 0x51, 0])
        try cases.accept("the greatest port", [], [0xFF, 0xFF, 0])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("Truncated", "half a port", ["R3.3-1"], [0xC3])
        try cases.fieldLists([0xC3, 0x51])
        return writer
    }

    private func packets() throws -> CaseWriter {
        let writer = CaseWriter(
            "datagrams/packets", topic: "datagrams-packets", type: .datagram, section: "26.4", subject: subject)
        for suite in [Suite.chaChaPoly, .aesGCM] {
            writer.group(["suite": .integer(Int(suite.rawValue))])
            let features = suite.features
            for sender in ["initiator", "responder"] {
                for (comment, kind, contents) in kinds {
                    try writer.accept(
                        "\(comment), of the \(sender)", features: features,
                        inputs(sender, counter: 5, kind: kind, contents))
                }
                for counter in [0, 255, 256, 1_048_575, 1_048_576, 2_097_151, 0x0102_0304_0506_0708] as [UInt64] {
                    try writer.accept(
                        "counter \(counter) of the \(sender)", section: "26.3", features: features,
                        inputs(sender, counter: counter, kind: 4, Array("hello".utf8)))
                }
            }
        }
        return writer
    }

    private var kinds: [(String, Int, [UInt8])] {
        let probe = samples.bytes(8, "challenge 1") + samples.bytes(8, "challenge 2")
        return [
            ("a message of no bytes, which only its length makes one", 4, []), ("a message of one byte", 4, [0x5A]),
            ("the longest message", 4, samples.letters(1_167)),
            ("a probe", 5, probe + [UInt8](repeating: 0, count: 1_151)),
            ("a report", 6, DatagramReport(greatest: 70_000, received: 69_990, delay: 1_234_567).bytes),
        ]
    }

    private func inputs(_ sender: String, counter: UInt64, kind: Int, _ contents: [UInt8]) -> JSONValue {
        [
            "exporterSecret": .hex(samples.bytes32("exporter secret of datagrams")), "sender": .string(sender),
            "counter": .wide(counter), "kind": .integer(kind), "contents": .hex(contents),
        ]
    }
}

/// Collects the scripts of one file.
final class DatagramScripts {
    private let samples: Samples
    private let faults: FaultList
    private var cases: CaseList

    init(_ name: String, section: String, files: DatagramFiles) {
        cases = CaseList("datagrams/" + name, topic: "datagrams-" + name, type: .datagramScript, section: section)
        (samples, faults) = (files.samples, files.subject.faults)
    }

    /// A script, in which the implementation has each of these roles.
    func add(
        _ comment: String, _ requirements: [String], as roles: [LinkRole] = ScriptFiles.roles,
        suite: Suite = .chaChaPoly, maximumMessage: Int = 4_096, flags: [String] = [], section: String? = nil,
        _ body: (DatagramScript) throws -> Void
    ) throws {
        for role in roles {
            let script = try DatagramScript(role, suite: suite, maximumMessage: maximumMessage, samples: samples)
            let comment = roles.count > 1 ? "\(comment); the implementation is the \(role.name)" : comment
            try body(script)
            let head = CaseList.Head(
                comment: comment, requirements: requirements, flags: flags, section: section,
                features: ["datagrams"] + suite.features)
            cases.append(head, to: script.params, steps: script.steps, .accept)
        }
    }

    /// What a script has to show is not there: the file is not made.
    func require(_ condition: Bool, _ script: DatagramScript, _ what: String) {
        if !condition { faults.add(.cannotBuild("\(what): \(JSONWriter.line(script.heard).shortened)")) }
    }

    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) { try cases.file() }
}

extension DatagramScript {
    /// The kinds of packets that were sent last, in order.
    var sent: [String] {
        (heard["sends"]?.elements ?? []).map { sent in
            if sent["message"] != nil { return "message" }
            guard let challenge = sent["challenge"]?.text, let answered = sent["answered"]?.text else {
                return "report"
            }
            let zero = "0000000000000000"
            return (challenge == zero ? "" : "asks") + (answered == zero ? "" : "answers")
        }
    }

    /// The names of the events that were reported last.
    var events: [String] { (heard["events"]?.elements ?? []).compactMap { $0["event"]?.text } }
}
