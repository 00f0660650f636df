internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The code is shown by the implementation.
extension CodeScripts {
    func presenter(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try unavailable(scripts, setting)
        try begun(scripts, setting)
        try answered(scripts, setting)
        try invited(scripts, setting)
    }

    /// Nothing is burned, and nothing is computed.
    private func unavailable(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func refuse(
            _ comment: String, _ flag: String = "CodeUnavailable", requirements: [String] = ["R25.6-6"],
            _ prepare: @escaping (Script) throws -> Void
        ) throws {
            try scripts.fails(
                setting, "code_unavailable", flag, "CODE_BEGIN, and \(comment)", requirements, section: "25.6"
            ) { script in
                try script.reach(.identified)
                try prepare(script)
                try script.send(script.codeBegin())
            }
        }
        try refuse("no code is shown") { _ in }
        try refuse("the code is not shown any more") { try $0.shows().app("hideCode") }
        try refuse("a code of another number is shown") { try $0.shows("5-tulip-orbit") }
        try refuse("another code has taken its place") { try $0.shows().shows("5-acorn-acorn") }
        try refuse("the code was burned on another link", "Burned", requirements: ["R25.5-5", "R25.6-6"]) { script in
            try script.shows().elsewhere("begins").elsewhere("confirms").elsewhere("ends")
        }
        try scripts.fails(
            setting, "code_unavailable", "CodeUnavailable", "a share that is none, and no code is shown",
            ["R25.5-2", "R25.6-6"], section: "25.5"
        ) { script in
            try script.reach(.identified).send(
                WireBytes.frame(.codeBegin, [UInt8](repeating: 0xFF, count: 32) + [4, 0]))
        }
        try scripts.works(
            setting, "an attempt on another link has ended before CODE_CONFIRM: the code is still good",
            ["R25.6-6", "R25.6-8"], section: "25.6"
        ) { script in
            try script.reach(.identified).shows().elsewhere("begins").elsewhere("ends").send(script.codeBegin()).hear()
                .send(script.codeConfirm()).hear().agree(selfInvites: true, preference: 1).openLink()
        }
        // Attempts on other links are no reason to refuse one, and a guess on any link is the only one (R25.5-5).
        try scripts.works(
            setting, "an attempt is under way on another link: this one is right all the same",
            ["R25.6-6"], section: "25.6"
        ) { script in
            try script.reach(.identified).shows().elsewhere("begins").send(script.codeBegin()).hear()
                .send(script.codeConfirm()).hear().agree(selfInvites: true, preference: 1).openLink()
        }
        try scripts.fails(
            setting, "code_unavailable", "Burned",
            "the code is right, and was guessed at on another link since CODE_BEGIN",
            ["R25.5-5"], section: "25.5"
        ) { script in
            try script.reach(.identified).shows().elsewhere("begins").send(script.codeBegin()).hear()
                .elsewhere("confirms").send(script.codeConfirm())
        }
        try scripts.fails(
            setting, "code_unavailable", "Burned",
            "CODE_CONFIRM that is not even well-formed, and the code was guessed at on another link since CODE_BEGIN",
            ["R25.5-5"], section: "25.5"
        ) { script in
            try script.reach(.identified).shows().elsewhere("begins").send(script.codeBegin()).hear()
                .elsewhere("confirms").send(WireBytes.frame(.codeConfirm, [1]))
        }
        try scripts.works(
            setting, "a new code is shown while the attempt is under way: it continues with the old one", ["R25.5-5"],
            section: "25.6", end: .fails("truncated")
        ) { script in
            try script.presents().shows("5-acorn-acorn").send(script.codeConfirm()).hear().end()
        }
    }

    /// What CODE_BEGIN holds.
    private func begun(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func refuse(
            _ flag: String, _ comment: String, _ requirements: [String], section: String = "25.6",
            code: String = "malformed", _ payload: @escaping ([UInt8]) -> [UInt8]
        ) throws {
            try scripts.fails(
                setting, code, flag, "CODE_BEGIN: \(comment)", requirements, section: section
            ) { script in
                try script.reach(.identified).shows()
                try script.send(
                    WireBytes.frame(.codeBegin, payload(try script.begin(asTypist: true).share.rawBytes)))
            }
        }
        try refuse("ValueOutOfRange", "number 0", ["R25.6-1"]) { $0 + [0, 0] }
        try refuse("ValueOutOfRange", "number 1,000", ["R25.6-1"]) { $0 + WireBytes.varint(1_000) + [0] }
        try refuse("Truncated", "a share of 31 bytes", []) { $0.dropLast() + [4, 0] }
        try refuse("Truncated", "no fields", []) { $0 + [4] }
        try refuse("TrailingBytes", "a byte behind the fields", ["R3.3-1"]) { $0 + [4, 0, 0] }
        try refuse("UnknownCritical", "a field of even type", ["R3.4-3"], code: "unsupported") {
            $0 + [4] + WireBytes.vector(WireBytes.field(2, []))
        }
        for share in BadShare.allCases {
            try refuse(share.flag, "\(share.rawValue) as the share", ["R25.5-2"], section: "25.5") {
                share.bytes(of: $0) + [4, 0]
            }
        }
        try scripts.works(
            setting, "an odd field in CODE_BEGIN is a part of AD", ["R25.5-3"], section: "25.5",
            end: .fails("truncated")
        ) { script in
            try script.reach(.identified).shows()
            _ = try script.begin(asTypist: true)
            script.attempt?.data = [4] + WireBytes.vector(WireBytes.field(1, [7]))
            guard let message = try script.attempt?.message() else { return }
            try script.send(WireBytes.frame(.codeBegin, message.share.rawBytes + message.associatedData)).hear()
                .send(script.codeConfirm()).hear().end()
        }
    }

    /// After CODE_ANSWER.
    private func answered(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let frames: [(String, (Script) throws -> [UInt8])] = [
            ("CODE_BEGIN again", { try $0.codeBegin() }), ("CODE_ANSWER", { try $0.codeAnswer() }),
            ("INVITE", { $0.invite() }), ("CANCEL", { $0.cancel() }), ("ACCEPT", { $0.accept() }),
            ("CODE_BEGIN that is not even well-formed", { _ in WireBytes.frame(.codeBegin, []) }),
        ]
        for (comment, frame) in frames {
            try scripts.fails(
                setting, "unexpected_frame", "UnexpectedFrame", "CODE_ANSWER was sent, and \(comment) comes",
                comment.hasPrefix("CODE_BEGIN") ? ["R25.6-7", "R25.7-1"] : ["R25.7-1"]
            ) { try $0.presents().send(frame($0)) }
        }
        try scripts.works(
            setting, "a code of the app's is not tried while another one is", ["R25.6-7"], section: "25.6",
            end: .fails("truncated")
        ) { try $0.presents().types("7-acorn-acorn").hear().send($0.codeConfirm()).hear().end() }
    }

    private func invited(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "code_unavailable", "CrossingCodes", "CODE_BEGIN crosses INVITE, and a code is shown", ["R25.6-6"]
        ) { try $0.reach(.identified).shows().selfInvites().hear().send($0.codeBegin()) }
        try scripts.fails(
            setting, "malformed", "Truncated", "CODE_BEGIN crosses INVITE, and has no fields", []
        ) { script in
            try script.reach(.inviting).send(
                WireBytes.frame(.codeBegin, try script.begin(asTypist: true).share.rawBytes + [4]))
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "CODE_BEGIN behind the peer's INVITE", ["R25.7-1"]
        ) { try $0.reach(.identified).shows().send($0.invite()).hear().send($0.codeBegin()) }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "CODE_BEGIN behind ACCEPT", ["R25.7-1"]
        ) { try $0.reach(.inviting).send($0.accept()).hear().send($0.codeBegin()) }
        try scripts.fails(
            setting, "unexpected_frame", "CrossingCodes", "CODE_BEGIN behind an INVITE that crossed and is void",
            ["R25.7-1"]
        ) { script in
            try script.reach(.inviting).send(script.invite())
            try script.hear().send(script.codeBegin())
        }
    }
}

extension BadShare {
    var flag: String { self == .identity ? "SmallOrderPoint" : "NonCanonicalPoint" }
}
