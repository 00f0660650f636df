internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Files that the implementation receives: SPEC §15.3, §15.4.
struct FileScripts {
    let files: ScriptFiles

    /// Both roles with both orders of keys, which decide the numbers of files.
    static let settings = ScriptFiles.roles.flatMap { role in
        [true, false].map { isLesser in
            var setting = ScriptSetting(role)
            setting.ownKeyIsLesser = isLesser
            return setting
        }
    }

    func incoming() throws -> ScriptWriter {
        let scripts = files.writer("files-received", section: "15.3")
        for setting in Self.settings {
            for preference in [0, 1] as [UInt8] { try received(scripts, setting, preference) }
            try scripts.play(PayloadRules.offers, setting)
        }
        for setting in [Self.settings[0], Self.settings[3]] {
            try ended(scripts, setting)
            try scripts.play(PayloadRules.transfers + PayloadRules.beforeAccept, setting)
            try crossed(scripts, setting)
        }
        return scripts
    }

    private func received(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
        try scripts.works(
            setting, "two files in a row, preference \(preference)",
            ["R15.3-1", "R15.3-6", preference == 0 ? "R11-2" : "R11-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            for id in 0...1 as ClosedRange<UInt64> {
                try script.send(script.fileOffer(id, name: "../a:b\(id).txt"))
                try script.hear()
                try script.app("acceptFile")
                try script.hear()
                try script.send(script.fileData(id, "he"), kind: kind)
                try script.send(script.fileData(id, at: 2, "llo"), kind: kind)
                try script.send(script.fileEnd(id))
                try script.hear()
                try script.app("confirmFile")
                try script.hear()
            }
        }
        try scripts.works(setting, "an empty file, preference \(preference)", ["R15.3-4"]) {
            try $0.reach(.open, preference: preference).send($0.fileOffer(size: 0)).app("acceptFile")
                .send($0.fileEnd(of: "")).app("confirmFile")
        }
    }

    private func ended(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(setting, "the app refuses a file; frames on the way are ignored", ["R15.3-7"]) {
            try $0.reach(.open).send($0.fileOffer()).app("acceptFile").app("refuseFile", ["reason": 3]).hear()
                .send($0.fileData(), $0.fileEnd()).hear().send($0.fileOffer(1))
        }
        try scripts.works(
            setting, "another hash: FILE_CANCEL of reason 5, and no file", ["R15.3-5"], flags: ["HashMismatch"]
        ) { try $0.receiving().send($0.fileData(), $0.fileEnd(of: "other")) }
        for reason in [2, 4, 0x7F] as [UInt8] {
            try scripts.works(
                setting, "the sender cancels its file, reason \(reason)", ["R15.3-7"], flags: ["Cancelled"]
            ) { script in
                try script.receiving()
                try script.send(script.fileData(0, "he"), script.fileCancel(0, reason))
                try script.hear()
                try script.send(script.fileOffer(1))
            }
        }
        try scripts.works(
            setting, "the sender cancels before FILE_DONE: the app's confirmation comes too late",
            ["R15.3-6", "R15.3-7"], flags: ["Cancelled"]
        ) { try $0.receiving().send($0.fileData(), $0.fileEnd()).hear().send($0.fileCancel()).app("confirmFile") }
        try scripts.works(
            setting, "CLOSE ends the file as incomplete", ["R16.1-5"], flags: ["ClosedByPeer"], section: "16.1"
        ) { try $0.receiving().send($0.fileData(0, "he"), $0.close()).hear().end() }
        try scripts.fails(
            setting, "truncated", "Truncation", "the stream ends in a file: it is not complete", ["R16.2-1"],
            section: "16.2"
        ) { try $0.receiving().send($0.fileData()) }
    }

    private func crossed(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "FILE_CANCEL that crossed FILE_DONE is ignored", ["R15.4-1"], flags: ["CrossedFrame"],
            section: "15.4"
        ) {
            try $0.receiving().send($0.fileData(), $0.fileEnd()).app("confirmFile").hear()
                .send($0.fileCancel(), $0.fileOffer(1))
        }
        try scripts.fails(
            setting, "malformed", "EmptyData", "a frame of a cancelled file is decoded before it is ignored",
            ["R15.3-7"]
        ) { try $0.receiving().app("refuseFile", ["reason": 2]).hear().send($0.fileData(0, "")) }
        try scripts.fails(
            setting, "unexpected_frame", "EndedNumber", "a cancelled file ends with the sender's FILE_CANCEL",
            ["R15.3-7"]
        ) { try $0.receiving().app("refuseFile", ["reason": 2]).hear().send($0.fileCancel(), $0.fileData()) }
        try scripts.works(setting, "another offer while a file is under way", ["R15.3-1"]) {
            try $0.receiving().send($0.fileOffer(1), $0.fileData()).hear().send($0.fileEnd())
        }
    }
}
