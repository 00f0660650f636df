internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// INVITE and its answers: SPEC §8.2–8.5.
struct InvitationScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("invitation", section: "8.2")
        for role in ScriptFiles.roles {
            let setting = ScriptSetting(role)
            try received(scripts, setting)
            try answered(scripts, setting)
            try declined(scripts, setting)
            try chains(scripts, setting)
            try cancelled(scripts, setting)
        }
        try early(scripts)
        try inInfo(scripts)
        for role in ScriptFiles.roles { try afterCertificates(scripts, ScriptSetting(role)) }
        try padding(scripts)
        return scripts
    }

    private func received(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.play(InvitationRules.invite, setting)
        try scripts.works(
            setting, "INVITE to a session that exists, of another founder and with an odd parameter",
            ["R4.3-2", "R8.2-5"], flags: ["UnknownIgnorable"], end: .fails("truncated")
        ) { script in
            try script.reach(.identified)
            try script.send(try script.invite(to: script.session(parameters: WireBytes.field(1, [1, 2]))))
            try script.hear()
            try script.selfAccepts()
            try script.hear()
            try script.end()
        }
        try scripts.works(
            setting, "INVITE with odd fields, a chain to come and an empty context", ["R3.4-2", "R8.2-2"],
            flags: ["UnknownIgnorable"], end: .fails("truncated")
        ) {
            try $0.reach(.identified)
                .send(
                    $0.invite(
                        preference: 2, identityKind: 1, timeout: 600_000, context: "", fields: WireBytes.field(1, [7]))
                )
                .hear().end()
        }
    }

    private func answered(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.play(InvitationRules.accept, setting)
        try scripts.works(
            setting, "ACCEPT with an odd field: the field is in the binding", ["R3.4-2"], flags: ["UnknownIgnorable"],
            section: "8.3", features: ["x509", "x509-ed25519"], end: .fails("truncated")
        ) {
            try $0.reach(.inviting).send($0.accept(identityKind: 1, fields: WireBytes.field(1, [1])))
                .send($0.certificates("ed25519")).hear().end()
        }
    }

    private func declined(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for ending in InvitationRules.declines {
            try scripts.works(
                setting, "DECLINE of reason \(ending.reason), then CLOSE", ["R8.4-1", "R8.4-3"], flags: ["Declined"],
                section: "8.4", end: .fails(ending.end)
            ) {
                try $0.reach(.inviting, preference: 0).send($0.decline(ending.reason, ending.detail), $0.close()).hear()
                    .end()
            }
        }
        try scripts.play(InvitationRules.decline, setting)
        for (reason, name) in [(1, "declines"), (2, "is busy")] {
            try scripts.works(
                setting, "the app \(name): DECLINE, CLOSE", ["R8.4-3"],
                flags: ["Declined"], section: "8.4", end: .fails("declined")
            ) {
                try $0.reach(.invited).app("decline", ["reason": .integer(reason)]).hear().send($0.close()).hear().end()
            }
        }
        try scripts.works(
            setting, "the app accepts twice: the second changes nothing", ["R8.2-3"], section: "8.3",
            end: .fails("truncated")
        ) { try $0.reach(.invited).selfAccepts().selfAccepts(preference: 2).hear().end() }
    }

    private func cancelled(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for ending in InvitationRules.cancels {
            try scripts.works(
                setting, "CANCEL of reason \(ending.reason) while the app is asked", ["R8.5-1"], flags: ["Cancelled"],
                section: "8.5", end: .fails(ending.end)
            ) { try $0.reach(.invited).send($0.cancel(ending.reason), $0.close()).hear().end() }
        }
        try scripts.works(
            setting, "CANCEL that crossed ACCEPT", ["R8.5-2"], flags: ["Cancelled", "CrossedFrame"], section: "8.5",
            end: .fails("declined")
        ) { try $0.reach(.certificatesInvitee).send($0.cancel(), $0.close()).hear().end() }
        try scripts.works(
            setting, "the app takes its invitation back: CANCEL, CLOSE; ACCEPT crosses and is ignored",
            ["R8.5-1", "R16.1-3"], flags: ["Cancelled", "CrossedFrame"], section: "8.5", end: .fails("declined")
        ) {
            try $0.reach(.inviting).app("cancelInvitation").hear().send($0.accept(), $0.noCertificates).send($0.close())
                .hear().end()
        }
        for code in ["duplicate_link", "shutting_down"] {
            try scripts.works(
                setting, "the app closes with \(code) while it invites", ["R8.7-3"], flags: ["CrossingInvitations"],
                section: "8.7", end: .fails("declined")
            ) { try $0.reach(.inviting).app("close", ["code": .string(code)]).hear().send($0.close()).end() }
        }
    }

    private func afterCertificates(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "CANCEL of the inviter after its CERTIFICATES", ["R8.5-2"],
            section: "8.5"
        ) { try $0.reach(.certificatesInvitee).send($0.noCertificates).hear().send($0.cancel()) }
    }

    /// Records that lack so few bytes that one PADDING does not fill them (SPEC §6.5). One of 1,024 bytes has room for 1,005.
    private func padding(_ scripts: ScriptWriter) throws {
        for (lacking, comment) in [
            (0, "fills its record"), (1, "lacks one byte, which no PADDING has"), (2, "lacks two bytes"),
            (65, "lacks 65 bytes"), (66, "lacks 66 bytes: two PADDINGs"), (67, "lacks 67 bytes"),
        ] {
            for role in ScriptFiles.roles {
                try scripts.works(
                    ScriptSetting(role), "INVITE \(comment)", ["R6.5-1"], section: "6.5", end: .fails("truncated")
                ) {
                    try $0.reach(.identified)
                    try invites($0, filling: 1_005 - lacking).hear().end()
                }
            }
            var setting = ScriptSetting(.initiator)
            setting.expectsPeer = .thePeer
            try scripts.works(
                setting, "PROOF, PEER_INFO and INVITE: the record \(comment)", ["R6.5-1", "R19-2"], section: "6.5",
                end: .fails("truncated")
            ) { script in
                let info = WireBytes.peerInfo(
                    name: script.own.name, maximumMessage: UInt64(script.setting.maximumMessage))
                let others = WireBytes.proof(script.own.key, [UInt8](repeating: 0, count: 64)) + info
                try invites(script, filling: 1_005 - lacking - others.count)
                try script.shakeHands().send(script.proof()).hear().send(script.peerInfo(), script.accept()).hear()
                    .end()
            }
        }
    }

    /// The app invites with so long a context that INVITE has this many bytes.
    @discardableResult
    private func invites(_ script: Script, filling length: Int) throws -> Script {
        func frame(_ count: Int) -> [UInt8] {
            WireBytes.invite(
                charter: WireBytes.charter(founder: script.own.key), context: [UInt8](repeating: 0x63, count: count))
        }
        guard let count = (0...1_024).first(where: { frame($0).count == length }) else {
            throw GeneratorFault.cannotBuild("no context makes an INVITE of \(length) bytes")
        }
        return try script.app(
            "invite",
            [
                "preference": 1, "identityKind": 0, "timeout": 30_000,
                "context": .hex([UInt8](repeating: 0x63, count: count)),
            ])
    }

    /// An initiator's INVITE before it knows the responder's name: it expects this peer (R8.2-6).
    private func early(_ scripts: ScriptWriter) throws {
        var setting = ScriptSetting(.initiator)
        setting.expectsPeer = .thePeer
        try scripts.works(
            setting, "invites before PEER_INFO came: PROOF, PEER_INFO, INVITE in this order",
            ["R8.2-3", "R8.1-1"], end: .fails("truncated")
        ) {
            try $0.selfInvites().shakeHands().send($0.proof()).hear().send($0.peerInfo()).send($0.accept()).hear().end()
        }
        try scripts.fails(
            setting, "handshake_timeout", "Late",
            "invited early: the handshake deadline comes first", ["R19-3", "R8.2-4"]
        ) { script in
            try script.selfInvites(timeout: 1_000)
            try script.shakeHands()
            try script.send(try script.proof())
            try script.hear()
            try script.clock(5_000)
            try script.hear()
            try script.clock(5_000)
        }
        try scripts.works(
            setting, "invited early: the invitation's time is over once PEER_INFO comes",
            ["R8.2-4"], flags: ["Late"], end: .fails("timed_out")
        ) { script in
            try script.selfInvites(timeout: 1_000)
            try script.shakeHands()
            try script.send(try script.proof())
            try script.hear()
            try script.clock(5_000)
            try script.send(script.peerInfo())
            try script.clock(0)
            try script.hear()
            try script.send(script.close())
            try script.hear()
        }
        for (role, comment) in [(LinkRole.initiator, "an initiator that expects nobody"), (.responder, "a responder")] {
            try scripts.works(
                ScriptSetting(role), "\(comment) invites at once: INVITE waits for *identified*",
                ["R8.2-6", "R8.2-3", "R17-1"], end: .fails("truncated")
            ) { script in
                try script.selfInvites()
                try script.shakeHands()
                try script.send(try script.proof())
                try script.hear()
                try script.send(script.peerInfo())
                try script.hear()
                try script.end()
            }
        }
        try scripts.works(
            ScriptSetting(.responder), "PROOF, PEER_INFO and INVITE in one record", ["R8.2-3", "R19-2"],
            end: .fails("truncated")
        ) { try $0.shakeHands().send($0.proof(), $0.peerInfo(), $0.invite()).hear().selfAccepts().hear().end() }
        try scripts.works(
            ScriptSetting(.responder), "a responder's app invites too early: INVITE waits for *identified*", ["R8.2-3"],
            end: .fails("truncated")
        ) { try $0.shakeHands().selfInvites().send($0.proof()).hear().send($0.peerInfo()).hear().end() }
    }

    /// An initiator's app invites while the peer's name is awaited.
    private func inInfo(_ scripts: ScriptWriter) throws {
        var setting = ScriptSetting(.initiator)
        try scripts.works(
            setting, "the app invites in info and expects nobody: INVITE waits for PEER_INFO", ["R8.2-6"],
            end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.selfInvites()
            try script.hear()
            try script.send(script.peerInfo())
            try script.hear()
            try script.end()
        }
        setting.expectsPeer = .thePeer
        try scripts.works(
            setting, "the app invites in info: INVITE goes out before PEER_INFO came", ["R8.2-3"],
            end: .fails("truncated")
        ) { try $0.reach(.info).selfInvites().hear().send($0.peerInfo(), $0.accept()).hear().end() }
        try scripts.works(
            setting, "the app closes in info, with its INVITE sent: CLOSE alone", ["R16.1-1"], flags: ["Cancelled"],
            section: "17", end: .fails("declined")
        ) {
            try $0.reach(.info).selfInvites().app("cancelInvitation").hear().app("close").hear().send($0.close()).end()
        }
        try scripts.works(
            setting, "PEER_INFO and ACCEPT after the invitation's time: CANCEL, though ACCEPT is there",
            ["R8.2-4", "R18-2"], flags: ["Late"], end: .fails("timed_out")
        ) {
            try $0.selfInvites(timeout: 1_000).shakeHands().send($0.proof()).hear().clock(1_000)
                .send($0.peerInfo(), $0.accept()).hear().send($0.close()).hear()
        }
    }
}
