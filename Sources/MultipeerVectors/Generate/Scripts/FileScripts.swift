internal import MultipeerCore
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
            try badOffers(scripts, setting)
        }
        for setting in [Self.settings[0], Self.settings[3]] {
            try ended(scripts, setting)
            try badData(scripts, setting)
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

    private func badData(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(String, String, String, [String], (Script) -> [UInt8])] = [
            ("malformed", "ValueOutOfRange", "an offset that is too high", ["R15.3-3"], { $0.fileData(0, at: 1, "x") }),
            (
                "malformed", "ValueOutOfRange", "an offset that is too low", ["R15.3-3"],
                { $0.fileData(0, "he") + $0.fileData(0, at: 1, "l") }
            ),
            ("malformed", "EmptyData", "no data", ["R15.3-3"], { $0.fileData(0, "") }),
            ("malformed", "ExcessData", "more data than size", ["R15.3-3"], { $0.fileData(0, "hello!") }),
            (
                "malformed", "ExcessData", "data after all of size", ["R15.3-3"],
                { $0.fileData() + $0.fileData(0, at: 5, "!") }
            ),
            ("unexpected_frame", "UnexpectedFrame", "FILE_DATA of another file", ["R13.2-2"], { $0.fileData(1) }),
            (
                "unexpected_frame", "UnexpectedFrame", "FILE_END before all of size", ["R15.3-4"],
                { $0.fileData(0, "he") + $0.fileEnd(of: "he") }
            ),
            ("unexpected_frame", "UnexpectedFrame", "FILE_END of another file", ["R13.2-2"], { $0.fileEnd(1) }),
            (
                "unexpected_frame", "UnexpectedFrame", "a second FILE_END", ["R15.3-4"],
                { $0.fileData() + $0.fileEnd() + $0.fileEnd() }
            ),
            ("malformed", "WrongNumber", "a second offer with a wrong id", ["R15.3-1"], { $0.fileOffer(7) }),
            ("malformed", "Truncated", "a short FILE_END", ["R3.3-1"], { _ in WireBytes.frame(.fileEnd, [0, 1, 2]) }),
            (
                "unexpected_frame", "UnexpectedFrame", "FILE_CANCEL of a file that was never offered", ["R15.4-1"],
                { $0.fileCancel(1) }
            ),
        ]
        for (code, flag, comment, requirements, frames) in cases {
            try scripts.fails(setting, code, flag, comment, requirements) { try $0.receiving().send(frames($0)) }
        }
        for (comment, requirement, frame) in [
            ("FILE_DATA before FILE_ACCEPT", "R15.3-3", { $0.fileData() }),
            ("FILE_END before FILE_ACCEPT", "R15.3-4", { $0.fileEnd() }),
        ] as [(String, String, (Script) -> [UInt8])] {
            try scripts.fails(
                setting, "unexpected_frame", "UnexpectedFrame", comment, [requirement]
            ) { try $0.reach(.open).send($0.fileOffer(), frame($0)) }
        }
    }

    private func badOffers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(String, String, String, [String], (Script) -> [UInt8])] = [
            ("malformed", "ValueOutOfRange", "a first id that is the second", ["R15.3-1"], { $0.fileOffer(1) }),
            (
                "malformed", "ValueOutOfRange", "an id of the receiver's kind", ["R15.3-1"],
                { WireBytes.fileOffer($0.ownFile(0), size: 5) }
            ),
            (
                "malformed", "ValueOutOfRange", "a second id that is one more than the first", ["R15.3-1"],
                { $0.fileOffer() + $0.fileCancel() + WireBytes.fileOffer($0.peersFile(0) + 1, size: 5) }
            ),
            (
                "unexpected_frame", "UnexpectedFrame", "FILE_CANCEL of a number of the receiver's kind", ["R15.4-1"],
                { $0.fileOffer() + $0.fileRefused() }
            ),
            ("malformed", "ValueOutOfRange", "a size of 2^53", ["R15.3-8"], { $0.fileOffer(size: 1 << 53) }),
            ("malformed", "LengthOutOfRange", "an empty name", ["R3.3-1"], { $0.fileOffer(name: "") }),
            (
                "malformed", "IllFormedText", "a name that is not UTF-8", ["R15.5-1"],
                { WireBytes.fileOffer($0.peersFile(0), size: 5, name: [0xC3, 0x28]) }
            ),
            (
                "unsupported", "UnknownCritical", "an even field", ["R3.4-3"],
                { WireBytes.fileOffer($0.peersFile(0), size: 5, fields: WireBytes.field(2, [])) }
            ),
            (
                "malformed", "ValueOutOfRange", "an id that is used again", ["R15.3-1"],
                { $0.fileOffer() + $0.fileCancel() + $0.fileOffer() }
            ),
            ("unexpected_frame", "UnexpectedFrame", "FILE_DATA without an offer", ["R13.2-2"], { $0.fileData() }),
            ("unexpected_frame", "UnexpectedFrame", "FILE_END without an offer", ["R13.2-2"], { $0.fileEnd() }),
            ("unexpected_frame", "UnexpectedFrame", "FILE_CANCEL without an offer", ["R13.2-2"], { $0.fileCancel() }),
        ]
        for (code, flag, comment, requirements, frames) in cases {
            try scripts.fails(setting, code, flag, comment, requirements) { try $0.reach(.open).send(frames($0)) }
        }
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
