internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `negotiation/`: SPEC §7.
struct NegotiationFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }
    var current: UInt16 { ProtocolVersion.draft04.rawValue }
    var currentVersion: JSONValue { .integer(Int(current)) }
    var key: [UInt8] { samples.bytes32("negotiation key") }
    var tag: [UInt8] { Array(samples.bytes32("negotiation tag").prefix(16)) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try initiatorHello().file(), try responderHello().file(), try refusals().file(), try choices().file(),
            try checks().file(),
        ]
    }

    private func writer(_ name: String, _ topic: String, _ type: VectorGroupType, _ section: String) -> CaseWriter {
        CaseWriter("negotiation/" + name, topic: "negotiation-" + topic, type: type, section: section, subject: subject)
    }

    func body(
        _ versions: [UInt16], _ suites: [UInt16], _ extensions: [(UInt16, [UInt8])] = []
    ) -> [UInt8] {
        WireBytes.values(versions) + WireBytes.values(suites) + encoded(extensions) + key
    }

    func encoded(_ extensions: [(UInt16, [UInt8])]) -> [UInt8] {
        WireBytes.vector(extensions.flatMap { WireBytes.u16($0.0) + WireBytes.vector($0.1) })
    }

    private func initiatorHello() throws -> CaseWriter {
        let cases = writer("initiator-hello", "initiator-hello", .initiatorHello, "7.1")
        func add(_ comment: String, _ requirements: [String], _ flags: [String], _ body: [UInt8]) throws {
            try cases.accept(comment, requirements, flags: flags, ["body": .hex(body)])
        }
        try add("one version, one suite", ["R7.2-1"], [], body([current], [1]))
        try add("both suites, the preferred first", [], [], body([current], [2, 1]))
        try add(
            "GREASE in all three lists", ["R7.1-3", "R7.4-1"], ["Grease"],
            body([0x0A0A, current], [1, 0xFAFA, 2], [(0x1A1A, [])]))
        try add(
            "unknown versions, suites and extensions", ["R7.1-3"], ["UnknownValue"],
            body([0x7FFF, current], [3, 1], [(1, [9]), (0x4000, [1, 2]), (0xFF00, [])]))
        try add("reserved values", ["R7.1-3"], ["UnknownValue"], body([0, current], [0, 1], [(0, [])]))
        try add("32 versions and 32 suites", [], [], body(Array(1...32), Array(1...32)))
        try add(
            "the longest data of an extension", [], [], body([current], [1], [(5, [UInt8](repeating: 1, count: 2_048))])
        )
        try add(
            "3,072 bytes of extensions", [], [],
            body([current], [1], [(5, [UInt8](repeating: 1, count: 2_048)), (6, [UInt8](repeating: 2, count: 1_016))]))
        try malformedHellos(cases)
        return cases
    }

    private func malformedHellos(_ cases: CaseWriter) throws {
        func refuse(_ flag: String, _ comment: String, _ requirements: [String], _ body: [UInt8]) throws {
            try cases.reject("malformed", flag, comment, requirements, ["body": .hex(body)])
        }
        let good = body([current], [1])
        try refuse("Duplicate", "a version stands twice", ["R7.1-1"], body([current, 2, current], [1]))
        try refuse("Duplicate", "a suite stands twice", ["R7.1-1"], body([current], [1, 2, 2]))
        try refuse("Duplicate", "a GREASE value stands twice", ["R7.1-1"], body([0x0A0A, current, 0x0A0A], [1]))
        try refuse("Duplicate", "an extension stands twice", ["R7.1-2"], body([current], [1], [(5, []), (5, [])]))
        try refuse("NotAscending", "extensions descend", ["R7.1-2"], body([current], [1], [(6, []), (5, [])]))
        try refuse("LengthOutOfRange", "no version", ["R3.3-1"], body([], [1]))
        try refuse("LengthOutOfRange", "no suite", ["R3.3-1"], body([current], []))
        try refuse("LengthOutOfRange", "33 versions", ["R3.3-1"], body(Array(1...33), [1]))
        try refuse("LengthOutOfRange", "33 suites", ["R3.3-1"], body([current], Array(1...33)))
        try refuse("CutElement", "half a version", ["R3.3-1"], [3, 0, 1, 0] + WireBytes.values([1]) + [0] + key)
        try refuse(
            "CutElement", "half an extension", ["R3.3-1"], WireBytes.values([1]) + WireBytes.values([1]) + [1, 0] + key)
        try refuse(
            "LengthExceedsRest", "an extension longer than its list", ["R3.3-1"],
            WireBytes.values([1]) + WireBytes.values([1]) + WireBytes.vector([0, 5, 9, 1]) + key)
        try refuse(
            "LengthOutOfRange", "2,049 bytes of an extension", ["R3.3-1"],
            body([current], [1], [(5, [UInt8](repeating: 1, count: 2_049))]))
        try refuse(
            "LengthOutOfRange", "3,073 bytes of extensions", ["R3.3-1"],
            body([current], [1], [(5, [UInt8](repeating: 1, count: 2_048)), (6, [UInt8](repeating: 2, count: 1_017))]))
        try refuse("NonMinimalInteger", "a count in a longer form", ["R3.2-1"], [0x40, 2, 0, 1] + good.dropFirst(3))
        try refuse("Truncated", "31 bytes of ephemeral", ["R3.3-1"], Array(good.dropLast()))
        try refuse("TrailingBytes", "a byte after the ephemeral", ["R3.3-2"], good + [0])
        try refuse("Truncated", "a hello without an ephemeral", ["R3.3-1"], Array(good.dropLast(32)))
    }

    private func responderHello() throws -> CaseWriter {
        let cases = writer("responder-hello", "responder-hello", .responderHello, "7.3")
        let end = key + tag
        func reply(_ version: UInt16, _ suite: UInt16, _ extensions: [(UInt16, [UInt8])] = []) -> [UInt8] {
            WireBytes.u16(version) + WireBytes.u16(suite) + encoded(extensions) + end
        }
        try cases.accept("suite 0x0001", [], ["body": .hex(reply(current, 1))])
        try cases.accept("suite 0x0002", [], ["body": .hex(reply(current, 2))])
        try cases.accept(
            "values that were never offered decode; they are judged later", [], flags: ["NotOffered"],
            ["body": .hex(reply(0x0A0A, 0xFAFA, [(7, [1])]))])
        try cases.accept("two extensions", [], ["body": .hex(reply(current, 1, [(7, []), (8, [1, 2])]))])
        func refuse(_ flag: String, _ comment: String, _ requirements: [String], _ body: [UInt8]) throws {
            try cases.reject("malformed", flag, comment, requirements, ["body": .hex(body)])
        }
        let good = reply(current, 1)
        try refuse("Duplicate", "an extension stands twice", ["R7.1-2"], reply(current, 1, [(7, []), (7, [])]))
        try refuse("NotAscending", "extensions descend", ["R7.1-2"], reply(current, 1, [(8, []), (7, [])]))
        try refuse("Truncated", "15 bytes of confirmation", ["R3.3-1"], Array(good.dropLast()))
        try refuse("TrailingBytes", "a byte after the confirmation", ["R3.3-2"], good + [0])
        try refuse(
            "LengthExceedsRest", "extensions longer than the hello", ["R3.3-1"],
            WireBytes.u16(current) + [0, 1, 0x3F] + end)
        try refuse(
            "LengthOutOfRange", "3,073 bytes of extensions", ["R3.3-1"],
            reply(current, 1, [(5, [UInt8](repeating: 1, count: 2_048)), (6, [UInt8](repeating: 2, count: 1_017))]))
        return cases
    }

    private func refusals() throws -> CaseWriter {
        let cases = writer("refusal", "refusal", .refusal, "7.5")
        func add(_ comment: String, _ requirements: [String], _ flags: [String], _ body: [UInt8]) throws {
            try cases.accept(comment, requirements, flags: flags, ["body": .hex(body)])
        }
        try add("unsupported_version with a list", ["R7.3-3"], [], [1] + WireBytes.values([1]) + [0])
        try add("unsupported_suite with a list", ["R7.3-3"], [], [2, 0] + WireBytes.values([1, 2]))
        try add("busy", [], ["Busy"], [3, 0, 0])
        try add("malformed_hello", [], [], [4, 0, 0])
        try add("an unknown code", ["R7.5-3"], ["UnknownValue"], [0x77, 0, 0])
        try add("32 versions", [], [], [1] + WireBytes.values(Array(1...32)) + [0])
        func refuse(_ flag: String, _ comment: String, _ requirements: [String], _ body: [UInt8]) throws {
            try cases.reject("malformed", flag, comment, requirements, ["body": .hex(body)])
        }
        try refuse("Truncated", "no suites", ["R3.3-1"], [3, 0])
        try refuse("TrailingBytes", "a byte after the suites", ["R3.3-2"], [3, 0, 0, 0])
        try refuse("CutElement", "half a version", ["R3.3-1"], [1, 1, 0, 0])
        try refuse("LengthOutOfRange", "33 suites", ["R3.3-1"], [2, 0] + WireBytes.values(Array(1...33)))
        return cases
    }

    private func choices() throws -> CaseWriter {
        let cases = writer("responder-choice", "choice", .responderChoice, "7.3")
        func accept(_ comment: String, _ requirements: [String], _ flags: [String], _ body: [UInt8]) throws {
            try cases.accept(comment, requirements, flags: flags, ["body": .hex(body)])
        }
        func refuse(_ flag: String, _ comment: String, _ requirements: [String], _ body: [UInt8]) throws {
            try cases.reject("refused", flag, comment, requirements, section: "7.5", ["body": .hex(body)])
        }
        cases.group(["versions": [currentVersion], "suites": [1, 2], "busy": false])
        try accept("the initiator prefers suite 0x0001", ["R7.3-1"], [], body([current], [1, 2]))
        try accept("the initiator prefers suite 0x0002", ["R7.3-1"], [], body([current], [2, 1]))
        try accept("only the mandatory suite", ["R7.2-1", "R7.3-1"], [], body([current], [1]))
        try accept(
            "GREASE stands first everywhere", ["R7.1-3", "R7.4-2"], ["Grease"],
            body([0x0A0A, current], [0xAAAA, 2, 1], [(0x2A2A, [])]))
        try accept(
            "unknown values stand first", ["R7.1-3", "R7.3-1"], ["UnknownValue"],
            body([2, current], [3, 0x4000, 1], [(1, [1])]))
        try refuse(
            "NoCommonVersion", "the final version alone, of which this is a draft", ["R1-1", "R7.3-3"], body([1], [1]))
        try refuse("NoCommonVersion", "another draft alone", ["R1-1", "R7.3-3"], body([0xFF01], [1]))
        try accept("another draft stands first", ["R1-1", "R7.3-1"], ["UnknownValue"], body([0xFF01, current], [1]))
        try refuse("NoCommonVersion", "no common version", ["R7.3-3", "R7.5-1"], body([2], [1]))
        try refuse(
            "NoCommonVersion", "no common version and no common suite: the version is told", ["R7.3-3"],
            body([2], [3]))
        try refuse("NoCommonSuite", "no common suite", ["R7.3-3", "R7.5-1"], body([current], [3]))
        try refuse("NoCommonVersion", "nothing but GREASE versions", ["R7.4-2", "R7.3-3"], body([0x1A1A], [1]))
        try refuse("NoCommonSuite", "nothing but GREASE suites", ["R7.4-2", "R7.3-3"], body([current], [0x3A3A]))
        try refuse("NoCommonVersion", "the reserved version 0", ["R7.3-3"], body([0], [1]))
        cases.group(["versions": [currentVersion], "suites": [2, 1], "busy": false])
        try accept("the initiator's order decides, not the responder's", ["R7.3-1"], [], body([current], [1, 2]))
        cases.group(["versions": [currentVersion], "suites": [1], "busy": false])
        try accept("a responder without suite 0x0002 takes the next", ["R7.3-1"], [], body([current], [2, 1]))
        try refuse("NoCommonSuite", "only suite 0x0002 is offered", ["R7.3-3"], body([current], [2]))
        cases.group(["versions": [currentVersion], "suites": [1, 2], "busy": true])
        try refuse("Busy", "busy", ["R7.5-1"], body([current], [1]))
        try refuse("Busy", "a busy responder looks at neither version nor suite", ["R7.5-1"], body([2], [3]))
        try hybridChoices(cases)
        return cases
    }

    private func checks() throws -> CaseWriter {
        let cases = writer("initiator-check", "check", .initiatorCheck, "7.3")
        func reply(_ version: UInt16, _ suite: UInt16, _ extensions: [(UInt16, [UInt8])] = []) -> JSONValue {
            ["body": .hex(WireBytes.u16(version) + WireBytes.u16(suite) + encoded(extensions) + key + tag)]
        }
        cases.group([
            "versions": [0x0A0A, currentVersion], "suites": [0x1A1A, 1, 2], "extensions": [0x2A2A],
            "supportedVersions": [currentVersion],
            "supportedSuites": [1, 2],
        ])
        try cases.accept("suite 0x0001", ["R7.3-2"], reply(current, 1))
        try cases.accept("suite 0x0002", ["R7.3-2"], reply(current, 2))
        let illegal: [(String, String, JSONValue)] = [
            ("NotOffered", "version 2", reply(2, 1)), ("NotOffered", "version 1, which is final", reply(1, 1)),
            ("NotOffered", "another draft", reply(0xFF01, 1)), ("NotOffered", "version 0", reply(0, 1)),
            ("Grease", "the GREASE version that was offered", reply(0x0A0A, 1)),
            ("Grease", "a GREASE version that was not offered", reply(0x3A3A, 1)),
            ("NotOffered", "suite 3", reply(current, 3)), ("NotOffered", "suite 0", reply(current, 0)),
            ("Grease", "the GREASE suite that was offered", reply(current, 0x1A1A)),
            ("Grease", "the GREASE extension that was offered", reply(current, 1, [(0x2A2A, [])])),
            ("NotOffered", "an extension that was not offered", reply(current, 1, [(7, [])])),
        ]
        for (flag, comment, inputs) in illegal {
            try cases.reject("illegal_choice", flag, comment, ["R7.3-2"], inputs)
        }
        try cases.reject(
            "malformed", "Precedence", "the whole hello is decoded before its version is judged",
            ["R7.3-2", "R18-1"], ["body": .hex(WireBytes.u16(2) + WireBytes.u16(1) + [0] + key + tag.dropLast())])
        cases.group([
            "versions": [currentVersion], "suites": [1], "extensions": [], "supportedVersions": [currentVersion],
            "supportedSuites": [1, 2],
        ])
        try cases.reject(
            "illegal_choice", "NotOffered", "a suite that is supported and was not offered", ["R7.3-2"],
            reply(current, 2))
        try hybridChecks(cases)
        return cases
    }
}
