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
        try scripts.works(setting, "\(name): messages both ways, in order", requirements) { script in
            try script.reach(.open, preference: preference)
            try script.app("send", ["message": .hex(Array("hello".utf8))])
            try script.app("send", ["message": ""])
            try script.app("send", ["message": .hex(script.samples.bytes(300, "message"))])
            try script.hear()
            try script.send(script.message("one"), script.message(""), script.message("three"), kind: kind)
        }
        try scripts.works(
            setting, "\(name): a message in three frames, control frames between them", ["R15.1-1"] + requirements
        ) { script in
            try script.reach(.open, preference: preference)
            try script.send(script.message("abc", total: 9), kind: kind)
            try script.hear()
            try script.send(script.fileOffer(), script.padding())
            try script.send(script.part("def"), kind: kind)
            try script.send(script.part("ghi"), script.message("next"), kind: kind)
        }
        try scripts.works(
            setting, "\(name): the longest message, and a maximumMessage of the peer's that is smaller", ["R15.1-3"]
        ) { script in
            try script.shakeHands()
            try script.send(try script.proof(), script.peerInfo(maximumMessage: 4))
            try script.agree(selfInvites: true, preference: preference)
            try script.openLink()
            try script.app("send", ["message": .hex([1, 2, 3, 4, 5])])
            try script.app("send", ["message": .hex([1, 2, 3, 4])])
            try script.hear()
            try script.send(
                script.message(String(repeating: "x", count: setting.maximumMessage)), kind: kind)
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
            try scripts.fails(setting, code, flag, comment, requirements) { script in
                try script.reach(.open)
                try script.send(script.message("before"), frames(script))
            }
        }
        try scripts.fails(
            setting, "truncated", "Truncation", "the stream ends in a message: it is not delivered", ["R16.2-1"],
            section: "16.2"
        ) { script in
            try script.reach(.open)
            try script.send(script.message("whole"), script.message("ab", total: 4))
        }
    }
}
