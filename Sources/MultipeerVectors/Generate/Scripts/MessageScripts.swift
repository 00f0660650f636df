internal import MultipeerCore
internal import MultipeerRules
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
        try scripts.play(PayloadRules.messages, setting)
        try scripts.fails(
            setting, "truncated", "Truncation", "the stream ends in a message: it is not delivered", ["R16.2-1"],
            section: "16.2"
        ) { try $0.reach(.open).send($0.message("whole"), $0.message("ab", total: 4)) }
    }
}
