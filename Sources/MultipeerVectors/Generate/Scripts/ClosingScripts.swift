internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Closing: SPEC §16.
struct ClosingScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("closing", section: "16.1")
        for role in ScriptFiles.roles {
            for preference in [0, 1] as [UInt8] { try good(scripts, ScriptSetting(role), preference) }
            try codes(scripts, ScriptSetting(role))
            try afterwards(scripts, ScriptSetting(role))
            try earlier(scripts, ScriptSetting(role))
        }
        for role in ScriptFiles.roles { try settled(scripts, ScriptSetting(role)) }
        for role in ScriptFiles.roles { try payload(scripts, ScriptSetting(role)) }
        for role in ScriptFiles.roles { try twoEnds(scripts, ScriptSetting(role)) }
        return scripts
    }

    private func good(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
        try scripts.works(
            setting, "the app closes, the peer answers; preference \(preference)", ["R16.1-1", "R16.1-2"]
        ) { try $0.reach(.closing, preference: preference).send($0.close()).hear().end() }
        try scripts.works(
            setting, "the peer closes; the answer comes at once; preference \(preference)", ["R16.1-2"]
        ) { try $0.reach(.open, preference: preference).send($0.close()).hear().end() }
        try scripts.works(
            setting, "messages on the way are delivered after CLOSE, all else is ignored; preference \(preference)",
            ["R16.1-3"], flags: ["CrossedFrame"]
        ) {
            try $0.reach(.closing, preference: preference).send($0.message("ab", total: 4), kind: kind)
                .send($0.fileOffer(), WireBytes.frame(0x21, []), WireBytes.frame(WireBytes.unknownEven, []), $0.ready)
                .send($0.part("cd"), $0.message("more"), kind: kind).hear().send($0.close()).hear().end()
        }
        try scripts.works(setting, "queued messages go before CLOSE; preference \(preference)", ["R16.1-1"]) {
            try $0.reach(.open, preference: preference).app("send", ["message": .hex(Array("last".utf8))]).app("close")
                .hear().send($0.close()).end()
        }
    }

    private func codes(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for (code, name) in [
            (0x01, "malformed"), (0x20, "shutting_down"), (0x23, "moved"), (0x3F, "unknown"), (0x4001, "private"),
        ]
            as [(UInt64, String)]
        {
            try scripts.works(
                setting, "the peer closes an open link: \(name)", ["R16.1-4", "R16.1-2"], flags: ["ClosedByPeer"]
            ) { try $0.reach(.open).send($0.close(code)).hear().end() }
        }
        try scripts.works(
            setting, "the peer closes before anybody invited, without an error", ["R16.1-2"],
            flags: ["ClosedByPeer"]
        ) { script in
            try script.reach(.identified)
            try script.send(script.close())
            try script.hear()
            try script.end()
        }
        try scripts.play(LinkEndRules.close, setting)
        try scripts.works(
            setting, "the app's program ends: CLOSE with shutting_down", ["R16.1-2"], flags: ["ClosedByPeer"]
        ) { try $0.reach(.open).app("close", ["code": "shutting_down"]).hear().send($0.close()).end() }
    }

    private func afterwards(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "all bytes after CLOSE are ignored, whatever they are", ["R16.1-1"], flags: ["AfterClose"]
        ) {
            try $0.reach(.open).send($0.close(), $0.message("late")).send($0.message("later")).bytes([0xFF, 0xFF])
                .hear().end()
        }
        try scripts.fails(
            setting, "truncated", "Truncation", "the stream ends without CLOSE", ["R16.2-1"], section: "16.2"
        ) { try $0.reach(.open) }
        try scripts.works(
            setting, "CLOSE went, and the stream ends without the peer's", ["R16.2-1"], flags: ["Truncation"],
            section: "16.2", end: .fails("truncated")
        ) { try $0.reach(.closing).end() }
        try scripts.works(
            setting, "records that come while CLOSE waits put the deadline off", ["R16.1-3", "R19-3"], flags: ["Late"],
            end: .fails("timed_out")
        ) { try $0.reach(.closing).clock(4_000).send($0.message("slow")).hear().clock(4_000).hear().clock(1_000) }
        for (code, flag, body) in [
            (
                "decrypt_failed", "ModifiedTag",
                { script in
                    var record = try script.record(script.message("x"))
                    record[record.count - 1] ^= 1
                    try script.bytes(record)
                }
            ),
            ("unexpected_frame", "UnexpectedFrame", { try $0.send($0.ready) }),
        ] as [(String, String, (Script) throws -> Void)] {
            try scripts.works(
                setting, "after an error everything but CLOSE is ignored: \(code)", ["R16.1-3"], flags: [flag],
                section: "16.3", end: .fails(code)
            ) { script in
                try script.reach(.open)
                try body(script)
                try script.hear().send(script.message("ignored"), WireBytes.frame(WireBytes.unknownEven, [])).hear()
                    .send(script.close())
                    .hear().end()
            }
        }
    }

    /// The app closes before the link is open.
    private func earlier(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in [
            Script.Stage.proof, .info, .identified, .inviting, .invited, .certificatesInvitee, .judging, .selfReady,
        ] {
            try scripts.works(
                setting, "the app closes in \(stage.rawValue)", ["R16.1-1", "R8.4-3", "R8.5-1"], flags: ["Cancelled"],
                section: "17", end: .fails("declined")
            ) { try $0.reach(stage).app("close").hear().send($0.close()).end() }
        }
    }
}
