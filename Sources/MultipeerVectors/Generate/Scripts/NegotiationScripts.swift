internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Until there are keys: SPEC §6.1, §6.2, §7, §9.3, §9.4.
struct NegotiationScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("negotiation", section: "7.3")
        try handshakes(scripts)
        try refusals(scripts)
        try illegalReplies(scripts)
        try failedHandshakes(scripts)
        try refusingResponder(scripts)
        try noHello(scripts)
        return scripts
    }

    private func handshakes(_ scripts: ScriptWriter) throws {
        for suite in Suite.classical {
            for role in ScriptFiles.roles {
                try scripts.add(
                    ScriptSetting(role, suite: suite), "\(role.name), suite \(suite.rawValue): as far as PROOF",
                    ["R7.2-1", "R7.3-1", "R9.5-1", "R6.2-3"], section: "9.3", end: .fails("truncated")
                ) { try $0.reach(.proof).end() }
            }
        }
        for (preferred, suite) in [([1, 2], Suite.chaChaPoly), ([2, 1], .aesGCM)] as [([UInt16], Suite)] {
            var setting = ScriptSetting(.responder, suite: suite)
            setting.suites = [1, 2]
            try scripts.add(
                setting, "a responder takes the initiator's first suite, \(suite.rawValue)", ["R7.3-1", "R7.1-3"],
                end: .fails("truncated")
            ) { try $0.shakeHands(suites: [0x9A9A] + preferred).end() }
        }
        var setting = ScriptSetting(.initiator, suite: .aesGCM)
        setting.suites = [1, 2]
        try scripts.add(
            setting, "an initiator takes the responder's choice", ["R7.3-2"], end: .fails("truncated")
        ) { try $0.shakeHands().end() }
    }

    private func refusals(_ scripts: ScriptWriter) throws {
        for (code, name, body) in [
            (1, "unsupported_version", WireBytes.values([2]) + [0]),
            (2, "unsupported_suite", [0] + WireBytes.values([3])),
            (3, "busy", [0, 0]), (4, "malformed_hello", [0, 0]), (0x55, "an unknown code", [0, 0]),
        ] as [(UInt8, String, [UInt8])] {
            try scripts.add(
                ScriptSetting(.initiator), "REFUSAL: \(name); nothing more is sent", ["R7.5-2", "R7.5-3"],
                flags: ["Refused"], section: "7.5", end: .fails("refused")
            ) { try $0.hear().bytes(Magic.bytes + WireBytes.record(0x02, [code] + body)).end() }
        }
        try scripts.add(
            ScriptSetting(.initiator), "REFUSAL that does not decode", ["R3.3-2"], flags: ["TrailingBytes"],
            section: "7.5", end: .fails("malformed")
        ) { try $0.hear().bytes(Magic.bytes + WireBytes.record(0x02, [3, 0, 0, 9])).end() }
    }

    private func illegalReplies(_ scripts: ScriptWriter) throws {
        let choices: [(String, String, (inout [UInt8]) -> Void)] = [
            ("NotOffered", "another draft", { $0[12] = 3 }),
            ("NotOffered", "suite 2, which was not offered", { $0[14] = 2 }),
            ("Grease", "a GREASE suite", { $0.replaceSubrange(13...14, with: [0x0A, 0x0A]) }),
            (
                "NotOffered", "an extension that was not offered",
                { opening in
                    opening.replaceSubrange(15...15, with: [3, 0x40, 0, 0])
                    opening[10] += 3
                }
            ),
        ]
        for (flag, comment, change) in choices {
            try scripts.add(
                ScriptSetting(.initiator), "the responder chooses \(comment); nothing more is sent", ["R7.3-2"],
                flags: [flag], end: .fails("illegal_choice")
            ) { script in
                var opening = try script.reply()
                change(&opening)
                try script.bytes(opening).end()
            }
        }
        try scripts.add(
            ScriptSetting(.initiator), "a malformed hello comes before an illegal choice", ["R18-1", "R7.3-2"],
            flags: ["Precedence"], end: .fails("malformed")
        ) { script in
            var opening = try script.reply()
            opening[12] = 3
            opening[10] += 1
            try script.bytes(opening + [0]).end()
        }
    }

    private func failedHandshakes(_ scripts: ScriptWriter) throws {
        for suite in Suite.classical {
            try scripts.add(
                ScriptSetting(.initiator, suite: suite), "the confirmation does not verify; nothing more is sent",
                ["R9.3-1"], flags: ["ModifiedConfirmation"], section: "9.3", end: .fails("handshake_failed")
            ) { script in
                var opening = try script.reply()
                opening[opening.count - 1] ^= 0x80
                try script.bytes(opening).end()
            }
        }
        for (index, point) in LowOrderPoint.inOrder.enumerated() where index < 3 {
            let head = CaseList.Head(
                comment: "low-order point \(index); nothing more is sent", requirements: ["R9.4-1"],
                flags: ["LowOrderKey"], section: "9.4")
            try scripts.add(ScriptSetting(.initiator), head, .fails("handshake_failed")) { script in
                var opening = try script.reply()
                opening.replaceSubrange((opening.count - 48)..<(opening.count - 16), with: point)
                try script.bytes(opening).end()
            }
            try scripts.add(
                ScriptSetting(.responder), head, .fails("handshake_failed")
            ) { try $0.bytes($0.peerHello(key: point)).end() }
        }
    }

    private func refusingResponder(_ scripts: ScriptWriter) throws {
        let current = ProtocolVersion.draft04.rawValue
        for (flag, comment, versions, suites) in [
            ("NoCommonVersion", "no common version", [2], [1]),
            ("NoCommonVersion", "the final version alone", [1], [1]),
            ("NoCommonSuite", "no common suite", [current], [2]),
            ("NoCommonVersion", "neither: the version is told", [2], [2]),
            ("NoCommonSuite", "nothing but GREASE suites", [current], [0x5A5A]),
        ] as [(String, String, [UInt16], [UInt16])] {
            try scripts.add(
                ScriptSetting(.responder), "a responder refuses: \(comment)", ["R7.3-3", "R7.4-2", "R7.5-1", "R7.5-4"],
                flags: [flag], section: "7.5", end: .fails("refused")
            ) { try $0.bytes($0.peerHello(versions: versions, suites: suites)).hear().end() }
        }
    }

    private func noHello(_ scripts: ScriptWriter) throws {
        for role in ScriptFiles.roles {
            let cases: [(String, String, String, [UInt8], [String])] = [
                ("malformed", "WrongMagic", "an HTTP answer", Array("HTTP".utf8), ["R6.1-1", "R7.5-5"]),
                ("malformed", "UnknownRecordKind", "kind 3", Magic.bytes + [3], ["R6.2-1", "R7.5-5"]),
                ("malformed", "RecordLength", "HELLO of 38 bytes", Magic.bytes + [1, 0, 38], ["R6.2-1", "R7.5-5"]),
                (
                    "unexpected_record", "RecordOutOfOrder", "ENCRYPTED before HELLO", Magic.bytes + [0x10],
                    ["R6.2-2", "R7.5-5"]
                ),
                ("truncated", "Truncation", "half a magic, and the end", Array(Magic.bytes.prefix(4)), ["R16.2-1"]),
                ("truncated", "Truncation", "the end", [], ["R16.2-1"]),
            ]
            for (code, flag, comment, bytes, requirements) in cases {
                try scripts.works(
                    ScriptSetting(role), "\(comment); nothing is answered", requirements, flags: [flag], section: "6.2",
                    end: .fails(code)
                ) { script in
                    if role == .initiator { try script.hear() }
                    if !bytes.isEmpty { try script.bytes(bytes) }
                    try script.end()
                }
            }
        }
        try scripts.add(
            ScriptSetting(.responder), "REFUSAL as an initiator's first record", ["R6.2-2"],
            flags: ["RecordOutOfOrder"], section: "6.2", end: .fails("unexpected_record")
        ) { try $0.bytes(Magic.bytes + [0x02]).end() }
    }
}
