internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Files that the implementation sends: SPEC §15.3, §15.4.
extension FileScripts {
    func outgoing() throws -> ScriptWriter {
        let scripts = files.writer("files-sent", section: "15.3")
        for setting in Self.settings {
            for preference in [0, 1] as [UInt8] { try sent(scripts, setting, preference) }
            try answers(scripts, setting)
        }
        return scripts
    }

    private func sent(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        try scripts.works(
            setting, "two files, one behind the other, preference \(preference)",
            ["R15.3-1", "R15.3-2", "R15.3-3", preference == 0 ? "R11-2" : "R11-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            for id in 0...1 as ClosedRange<UInt64> {
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
        try scripts.works(
            setting, "an empty file, whose FILE_ACCEPT and FILE_DONE come at once, preference \(preference)",
            ["R15.3-6"]
        ) {
            try $0.reach(.open, preference: preference).offersFile(size: 0).send($0.fileAccept(), $0.fileDone())
        }
    }

    private func answers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for reason in [1, 3, 6, 0x33, 0x81] as [UInt8] {
            try scripts.works(
                setting, "the receiver refuses, reason \(reason)", ["R15.3-7"], flags: ["Declined"]
            ) { script in
                try script.reach(.open)
                try script.offersFile()
                try script.send(script.fileRefused(0, reason))
            }
        }
        try scripts.works(
            setting, "the app cancels; answers on the way are ignored", ["R15.3-6", "R15.4-1"],
            flags: ["CrossedFrame"]
        ) { script in
            try script.reach(.open)
            try script.offersFile()
            try script.app("cancelFile", ["reason": 2])
            try script.hear()
            try script.send(script.fileAccept(), script.fileRefused(0, 1), script.fileDone())
        }
        let unexpected: [(String, String, (Script) throws -> Void)] = [
            ("FILE_ACCEPT that nobody offered", "R13.2-2", { try $0.send($0.fileAccept()) }),
            ("FILE_DONE that nobody offered", "R13.2-2", { try $0.send($0.fileDone()) }),
            ("FILE_CANCEL of a file that nobody offered", "R13.2-2", { try $0.send($0.fileRefused(0, 1)) }),
            (
                "a second FILE_ACCEPT", "R15.3-6",
                { script in
                    try script.offersFile()
                    try script.send(script.fileAccept())
                    try script.hear()
                    try script.send(script.fileAccept())
                }
            ),
            (
                "FILE_DONE before FILE_ACCEPT", "R15.3-6",
                { script in
                    try script.offersFile()
                    try script.send(script.fileDone())
                }
            ),
            (
                "FILE_DONE before FILE_END", "R15.3-6",
                { try $0.offersFile().send($0.fileAccept()).hear().send($0.fileDone()) }
            ),
            ("FILE_ACCEPT of the next file", "R13.2-2", { try $0.offersFile().send($0.fileAccept(1)) }),
            (
                "FILE_DATA of one's own file", "R15.3-12",
                { script in
                    try script.offersFile()
                    try script.send(script.fileAccept())
                    try script.hear()
                    try script.send(WireBytes.fileData(script.ownFile(0), offset: 0, [1]))
                }
            ),
            (
                "FILE_ACCEPT with a number of the peer's kind", "R13.2-2",
                { script in
                    try script.offersFile()
                    try script.send(script.fileAccept())
                    try script.hear()
                    try script.supplies()
                    try script.send(script.fileDone())
                    try script.hear()
                    try script.offersFile()
                    try script.send(WireBytes.fileAccept(script.peersFile(0)))
                }
            ),
            (
                "FILE_DONE with a number of the peer's kind", "R13.2-2",
                { script in
                    try script.offersFile()
                    try script.app("cancelFile", ["reason": 2])
                    try script.hear()
                    try script.send(WireBytes.fileDone(script.peersFile(0)))
                }
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
