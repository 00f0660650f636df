internal import MultipeerCore
internal import MultipeerWire

/// Messages on an open link: SPEC §15.1.
struct MessageScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("messages", section: "15.1")
        for role in ScriptFiles.roles {
            for preference in [0, 1] as [UInt8] { try good(scripts, ScriptSetting(role), preference) }
            try bad(scripts, ScriptSetting(role))
        }
        return scripts
    }

    private func good(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
        let name = preference == 0 ? "readable" : "encrypted"
        let requirements = [preference == 0 ? "R11-2" : "R11-1"]
        try scripts.works(setting, "\(name): messages both ways, in order", requirements) {
            try $0.reach(.open, preference: preference).app("send", ["message": .hex(Array("hello".utf8))])
                .app("send", ["message": ""]).app("send", ["message": .hex($0.samples.bytes(300, "message"))]).hear()
                .send($0.message("one"), $0.message(""), $0.message("three"), kind: kind)
        }
        try scripts.works(
            setting, "\(name): a message in three frames, control frames between them", ["R15.1-1"] + requirements
        ) {
            try $0.reach(.open, preference: preference).send($0.message("abc", total: 9), kind: kind).hear()
                .send($0.fileOffer(), $0.padding()).send($0.part("def"), kind: kind)
                .send($0.part("ghi"), $0.message("next"), kind: kind)
        }
        try scripts.works(
            setting, "\(name): the longest message, and a maximumMessage of the peer's that is smaller", ["R15.1-3"]
        ) {
            try $0.shakeHands().send($0.proof(), $0.peerInfo(maximumMessage: 4))
                .agree(selfInvites: true, preference: preference).openLink()
                .app("send", ["message": .hex([1, 2, 3, 4, 5])]).app("send", ["message": .hex([1, 2, 3, 4])]).hear()
                .send($0.message(String(repeating: "x", count: setting.maximumMessage)), kind: kind)
        }
    }

    private func bad(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(String, String, String, [String], (Script) -> [UInt8])] = [
            ("unexpected_frame", "UnexpectedFrame", "MESSAGE_PART with none begun", ["R15.1-2"], { $0.part("x") }),
            (
                "unexpected_frame", "UnexpectedFrame", "MESSAGE before the last is complete", ["R15.1-2"],
                { $0.message("ab", total: 4) + $0.message("cd") }
            ),
            ("malformed", "ExcessData", "more data than total", ["R15.1-1"], { $0.message("abc", total: 2) }),
            (
                "malformed", "ExcessData", "a part with more than is lacking", ["R15.1-1"],
                { $0.message("ab", total: 3) + $0.part("cd") }
            ),
            ("malformed", "EmptyData", "no data, and total is 3", ["R15.1-1"], { $0.message("", total: 3) }),
            ("malformed", "EmptyData", "an empty part", ["R15.1-1"], { $0.message("ab", total: 3) + $0.part("") }),
            (
                "limit_exceeded", "ExceedsLimit", "a total of maximumMessage + 1", ["R15.1-3"],
                { $0.message("ab", total: setting.maximumMessage + 1) }
            ),
            (
                "limit_exceeded", "ExceedsLimit", "a total of 2^62 − 1", ["R15.1-3", "R15.1-4"],
                { $0.message("ab", total: Int(VarInt.maximum)) }
            ),
        ]
        for (code, flag, comment, requirements, frames) in cases {
            try scripts.fails(
                setting, code, flag, comment, requirements
            ) { try $0.reach(.open).send($0.message("before"), frames($0)) }
        }
        try scripts.fails(
            setting, "truncated", "Truncation", "the stream ends in a message: it is not delivered", ["R16.2-1"],
            section: "16.2"
        ) { try $0.reach(.open).send($0.message("whole"), $0.message("ab", total: 4)) }
    }
}
