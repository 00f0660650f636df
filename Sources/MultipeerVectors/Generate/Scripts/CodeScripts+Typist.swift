internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The code is typed at the implementation.
extension CodeScripts {
    func typist(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try notTried(scripts, setting)
        try answers(scripts, setting)
        try unexpected(scripts, setting)
        try crossingInvite(scripts, setting)
        try bothType(scripts, setting)
        var other = setting
        other.ownKeyIsLesser = false
        try voidCode(scripts, other)
    }

    /// Nothing is sent.
    private func notTried(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for (comment, text) in [
            ("text that is no code", "tulip orbit"), ("a word that is none", "4-tulip-orbits"),
            ("a number 0", "0-tulip-orbit"),
        ] {
            try scripts.works(
                setting, "\(comment) is not tried", ["R25.4-1"], section: "25.4", end: .fails("truncated")
            ) { try $0.reach(.identified).types(text).hear().end() }
        }
        try scripts.works(
            setting, "capitals and spaces make no other code", ["R25.4-1"], section: "25.4", end: .fails("truncated")
        ) { script in
            try script.reach(.identified).types(" 4 Tulip-\tORBIT ").hear().send(script.codeAnswer()).hear()
                .send(script.codeConfirm()).hear().end()
        }
        try scripts.works(
            setting, "a code is given before the peer is identified", ["R25.6-7"], end: .fails("truncated")
        ) { try $0.reach(.info).types().hear().end() }
        try scripts.works(
            setting, "a code is given behind INVITE", ["R25.7-1"], end: .fails("truncated")
        ) { try $0.reach(.inviting).types().hear().end() }
        try scripts.works(
            setting, "a second code is given while the first is tried", ["R25.6-7"], end: .fails("truncated")
        ) { try $0.begins().types("7-acorn-acorn").hear().end() }
        for (comment, what) in [("is being tried", ["gives"]), ("was burned", ["gives", "burns"])] {
            try scripts.works(
                setting, "a code that \(comment) on another link", ["R25.5-6"], flags: ["Burned"], section: "25.5",
                end: .fails("truncated")
            ) { script in
                try script.reach(.identified)
                for step in what { try script.elsewhere(step, step == "gives" ? Script.code : nil) }
                try script.types().hear().types("7-acorn-acorn").hear().end()
            }
        }
        var silent = setting
        silent.verification = .ownSide
        try scripts.works(
            silent, "a code is given, and a comparison wanted, with a peer that does not list the feature", ["R8.1-5"],
            flags: ["NotListed"], section: "25.7", end: .fails("truncated")
        ) { try $0.reach(.identified).types().compares().hear().end() }
        silent.verification = .peer
        try scripts.works(
            silent, "a code is given, and a comparison wanted, at a side that does not list the feature", ["R8.1-5"],
            flags: ["NotListed"], section: "25.7", end: .fails("truncated")
        ) { try $0.reach(.identified).types().compares().hear().end() }
    }

    /// What CODE_ANSWER holds, and what comes in its place. No code is burned.
    private func answers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func refuse(
            _ flag: String, _ comment: String, _ requirements: [String], section: String = "25.6",
            _ payload: @escaping ([UInt8]) -> [UInt8]
        ) throws {
            try scripts.fails(
                setting, "malformed", flag, "CODE_ANSWER: \(comment)", requirements, section: section
            ) { script in
                try script.begins()
                let share = try script.begin(asTypist: false).share.rawBytes
                try script.send(WireBytes.frame(.codeAnswer, payload(share)))
            }
        }
        for share in BadShare.allCases {
            try refuse(share.flag, "\(share.rawValue) as the share", ["R25.5-2"], section: "25.5") {
                share.bytes(of: $0) + [0]
            }
        }
        try refuse("Truncated", "a share of 31 bytes", []) { $0.dropLast() + [0] }
        try refuse("TrailingBytes", "a byte behind the fields", ["R3.3-1"]) { $0 + [0, 0] }
        try scripts.works(
            setting, "the peer answers with code_unavailable", ["R25.6-6"], flags: ["ClosedByPeer"], section: "25.6"
        ) { try $0.begins().send($0.close(code("code_unavailable"))).hear().end() }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "CODE_ANSWER does not come in 10 s", ["R25.6-8"], section: "25.6"
        ) { try $0.begins().clock(9_999).hear().clock(1) }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "the 10 s count from CODE_BEGIN, not from CODE_ANSWER", ["R25.6-8"],
            section: "25.6"
        ) { try $0.begins().clock(9_000).send($0.codeAnswer()).hear().clock(999).hear().clock(1) }
    }

    private func unexpected(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func refuse(_ comment: String, _ body: @escaping (Script) throws -> Void) throws {
            try scripts.fails(setting, "unexpected_frame", "UnexpectedFrame", comment, ["R25.7-1"], body)
        }
        try refuse("CODE_CONFIRM before CODE_ANSWER") { script in
            try script.begins()
            _ = try script.begin(asTypist: false)
            try script.send(script.codeConfirm())
        }
        try refuse("CODE_ANSWER twice") { try $0.begins().send($0.codeAnswer(), $0.codeAnswer()) }
        try refuse("CODE_BEGIN behind CODE_ANSWER") { try $0.confirms().send($0.codeBegin()) }
        try refuse("INVITE behind CODE_ANSWER") { try $0.confirms().send($0.invite()) }
        try refuse("CANCEL without INVITE") { try $0.begins().send($0.cancel()) }
        try refuse("ACCEPT in pairing") { try $0.begins().send($0.accept()) }
    }

    /// The peer's INVITE crosses CODE_BEGIN.
    private func crossingInvite(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let flags = ["CrossingCodes"]
        try scripts.works(
            setting, "the peer's INVITE crosses CODE_BEGIN, and its CLOSE follows", [], flags: flags + ["ClosedByPeer"]
        ) { try $0.begins().send($0.invite()).hear().send($0.close(code("code_unavailable"))).hear().end() }
        try scripts.works(
            setting, "CANCEL behind the INVITE that crossed CODE_BEGIN ends the invitation", [],
            flags: flags + ["Cancelled"], end: .fails("declined")
        ) { try $0.begins().send($0.invite(), $0.cancel(), $0.close()).hear().end() }
        let frames: [(String, (Script) throws -> [UInt8])] = [
            ("a second INVITE", { $0.invite() }), ("CODE_ANSWER", { try $0.codeAnswer() }),
            ("CODE_BEGIN", { try $0.codeBegin() }),
        ]
        for (comment, frame) in frames {
            try scripts.fails(
                setting, "unexpected_frame", "CrossingCodes", "\(comment) behind the INVITE that crossed CODE_BEGIN",
                ["R25.7-1"]
            ) { try $0.begins().send($0.invite(), frame($0)) }
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange",
            "the INVITE that crosses CODE_BEGIN is to a session of another founder",
            ["R8.2-5"]
        ) { try $0.begins().send($0.invite(charter: WireBytes.charter(founder: $0.own.key))) }
    }

    /// One's own code wins.
    private func bothType(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let flags = ["CrossingCodes"]
        for (comment, share) in [("", nil), (" with a share that is none", [UInt8](repeating: 0xFF, count: 32))] {
            try scripts.works(
                setting, "both type, and one's own code stands: the peer's CODE_BEGIN\(comment) is ignored",
                ["R25.7-2", "R25.5-2"], flags: flags, end: .fails("truncated")
            ) { script in
                try script.begins()
                let begin =
                    try share.map { WireBytes.frame(.codeBegin, $0 + [7, 0]) } ?? script.codeBegin("7-acorn-acorn")
                try script.send(begin).hear().send(script.codeAnswer()).hear().send(script.codeConfirm()).hear().end()
            }
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange", "both type, and one's own code stands: the void one is decoded",
            ["R25.7-2", "R25.6-1"]
        ) { script in
            try script.begins().send(
                WireBytes.frame(.codeBegin, try script.begin(asTypist: true).share.rawBytes + [0, 0]))
        }
        try scripts.fails(
            setting, "unexpected_frame", "CrossingCodes", "both type, and CODE_BEGIN comes twice",
            ["R25.6-7", "R25.7-1"]
        ) { try $0.begins().send($0.codeBegin(), $0.codeBegin()) }
    }

    /// The peer's code wins.
    private func voidCode(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let flags = ["CrossingCodes"]
        try scripts.works(
            setting, "both type, and the peer's code stands: it is answered", ["R25.7-2"], flags: flags,
            end: .fails("truncated")
        ) { script in
            try script.reach(.identified).shows().types("7-acorn-acorn").hear().send(script.codeBegin()).hear()
                .send(script.codeConfirm()).hear().end()
        }
        try scripts.fails(
            setting, "code_unavailable", "CrossingCodes", "both type, the peer's code stands, and none is shown",
            ["R25.7-2", "R25.6-6"]
        ) { try $0.begins().send($0.codeBegin()) }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "both type, and the 10 s count from the CODE_BEGIN that stands",
            ["R25.7-2", "R25.6-8"]
        ) { script in
            try script.reach(.identified).shows().types("7-acorn-acorn").hear().clock(9_000).send(script.codeBegin())
                .hear().clock(9_999).hear().clock(1)
        }
        try scripts.fails(
            setting, "unexpected_frame", "CrossingCodes",
            "both type, the peer's code stands, and it answers the void one",
            ["R25.7-1", "R25.7-2"]
        ) { script in
            try script.reach(.identified).shows().types("7-acorn-acorn").hear().send(script.codeBegin()).hear()
                .send(script.codeAnswer())
        }
    }
}
