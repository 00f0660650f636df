internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// One-time codes on a link: SPEC §25.4 to §25.7.
struct CodeScripts {
    let files: ScriptFiles
    let isTypist: Bool

    func write() throws -> ScriptWriter {
        let scripts = files.writer(isTypist ? "codes-typist" : "codes-presenter", section: "25.7")
        for role in ScriptFiles.roles {
            var setting = ScriptSetting(role)
            setting.verification = .both
            try right(scripts, setting)
            try wrong(scripts, setting)
            try endings(scripts, setting)
            if isTypist { try typist(scripts, setting) } else { try presenter(scripts, setting) }
        }
        return scripts
    }

    var word: String { isTypist ? "the code is typed here" : "the code is shown here" }

    /// The implementation has shown its share, and the peer's CODE_CONFIRM is next.
    func awaitConfirmation(_ script: Script) throws {
        if isTypist { try script.confirms() } else { try script.presents() }
    }

    // MARK: Right

    private func right(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let shown = ["R25.5-3", "R25.5-4", isTypist ? "R25.5-6" : "R25.5-5"]
        try scripts.works(setting, "\(word), and is right; then the app invites", shown, section: "25.6") { script in
            try script.pairs(asTypist: isTypist).agree(selfInvites: true, preference: 1).openLink()
        }
        try scripts.works(setting, "\(word), and is right; then the peer invites", shown, section: "25.6") { script in
            try script.pairs(asTypist: isTypist).agree(selfInvites: false, preference: 1).openLink()
        }
        try scripts.works(
            setting, "\(word), and the app invites meanwhile: INVITE waits for the right confirmation", ["R17-1"]
        ) { script in
            try awaitConfirmation(script)
            try script.selfInvites().hear().send(script.codeConfirm()).hear().send(script.accept()).openLink()
        }
        try scripts.works(
            setting, "\(word), and the app takes back an invitation that waits", ["R17-1"],
            flags: ["Cancelled"], end: .fails("declined")
        ) { script in
            try awaitConfirmation(script)
            try script.selfInvites().app("cancelInvitation").hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting, "\(word), and two persons compare strings meanwhile, and on the open link", ["R25.6-4"],
            section: "25.6"
        ) { script in
            try awaitConfirmation(script)
            try Strings.exchange(script)
            try script.send(script.codeConfirm()).hear().agree(selfInvites: true, preference: 1).openLink()
        }
        try scripts.fails(
            setting, "invitation_timeout", "Late", "\(word), and is right: then *identified* has its whole deadline",
            ["R25.6-8"], section: "25.6"
        ) { script in
            try awaitConfirmation(script)
            try script.clock(9_000).send(script.codeConfirm()).hear().clock(59_999).hear().clock(1)
        }
    }

    // MARK: Wrong

    private func wrong(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let requirements = ["R25.5-3", isTypist ? "R25.5-6" : "R25.5-5"]
        func refuse(
            _ flag: String, _ comment: String, _ message: @escaping (Script) throws -> [UInt8],
            _ confirm: @escaping (Script) throws -> [UInt8] = { try $0.codeConfirm() }
        ) throws {
            try scripts.fails(
                setting, "code_wrong", flag, "\(word): \(comment)", requirements, section: "25.5"
            ) { script in
                if isTypist { try script.begins() } else { try script.reach(.identified).shows() }
                try script.send(message(script)).hear().send(confirm(script))
            }
        }
        func good(_ script: Script) throws -> [UInt8] {
            isTypist ? try script.codeAnswer() : try script.codeBegin()
        }
        for code in ["4-acorn-orbit", "4-tulip-acorn", "4-orbit-tulip"] {
            try refuse("WrongCode", "the peer has \(code)") { script in
                isTypist ? try script.codeAnswer(code) : try script.codeBegin(code)
            }
        }
        // An attacker that passes an attempt on from one link to another has another sid on each, and other keys.
        try refuse("WrongTranscript", "the peer has passed on what was for another link") { script in
            let sid = script.samples.bytes32("another link")
            return isTypist ? try script.codeAnswer(sid: sid) : try script.codeBegin(sid: sid)
        }
        try refuse("WrongTranscript", "the peer has exchanged the roles in CI") { script in
            isTypist ? try script.codeAnswer(exchangesRoles: true) : try script.codeBegin(exchangesRoles: true)
        }
        let changes: [(String, (inout [UInt8]) -> Void)] = [
            ("the first bit of the confirmation is flipped", { $0[0] ^= 0x80 }),
            ("its last bit is flipped", { $0[31] ^= 1 }),
            ("the confirmation is zeros", { $0 = [UInt8](repeating: 0, count: 32) }),
        ]
        for (comment, change) in changes {
            try refuse("ModifiedTag", comment, good) { try $0.codeConfirm(change) }
        }
        guard isTypist else { return }
        try refuse("Reflected", "the peer sends back what it gets") { script in
            WireBytes.frame(.codeAnswer, try script.latest("CODE_BEGIN").prefix(32) + [0])
        } _: { script in
            WireBytes.frame(.codeConfirm, try script.latest("CODE_CONFIRM"))
        }
        try refuse("Reflected", "the peer sends back the confirmation", good) { script in
            WireBytes.frame(.codeConfirm, try script.latest("CODE_CONFIRM"))
        }
    }

    // MARK: The end

    private func endings(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let late = ["R25.6-8"]
        try scripts.fails(
            setting, "handshake_timeout", "Late", "\(word), and 10 s are over before the confirmation", late,
            section: "25.6"
        ) { script in
            try awaitConfirmation(script)
            try script.clock(9_999).hear().clock(1)
        }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "\(word), and CODE_CONFIRM finds that 10 s are over",
            late + ["R18-2"],
            section: "25.6"
        ) { script in
            try awaitConfirmation(script)
            try script.quietClock(10_000).send(script.codeConfirm())
        }
        try scripts.works(
            setting, "\(word), and the app closes the link", [], flags: ["Cancelled"], end: .fails("declined")
        ) { script in
            try awaitConfirmation(script)
            try script.app("close").hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting, "\(word), and the peer closes the link with code_wrong", ["R25.5-3"], flags: ["ClosedByPeer"]
        ) { script in
            try awaitConfirmation(script)
            try script.send(script.close(code("code_wrong"))).hear().end()
        }
        try scripts.fails(
            setting, "truncated", "Truncation", "\(word), and the stream ends", ["R16.2-1"]
        ) { try awaitConfirmation($0) }
        for (comment, confirmation) in [
            ("31 bytes", [UInt8](repeating: 1, count: 31)), ("no fields", [UInt8](repeating: 1, count: 32)),
            ("a byte behind the fields", [UInt8](repeating: 1, count: 32) + [0, 0]),
        ] {
            try scripts.fails(
                setting, "malformed", confirmation.count > 32 ? "TrailingBytes" : "Truncated",
                "\(word): CODE_CONFIRM with \(comment)", isTypist ? [] : ["R25.5-5"], section: "25.6"
            ) { script in
                try awaitConfirmation(script)
                try script.send(WireBytes.frame(.codeConfirm, confirmation))
            }
        }
        try again(scripts, setting)
    }

    /// A link carries one attempt.
    private func again(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        func refuse(_ comment: String, _ body: @escaping (Script) throws -> [UInt8]) throws {
            try scripts.fails(
                setting, "unexpected_frame", "UnexpectedFrame", "\(word), and was right; then \(comment)",
                ["R25.6-7", "R25.7-1"], section: "25.6"
            ) { script in try script.pairs(asTypist: isTypist).send(body(script)) }
        }
        try refuse("CODE_BEGIN") { try $0.codeBegin() }
        try refuse("CODE_CONFIRM again") { try $0.codeConfirm() }
        try refuse("CODE_ANSWER") { try $0.codeAnswer() }
        try refuse("CODE_BEGIN that is not even well-formed") { _ in WireBytes.frame(.codeBegin, []) }
        try scripts.works(
            setting, "\(word), and was right; a second code of the app's is not tried", ["R25.6-7"], section: "25.6",
            end: .fails("truncated")
        ) { try $0.pairs(asTypist: isTypist).types("7-acorn-acorn").hear().end() }
    }

    /// The number of a code of SPEC §18.
    func code(_ name: String) -> UInt64 {
        CloseCode.registry.first { $0.name == name }?.code.rawValue ?? 0
    }
}

/// The exchange of a short string, whichever peer begins the link.
enum Strings {
    /// Both persons want to compare, and both peers have the string.
    static func exchange(_ script: Script) throws {
        switch script.setting.role {
        case .initiator: try script.compares().hear().send(script.stringNonce).hear()
        case .responder:
            try script.send(script.stringCommit()).hear().compares().hear().send(script.stringReveal).hear()
        }
    }
}
