internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Records under way: SPEC §6.2, §11, §12.4.
struct RecordScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("records", section: "12.4")
        for role in ScriptFiles.roles {
            for suite in Suite.classical {
                for preference in [0, 1] as [UInt8] {
                    try tampering(scripts, ScriptSetting(role, suite: suite), preference)
                }
            }
            let setting = ScriptSetting(role)
            try headers(scripts, setting)
            try readable(scripts, setting)
            try encrypted(scripts, setting)
        }
        return scripts
    }

    private func tampering(_ scripts: ScriptWriter, _ setting: ScriptSetting, _ preference: UInt8) throws {
        let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
        let name = preference == 0 ? "AUTHENTICATED" : "ENCRYPTED"
        let cases: [(String, String, (Script) throws -> [UInt8])] = [
            (
                "ModifiedTag", "a bit of the tag",
                { script in
                    var record = try script.record(script.message("hello"), kind: kind)
                    record[record.count - 1] ^= 1
                    return record + (try script.record(script.message("after"), kind: kind))
                }
            ),
            (
                "ModifiedCiphertext", "a bit of the frames",
                { script in
                    var record = try script.record(script.message("hello"), kind: kind)
                    record[5] ^= 1
                    return record
                }
            ),
            (
                "WrongCounter", "a record is replayed",
                { script in
                    let record = try script.record(script.message("once"), kind: kind)
                    return record + record
                }
            ),
            (
                "WrongCounter", "a record is left out",
                { script in
                    script.skipCounter()
                    return try script.record(script.message("hello"), kind: kind)
                }
            ),
            (
                "WrongCounter", "two records are exchanged",
                { script in
                    let first = try script.record(script.message("one"), kind: kind)
                    return try script.record(script.message("two"), kind: kind) + first
                }
            ),
            (
                "WrongKey", "the key of the other direction",
                { script in
                    let own = Arguments(.object(script.params), "params")
                    return try script.record(script.message("mine"), kind: kind, key: try own.bytes("sendKey"))
                }
            ),
        ]
        for (flag, comment, bytes) in cases {
            try scripts.fails(
                setting, "decrypt_failed", flag, "\(name): \(comment)", ["R12.4-1"]
            ) { try $0.reach(.open, preference: preference).bytes(bytes($0)) }
        }
    }

    private func headers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in [Script.Stage.proof, .identified, .open] {
            try scripts.fails(
                setting, "unexpected_record", "RecordOutOfOrder", "HELLO in \(stage.rawValue)", ["R6.2-2"],
                section: "6.2"
            ) { try $0.reach(stage).bytes([0x01]) }
            try scripts.fails(
                setting, "malformed", "UnknownRecordKind", "kind 0x20 in \(stage.rawValue)", ["R6.2-1"], section: "6.2"
            ) { try $0.reach(stage).bytes([0x20]) }
            try scripts.fails(
                setting, "malformed", "RecordLength", "ENCRYPTED of 17 bytes in \(stage.rawValue)", ["R6.2-1"],
                section: "6.2"
            ) { try $0.reach(stage).bytes([0x10, 0, 17]) }
        }
        try scripts.fails(
            setting, "unexpected_record", "RecordOutOfOrder", "REFUSAL after the hello", ["R6.2-2", "R7.5-1"],
            section: "6.2"
        ) { try $0.reach(.proof).bytes([0x02]) }
    }

    /// The right frame in the wrong record.
    private func readable(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let wrong: [(String, RecordKind, (Script) -> [UInt8])] = [
            ("MESSAGE in ENCRYPTED", .encrypted, { $0.message("secret") }),
            ("MESSAGE_PART in ENCRYPTED", .encrypted, { $0.part("secret") }),
            ("FILE_DATA in ENCRYPTED", .encrypted, { $0.fileData() }),
            ("STREAM_DATA in ENCRYPTED", .encrypted, { WireBytes.streamData($0.peersFile(0), "x") }),
            ("CREDIT in AUTHENTICATED", .authenticated, { _ in WireBytes.credit(0, 0, 400_000) }),
            ("ACK in AUTHENTICATED", .authenticated, { _ in WireBytes.ack(1) }),
            ("PING in AUTHENTICATED", .authenticated, { _ in WireBytes.ping() }),
            ("STREAM_OPEN in AUTHENTICATED", .authenticated, { WireBytes.opening($0.peersFile(0)) }),
            ("STREAM_END in AUTHENTICATED", .authenticated, { WireBytes.streamEnd($0.peersFile(0), 0) }),
            ("DIGEST in AUTHENTICATED", .authenticated, { _ in WireBytes.digest([UInt8](repeating: 1, count: 32)) }),
            ("CLOSE in AUTHENTICATED", .authenticated, { $0.close() }),
            ("FILE_OFFER in AUTHENTICATED", .authenticated, { $0.fileOffer() }),
            ("FILE_END in AUTHENTICATED", .authenticated, { $0.fileEnd() }),
            ("READY in AUTHENTICATED", .authenticated, { $0.ready }),
            ("PADDING in AUTHENTICATED", .authenticated, { $0.padding() }),
            ("an unknown odd frame in AUTHENTICATED", .authenticated, { _ in WireBytes.frame(0x21, [1]) }),
        ]
        for (comment, kind, frame) in wrong {
            try scripts.fails(
                setting, "wrong_protection", "WrongProtection", "readable link: \(comment)", ["R12.4-2", "R11-2"]
            ) { try $0.reach(.open, preference: 0).send(frame($0), kind: kind) }
        }
        try scripts.fails(
            setting, "unsupported", "UnknownCritical", "readable link: an unknown even frame in AUTHENTICATED",
            ["R6.4-2", "R18-1"]
        ) { try $0.reach(.open, preference: 0).send(WireBytes.frame(WireBytes.unknownEven, []), kind: .authenticated) }
        try scripts.fails(
            setting, "wrong_protection", "FrameBeforeFault",
            "readable link: a good MESSAGE before a control frame in AUTHENTICATED is delivered", ["R12.4-2", "R6.3-2"]
        ) { try $0.reach(.open, preference: 0).send($0.message("good"), $0.close(), kind: .authenticated) }
        try scripts.fails(
            setting, "wrong_protection", "Precedence", "readable link: the protection comes before the payload",
            ["R12.4-2", "R18-1"]
        ) { try $0.reach(.open, preference: 0).send(WireBytes.frame(.message, []), kind: .encrypted) }
        for stage in [Script.Stage.proof, .identified, .certificatesInviter, .judging, .selfReady] {
            try scripts.fails(
                setting, "wrong_protection", "WrongProtection", "AUTHENTICATED in \(stage.rawValue)", ["R12.4-2"]
            ) { try $0.reach(stage, preference: 0).send($0.message("early"), kind: .authenticated) }
        }
    }

    private func encrypted(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "wrong_protection", "WrongProtection", "encrypted link: MESSAGE in AUTHENTICATED",
            ["R12.4-2", "R11-1"]
        ) { try $0.reach(.open).send($0.message("readable"), kind: .authenticated) }
        try scripts.fails(
            setting, "wrong_protection", "Precedence", "encrypted link: AUTHENTICATED comes before its tag",
            ["R12.4-2", "R18-1"]
        ) { script in
            try script.reach(.open)
            var record = try script.record(script.message("readable"), kind: .authenticated)
            record[record.count - 1] ^= 1
            try script.bytes(record)
        }
    }
}
