internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Short strings on a link: SPEC §25.3, §25.6.
struct StringScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("short-strings", section: "25.6")
        for role in ScriptFiles.roles {
            var setting = ScriptSetting(role)
            setting.verification = .both
            try differ(scripts, setting)
            try states(scripts, setting)
            try readable(scripts, setting)
            switch role {
            case .initiator: try initiator(scripts, setting)
            case .responder: try responder(scripts, setting)
            }
        }
        return scripts
    }

    /// Two persons see different strings.
    private func differ(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "both strings are there, and the persons find that they differ", [], flags: ["StringsDiffer"],
            section: "25.3", end: .fails("declined")
        ) { script in
            try script.reach(.identified)
            try Strings.exchange(script)
            try script.app("close", ["code": "strings_differ"]).hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting, "the same on an open link", [], flags: ["StringsDiffer"], section: "25.3"
        ) { script in
            try script.reach(.open)
            try Strings.exchange(script)
            try script.app("close", ["code": "strings_differ"]).hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting, "the peer's person finds that the strings differ", [], flags: ["StringsDiffer", "ClosedByPeer"],
            section: "25.3"
        ) { script in
            try script.reach(.identified)
            try Strings.exchange(script)
            let code = CloseCode.registry.first { $0.name == "strings_differ" }?.code.rawValue ?? 0
            try script.send(script.close(code)).hear().end()
        }
    }

    /// From *identified* on, and no state changes.
    private func states(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let stages: [Script.Stage] = [
            .identified, .inviting, .invited, .certificatesInvitee, .certificatesInviter, .judging, .selfReady, .open,
        ]
        for stage in stages {
            try scripts.works(
                setting, "strings are compared in \(stage.rawValue)", ["R25.6-4", "R25.6-5"], end: .fails("truncated")
            ) { script in
                try script.reach(stage)
                try Strings.exchange(script)
                try script.end()
            }
        }
        try scripts.works(setting, "strings are compared while the link drains", ["R25.6-5"]) { script in
            // A message that lacks credit keeps the link from ending.
            try script.reach(.open).offersFile()
            try script.app("close").hear()
            try Strings.exchange(script)
            try script.send(script.close()).hear().end()
        }
        for (stage, word) in [(Script.Stage.info, "before PEER_INFO"), (.closing, "behind CLOSE")] {
            try scripts.works(
                setting, "a comparison is wanted \(word): nothing is sent", ["R25.6-4"],
                end: stage == .closing ? .good : .fails("truncated")
            ) { script in
                try script.reach(stage).compares().hear()
                if stage == .closing { try script.send(script.close()).hear() }
                try script.end()
            }
        }
        try scripts.works(
            setting, "a comparison is wanted twice, and again when the string is there", ["R25.6-4"],
            end: .fails("truncated")
        ) { script in
            try script.reach(.identified)
            if setting.role == .responder { try script.send(script.stringCommit()).hear() }
            try script.compares().hear().compares().hear()
            try script.send(setting.role == .initiator ? script.stringNonce : script.stringReveal).hear()
            try script.compares().hear().end()
        }
    }

    /// Control frames are encrypted in every mode (SPEC §11).
    private func readable(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "strings are compared on a readable link", ["R11-2"], end: .fails("truncated")
        ) { script in
            try script.reach(.open, preference: 0)
            try Strings.exchange(script)
            try script.end()
        }
        try scripts.fails(
            setting, "wrong_protection", "WrongProtection", "a STRING frame in AUTHENTICATED on a readable link",
            ["R12.4-2"]
        ) { script in
            try script.reach(.open, preference: 0)
            let frame = setting.role == .initiator ? script.stringAsk : try script.stringCommit()
            try script.send(frame, kind: .authenticated)
        }
    }

    // MARK: The initiator of the link

    private func initiator(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "STRING_ASK: the app is told, and nothing is sent until its person wants to compare", ["R25.6-4"],
            end: .fails("truncated")
        ) { script in
            try script.reach(.identified).send(script.stringAsk).hear().clock(30_000).hear().compares().hear()
                .send(script.stringNonce).hear().end()
        }
        try scripts.works(
            setting, "STRING_ASK crosses STRING_COMMIT", ["R25.6-3"], end: .fails("truncated")
        ) { script in
            try script.reach(.identified).compares().hear().send(script.stringAsk).hear().send(script.stringNonce)
                .hear()
                .end()
        }
        try unexpected(
            scripts, setting,
            [
                ("STRING_ASK twice", { try $0.send($0.stringAsk, $0.stringAsk) }),
                (
                    "STRING_ASK behind the one for which STRING_COMMIT went",
                    { script in
                        try script.send(script.stringAsk).compares().hear().send(script.stringAsk)
                    }
                ),
                ("STRING_NONCE before STRING_COMMIT", { try $0.send($0.stringNonce) }),
                ("STRING_NONCE twice", { try $0.compares().hear().send($0.stringNonce, $0.stringNonce) }),
                (
                    "STRING_ASK when the string is there",
                    { try $0.compares().hear().send($0.stringNonce, $0.stringAsk) }
                ),
                ("STRING_COMMIT at an initiator", { try $0.send($0.stringCommit()) }),
                ("STRING_REVEAL at an initiator", { try $0.compares().hear().send($0.stringReveal) }),
            ])
        try malformed(scripts, setting, "STRING_ASK", .stringAsk, []) { _ in }
        try malformed(scripts, setting, "STRING_NONCE", .stringNonce, [UInt8](repeating: 1, count: 32)) {
            try $0.compares().hear()
        }
    }

    // MARK: The responder

    private func responder(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "STRING_COMMIT: the app is told, and no nonce is sent until its person wants to compare",
            ["R25.6-4"], end: .fails("truncated")
        ) { script in
            try script.reach(.identified).send(script.stringCommit()).hear().clock(30_000).hear().compares().hear()
                .send(script.stringReveal).hear().end()
        }
        try scripts.works(
            setting, "the responder's person begins: STRING_ASK, and the nonce as soon as the commitment is there",
            ["R25.6-4"], end: .fails("truncated")
        ) { script in
            try script.reach(.identified).compares().hear().send(script.stringCommit()).hear().send(script.stringReveal)
                .hear().end()
        }
        for (comment, nonce) in [
            ("another nonce than the one committed to", setting.nonce(1)), ("the responder's own nonce", nil),
        ] {
            try scripts.fails(
                setting, "commitment_invalid", "WrongCommitment", "\(comment) is revealed", ["R25.3-2"], section: "25.3"
            ) { script in
                try script.reach(.identified).compares().hear().send(script.stringCommit()).hear()
                let own = Array(try script.latest("STRING_NONCE").prefix(32))
                try script.send(WireBytes.frame(.stringReveal, (nonce ?? own) + [0]))
            }
        }
        try scripts.fails(
            setting, "commitment_invalid", "WrongCommitment", "a commitment made for another link", ["R25.3-2"],
            section: "25.3"
        ) { script in
            try script.reach(.identified).compares().hear()
                .send(WireBytes.frame(.stringCommit, script.samples.bytes32("another link's commitment") + [0])).hear()
                .send(script.stringReveal)
        }
        try unexpected(
            scripts, setting,
            [
                ("STRING_COMMIT twice", { try $0.send($0.stringCommit(), $0.stringCommit()) }),
                (
                    "STRING_COMMIT behind STRING_NONCE",
                    { script in
                        try script.compares().hear().send(script.stringCommit()).hear().send(script.stringCommit())
                    }
                ),
                ("STRING_REVEAL before STRING_COMMIT", { try $0.compares().hear().send($0.stringReveal) }),
                ("STRING_REVEAL before STRING_NONCE", { try $0.send($0.stringCommit(), $0.stringReveal) }),
                (
                    "STRING_REVEAL twice",
                    { script in
                        try script.compares().hear().send(script.stringCommit()).hear()
                            .send(script.stringReveal, script.stringReveal)
                    }
                ),
                ("STRING_ASK at a responder", { try $0.send($0.stringAsk) }),
                ("STRING_NONCE at a responder", { try $0.compares().hear().send($0.stringNonce) }),
            ])
        try malformed(scripts, setting, "STRING_COMMIT", .stringCommit, [UInt8](repeating: 1, count: 32)) { _ in }
        try malformed(scripts, setting, "STRING_REVEAL", .stringReveal, [UInt8](repeating: 1, count: 32)) { script in
            try script.compares().hear().send(script.stringCommit()).hear()
        }
    }

    // MARK: Both

    private func unexpected(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ cases: [(String, (Script) throws -> Void)]
    ) throws {
        for (comment, body) in cases {
            try scripts.fails(setting, "unexpected_frame", "UnexpectedFrame", comment, ["R25.6-3"]) { script in
                try body(try script.reach(.identified))
            }
        }
    }

    private func malformed(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ name: String, _ type: FrameType, _ head: [UInt8],
        _ prepare: @escaping (Script) throws -> Void
    ) throws {
        var cases: [(String, String, [UInt8])] = [
            ("Truncated", "no fields", head), ("TrailingBytes", "a byte behind the fields", head + [0, 0]),
            ("UnknownCritical", "a field of even type", head + WireBytes.vector(WireBytes.field(2, []))),
        ]
        if !head.isEmpty { cases.append(("Truncated", "31 bytes", head.dropLast() + [])) }
        for (flag, comment, payload) in cases {
            let code = flag == "UnknownCritical" ? "unsupported" : "malformed"
            try scripts.fails(setting, code, flag, "\(name) with \(comment)", []) { script in
                try prepare(try script.reach(.identified))
                try script.send(WireBytes.frame(type, payload))
            }
        }
    }
}

extension ScriptSetting {
    /// 32 bytes that nobody has committed to.
    fileprivate func nonce(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
}
