internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerWire

/// What comes after CLOSE, and what it can change: R12.4-2, R16.3-1.
extension ClosingScripts {
    func settled(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try faultsWhileClosing(scripts, setting)
        try scripts.works(
            setting, "the app closed a link that was not open: a record that does not verify changes nothing",
            ["R16.3-1"], flags: ["ModifiedTag"], section: "16.3", end: .fails("declined")
        ) { script in
            try script.reach(.identified).app("close").hear()
            var record = try script.record(script.padding())
            record[record.count - 1] ^= 1
            try script.bytes(record).end()
        }
        try scripts.works(
            setting, "DECLINE went: the end of the stream without the peer's CLOSE changes nothing",
            ["R16.3-1", "R16.2-1"], flags: ["Truncation"], section: "16.3", end: .fails("declined")
        ) { try $0.reach(.invited).app("decline", ["reason": 1]).hear().end() }
        try scripts.works(
            setting, "closed with shutting_down: the end of the stream without the peer's CLOSE changes nothing",
            ["R16.3-1", "R16.2-1"], flags: ["Truncation"], section: "16.3"
        ) { try $0.reach(.open).app("close", ["code": "shutting_down"]).hear().end() }
        try scripts.fails(
            setting, "wrong_protection", "WrongProtection", "AUTHENTICATED before PROOF: its header is enough",
            ["R12.4-2", "R18-1"], section: "12.4"
        ) { try $0.reach(.proof).bytes([0x11, 0x00, 0x20]).hear() }
    }

    /// What comes after the own CLOSE of an error, or of a code of the app's, changes nothing that is reported.
    func twoEnds(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "closed with shutting_down: a record that does not verify changes nothing", ["R16.3-1"],
            flags: ["ModifiedTag"], section: "16.3"
        ) { script in
            try script.reach(.open).app("close", ["code": "shutting_down"]).hear()
            var record = try script.record(script.padding())
            record[record.count - 1] ^= 1
            try script.bytes(record).end()
        }
        try scripts.works(
            setting, "an error, and the peer's CLOSE with a code of its own: the error is reported", ["R16.3-1"],
            flags: ["TwoFaults"], section: "16.3", end: .fails("unexpected_frame")
        ) { try $0.reach(.open).send($0.ready).hear().send($0.close(0x20)).hear().end() }
    }

    /// A link that was open counts as open after its CLOSE, so protection is judged.
    private func faultsWhileClosing(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let faults: [(String, RecordKind, (Script) -> [UInt8])] = [
            ("MESSAGE in ENCRYPTED", .encrypted, { $0.message("x") }),
            ("READY in AUTHENTICATED", .authenticated, { $0.ready }),
            ("CLOSE in AUTHENTICATED", .authenticated, { $0.close() }),
        ]
        for (comment, kind, frame) in faults {
            try scripts.works(
                setting, "readable link, after the app closed it: \(comment)", ["R12.4-2", "R16.3-1"],
                flags: ["WrongProtection"], section: "12.4", end: .fails("wrong_protection")
            ) { try $0.reach(.closing, preference: 0).send(frame($0), kind: kind).hear().end() }
        }
    }
}
