internal import MultipeerCore
internal import MultipeerWire

/// Files that the implementation sends: SPEC §15.3, §15.4.
extension FileScripts {
    func outgoing() throws -> ScriptWriter {
        let scripts = files.writer("files-sent", section: "15.3")
        for role in ScriptFiles.roles {
            let setting = ScriptSetting(role)
            for preference in [0, 1] as [UInt8] { try sent(scripts, setting, preference) }
            try answers(scripts, setting)
        }
        return scripts
    }

    private func sent(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        try scripts.works(
            setting, "two files and a second offer too early, preference \(preference)",
            ["R15.3-1", "R15.3-2", "R15.3-3", preference == 0 ? "R11-2" : "R11-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            for id in 0...1 as ClosedRange<UInt64> {
                try script.offersFile()
                try script.offersFile()
                try script.send(script.fileAccept(id))
                try script.hear()
                try script.supplies()
                try script.send(script.fileDone(id))
                try script.hear()
            }
        }
        try scripts.works(setting, "an empty file, preference \(preference)", ["R15.3-4"]) {
            try $0.reach(.open, preference: preference).offersFile(size: 0).send($0.fileAccept()).hear()
                .send($0.fileDone())
        }
    }

    private func answers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for reason in [1, 3, 6, 0x33] as [UInt8] {
            try scripts.works(
                setting, "the receiver refuses, reason \(reason)", ["R15.3-7"], flags: ["Declined"]
            ) { try $0.reach(.open).offersFile().send($0.fileCancel(0, reason)) }
        }
        try scripts.works(
            setting, "the app cancels; answers on the way are ignored", ["R15.3-6", "R15.4-1"], flags: ["CrossedFrame"]
        ) {
            try $0.reach(.open).offersFile().app("cancelFile", ["reason": 2]).hear()
                .send($0.fileAccept(), $0.fileCancel(0, 1), $0.fileDone())
        }
        let unexpected: [(String, String, (Script) throws -> Void)] = [
            ("FILE_ACCEPT that nobody offered", "R15.3-6", { try $0.send($0.fileAccept()) }),
            ("FILE_DONE that nobody offered", "R15.3-6", { try $0.send($0.fileDone()) }),
            ("FILE_CANCEL of a file that nobody offered", "R15.4-1", { try $0.send($0.fileCancel(0, 1)) }),
            ("a second FILE_ACCEPT", "R15.3-6", { try $0.offersFile().send($0.fileAccept(), $0.fileAccept()) }),
            ("FILE_DONE before FILE_ACCEPT", "R15.3-6", { try $0.offersFile().send($0.fileDone()) }),
            (
                "FILE_DONE before FILE_END", "R15.3-6",
                { try $0.offersFile().send($0.fileAccept()).hear().send($0.fileDone()) }
            ),
            ("FILE_ACCEPT of the next file", "R15.3-6", { try $0.offersFile().send($0.fileAccept(1)) }),
            (
                "FILE_DATA of one's own file", "R15.3-7",
                { try $0.offersFile().send($0.fileAccept()).hear().send($0.fileData()) }
            ),
        ]
        for (comment, requirement, body) in unexpected {
            try scripts.fails(setting, "unexpected_frame", "UnexpectedFrame", comment, [requirement]) { script in
                try script.reach(.open)
                try body(script)
            }
        }
    }
}
