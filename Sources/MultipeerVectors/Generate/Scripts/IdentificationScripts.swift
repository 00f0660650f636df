internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// PEER_INFO, and what holds in every state: SPEC §6.3–6.5, §8.1, §16.2.
struct IdentificationScripts {
    let files: ScriptFiles

    static let stages: [Script.Stage] = [
        .info, .identified, .inviting, .invited, .certificatesInvitee, .certificatesInviter, .judging, .peerReady,
        .selfReady, .open,
    ]

    func write() throws -> ScriptWriter {
        let scripts = files.writer("identification", section: "8.1")
        for role in ScriptFiles.roles {
            try peerInfo(scripts, ScriptSetting(role))
            try padded(scripts, ScriptSetting(role))
            try everywhere(scripts, ScriptSetting(role))
            try inOrder(scripts, ScriptSetting(role))
        }
        return scripts
    }

    private func peerInfo(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let limit = WireBytes.varint(4_096)
        let bad: [(String, String, [UInt8], [String])] = [
            ("IllFormedText", "a name that is not UTF-8", [2, 0xC3, 0x28] + limit + [0, 0], ["R4.2-1"]),
            ("ForbiddenCodePoint", "a line end in the name", [2, 0x41, 0x0A] + limit + [0, 0], ["R4.2-1"]),
            (
                "ForbiddenCodePoint", "a bidirectional override in the name",
                [4, 0x41, 0xE2, 0x80, 0xAE] + limit + [0, 0],
                ["R4.2-1"]
            ),
            ("ValueOutOfRange", "maximumMessage 0", [1, 0x41, 0, 0, 0], ["R8.1-2"]),
            ("NotAscending", "features that descend", [1, 0x41] + limit + WireBytes.values([9, 8]) + [0], ["R8.1-3"]),
            ("Duplicate", "a field twice", [1, 0x41] + limit + [0, 4, 1, 0, 1, 0], ["R3.4-1"]),
            ("TrailingBytes", "a byte at the end", [1, 0x41] + limit + [0, 0, 0], ["R3.3-2"]),
        ]
        for (flag, comment, payload, requirements) in bad {
            try scripts.fails(
                setting, "malformed", flag, comment, requirements
            ) { try $0.reach(.info).send(WireBytes.frame(.peerInfo, payload)) }
        }
        try scripts.fails(
            setting, "unsupported", "UnknownCritical", "an even field", ["R3.4-3"], section: "3.4"
        ) { try $0.reach(.info).send($0.peerInfo(fields: WireBytes.field(2, []))) }
        try scripts.works(
            setting, "an odd field is skipped", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            end: .fails("truncated")
        ) { try $0.reach(.info).send($0.peerInfo(fields: WireBytes.field(1, [1, 2, 3]))).hear().end() }
        try scripts.works(
            setting, "features that nobody knows", ["R8.1-4"], flags: ["UnknownIgnorable"], end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(script.peerInfo(features: [1, 0x1A1A, 0x4000]))
            try script.hear()
            try script.end()
        }
        try scripts.works(
            setting, "a peer that shows its name to others only", ["R8.1-6"], end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(script.peerInfo(name: []))
            try script.hear()
            try script.end()
        }
        for (rule, comment) in [
            (ScriptSetting.NameRule.toThePeer, "this peer"), (.toSomeoneElse, "another peer"),
        ] where setting.role == .responder {
            var setting = setting
            setting.showsName = rule
            try scripts.works(
                setting, "shows its name to \(comment) only", ["R8.1-6"], end: .fails("truncated")
            ) { script in
                try script.reach(.info)
                try script.send(script.peerInfo())
                try script.hear()
                try script.end()
            }
        }
        try scripts.works(
            setting, "the same name as one's own is another peer", ["R4.2-2"], section: "4.2",
            end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(WireBytes.frame(.peerInfo, WireBytes.vector(script.own.name) + limit + [0, 0]))
            try script.hear()
            try script.end()
        }
    }

    /// Records before *open* have any length, and PADDING anywhere behind PROOF (R6.5-2).
    private func padded(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "records of any length, and PADDING at any place, as far as READY", ["R6.5-1", "R6.5-2"],
            section: "6.5"
        ) { script in
            try script.shakeHands()
            try script.send(
                try script.proof(), script.padding(0), script.padding(66), script.peerInfo(), script.padding(800))
            try script.hear()
            try script.send(script.padding(0))
            try script.send(script.padding(500), script.invite(), script.padding(1))
            try script.selfAccepts()
            try script.hear()
            try script.send(script.padding(4_000), script.noCertificates)
            try script.app("resolve", ["verdict": "accept"])
            try script.send(script.padding(3), script.ready)
        }
    }

    private func everywhere(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in Self.stages {
            try scripts.fails(
                setting, "unsupported", "UnknownCritical", "an unknown even frame in \(stage.rawValue)", ["R6.4-2"],
                section: "6.4"
            ) { try $0.reach(stage).send(WireBytes.frame(WireBytes.unknownEven, [])) }
            try scripts.works(
                setting, "unknown odd frames and padding in \(stage.rawValue), and the end of the stream",
                ["R6.4-1", "R16.2-1"], flags: ["UnknownIgnorable", "Truncation"], section: "6.4",
                end: .fails("truncated")
            ) {
                try $0.reach(stage)
                    .send(
                        WireBytes.frame(0x21, [1, 2]), $0.padding(), WireBytes.frame(0x5F, []),
                        WireBytes.frame(0x4001, [9])
                    )
                    .hear().end()
            }
            try scripts.works(
                setting, "CLOSE with an error in \(stage.rawValue)", ["R16.1-2"], flags: ["ClosedByPeer"],
                section: "16.1"
            ) { try $0.reach(stage).send($0.close(0x20)).hear().end() }
        }
    }

    private func inOrder(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "unexpected_frame", "FrameBeforeFault", "a good frame before the unexpected one is acted on",
            ["R6.3-2"], section: "6.3"
        ) { try $0.reach(.info).send($0.peerInfo(), $0.ready) }
        try scripts.fails(
            setting, "malformed", "FrameBeforeFault", "a good frame before one that claims too much is acted on",
            ["R6.3-1", "R6.3-2"], section: "6.3"
        ) { try $0.reach(.info).send($0.peerInfo(), [0x10, 9]) }
        try scripts.fails(
            setting, "unexpected_frame", "TwoFaults", "the first of two faults is told", ["R6.3-2", "R18-1"],
            section: "18"
        ) { try $0.reach(.info).send($0.ready, WireBytes.frame(WireBytes.unknownEven, [])) }
        try scripts.fails(
            setting, "unsupported", "Precedence", "an unknown type comes before the state", ["R18-1"], section: "18"
        ) { try $0.reach(.info).send(WireBytes.frame(WireBytes.unknownEven, []), $0.ready) }
        try scripts.fails(
            setting, "unexpected_frame", "Precedence", "the state comes before the payload", ["R18-1"], section: "18"
        ) { try $0.reach(.info).send(WireBytes.frame(.ready, [1, 2])) }
    }
}
