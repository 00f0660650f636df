internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// REKEY and exports: SPEC §9.8, §12.6.
struct RekeyScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("rekey", section: "12.6")
        for role in ScriptFiles.roles {
            for suite in Suite.classical {
                for preference in [0, 1] as [UInt8] {
                    try received(scripts, ScriptSetting(role, suite: suite), preference)
                    try sent(scripts, ScriptSetting(role, suite: suite), preference)
                }
            }
            let setting = ScriptSetting(role)
            try misplaced(scripts, setting)
            try closing(scripts, setting)
            try due(scripts, setting)
            try exports(scripts, setting)
        }
        return scripts
    }

    private func received(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
        try scripts.works(
            setting, "REKEY twice, and messages under the next keys; preference \(preference)", ["R12.6-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            try script.send(script.message("old"), kind: kind)
            for text in ["next", "the one behind"] {
                try script.send(script.rekey)
                try script.rekeyPeer()
                try script.send(script.message(text), kind: kind)
            }
            try script.send(script.close())
            try script.hear()
            try script.end()
        }
        try scripts.fails(
            setting, "decrypt_failed", "MissedRekey",
            "a message under the old key behind REKEY; preference \(preference)",
            ["R12.6-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            try script.send(script.rekey)
            try script.send(script.message("old"), kind: kind)
        }
    }

    private func sent(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        try scripts.works(
            setting,
            "the app replaces the key, and sends; the other direction is not touched; preference \(preference)",
            ["R12.6-1"]
        ) { script in
            try script.reach(.open, preference: preference)
            try script.app("rekey")
            try script.app("send", ["message": .hex(Array("next".utf8))])
            try script.hear()
            try script.send(script.message("as before"), kind: preference == 0 ? .authenticated : .encrypted)
            try script.app("rekey")
            try script.hear()
            try script.app("close")
            try script.hear()
            try script.send(script.close())
            try script.end()
        }
    }

    private func misplaced(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let behind: [(String, (Script) -> [UInt8])] = [
            ("MESSAGE", { $0.message("late") }), ("PADDING", { $0.padding() }),
            ("an unknown odd frame", { _ in WireBytes.frame(0x21, [1]) }),
            ("an unknown even frame", { _ in WireBytes.frame(WireBytes.unknownEven, []) }),
            ("a second REKEY", { $0.rekey }),
            ("CLOSE", { $0.close() }), ("a MESSAGE that does not decode", { _ in WireBytes.frame(.message, []) }),
        ]
        for (comment, frame) in behind {
            try scripts.fails(
                setting, "unexpected_frame", "UnexpectedFrame", "\(comment) behind REKEY in one record", ["R12.6-2"]
            ) { script in
                try script.reach(.open)
                try script.send(script.message("before"), script.rekey, frame(script))
            }
        }
        try scripts.fails(
            setting, "malformed", "Precedence", "half a frame behind REKEY: type and length come first",
            ["R12.6-2", "R18-1"]
        ) { script in
            try script.reach(.open)
            try script.send(script.rekey, [0x40])
        }
        try scripts.fails(
            setting, "wrong_protection", "WrongProtection", "REKEY in AUTHENTICATED", ["R12.4-2"], section: "12.4"
        ) { script in
            try script.reach(.open, preference: 0)
            try script.send(script.rekey, kind: .authenticated)
        }
        try scripts.fails(setting, "unsupported", "UnknownCritical", "REKEY with an even field", ["R3.4-3"]) { script in
            try script.reach(.open)
            try script.send(WireBytes.frame(.rekey, WireBytes.vector(WireBytes.field(2, []))))
        }
        try scripts.fails(setting, "malformed", "TrailingBytes", "REKEY with a byte at its end", ["R3.3-2"]) { script in
            try script.reach(.open)
            try script.send(WireBytes.frame(.rekey, [0, 0]))
        }
    }

    /// A link that closes obeys REKEY, or it could not read the CLOSE after it.
    private func closing(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let ways: [(String, ScriptWriter.End, (Script) throws -> Void)] = [
            ("the app closed", .good, { try $0.reach(.closing) }),
            (
                "the app closed with shutting_down", .good,
                { script in
                    try script.reach(.open)
                    try script.app("close", ["code": "shutting_down"])
                    try script.hear()
                }
            ),
            (
                "an error was told", .fails("unexpected_frame"),
                { script in
                    try script.reach(.open)
                    try script.send(script.ready)
                    try script.hear()
                }
            ),
            (
                "DECLINE went", .fails("declined"),
                { script in
                    try script.reach(.invited)
                    try script.app("decline", ["reason": 1])
                    try script.hear()
                }
            ),
        ]
        for (comment, end, reach) in ways {
            let frames: [(String, (Script) -> [UInt8])] = [
                ("REKEY", { $0.rekey }), ("two REKEY in one record, which are one", { $0.rekey + $0.rekey }),
                ("REKEY that does not decode", { _ in WireBytes.frame(.rekey, [9]) }),
                ("REKEY with a frame behind it", { $0.rekey + $0.padding() }),
            ]
            for (name, frame) in frames {
                try scripts.works(
                    setting, "\(comment): \(name), then CLOSE under the next key", ["R12.6-4", "R16.1-3"],
                    flags: ["CrossedFrame"], end: end
                ) { script in
                    try reach(script)
                    try script.send(frame(script))
                    try script.rekeyPeer()
                    try script.send(script.close())
                    try script.hear()
                    try script.end()
                }
            }
        }
        try scripts.works(
            setting, "the app closed: a message before REKEY, one behind it in the record, and one under the next key",
            ["R12.6-4", "R16.1-3"], flags: ["CrossedFrame"]
        ) { script in
            try script.reach(.closing)
            try script.send(script.message("one"), script.rekey, script.message("two"))
            try script.rekeyPeer()
            try script.send(script.message("three"), script.close())
            try script.hear()
            try script.end()
        }
    }

    /// When a sender replaces its key by itself.
    private func due(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func send(_ script: Script) throws {
            try script.app("send", ["message": .hex(Array("hello".utf8))])
            try script.hear()
        }
        try scripts.works(
            setting, "ten minutes with one key: REKEY goes before the next message, and none before the one behind it",
            ["R12.6-5"]
        ) { script in
            try script.reach(.open)
            try script.clock(599_999)
            try send(script)
            try script.clock(1)
            try script.hear()
            try send(script)
            try send(script)
            try script.clock(600_000)
            try script.app(
                "offerFile", ["name": .hex(Array("hello.txt".utf8)), "size": 5])
            try script.hear()
        }
        try scripts.works(
            setting, "the ten minutes count from the last REKEY of one's own", ["R12.6-5"]
        ) { script in
            try script.reach(.open)
            try script.clock(300_000)
            try script.app("rekey")
            try script.hear()
            try script.clock(599_999)
            try send(script)
            try script.clock(1)
            try send(script)
        }
        try scripts.works(
            setting, "closing after ten minutes needs no REKEY", ["R12.6-5"]
        ) { script in
            try script.reach(.open)
            try script.clock(600_000)
            try script.app("close")
            try script.hear()
            try script.send(script.close())
            try script.end()
        }
    }

    private func exports(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func export(_ script: Script, label: String = "example.org", context: [UInt8] = [], length: Int = 32) throws {
            try script.app(
                "export",
                ["label": .hex(Array(label.utf8)), "context": .hex(context), "length": .integer(length)])
        }
        try scripts.works(
            setting, "exports of an open link: by label, context and length, and the same behind REKEY", ["R9.8-1"],
            section: "9.8"
        ) { script in
            try script.reach(.open)
            try export(script)
            try export(script, length: 100)
            try export(script, context: [1])
            try export(script, label: "example.net")
            try script.hear()
            try script.app("rekey")
            try script.send(script.rekey)
            try script.rekeyPeer()
            try export(script)
            try script.hear()
        }
        try scripts.works(
            setting, "no export out of range", ["R9.8-1"], flags: ["ValueOutOfRange"], section: "9.8"
        ) { script in
            try script.reach(.open)
            try export(script, length: 0)
            try export(script, length: 8_161)
            try export(script, label: "")
            try export(script, label: String(repeating: "x", count: 256))
            try export(script, context: [UInt8](repeating: 0, count: 1_025))
        }
        try scripts.works(
            setting, "no export for a label of this document's, however it continues", ["R9.8-1"],
            flags: ["ValueOutOfRange"], section: "9.8"
        ) { script in
            try script.reach(.open)
            try export(script, label: "multipeer/")
            try export(script, label: "multipeer/1 verification")
            try export(script, label: "multipeer")
            try export(script, label: "Multipeer/1")
            try script.hear()
        }
        for stage in [Script.Stage.identified, .judging, .peerReady, .selfReady] {
            try scripts.works(
                setting, "no export in \(stage.rawValue)", ["R9.8-1"], section: "9.8",
                end: .fails("truncated")
            ) { script in
                try script.reach(stage)
                try export(script)
                try script.hear()
                try script.end()
            }
        }
    }
}
