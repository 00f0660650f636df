internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `session/datagrams`: DATAGRAMS on links (SPEC §26.2).
struct DatagramLinkScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("datagrams", section: "26.2")
        for role in ScriptFiles.roles {
            try agreed(scripts, role)
            try refused(scripts, role)
        }
        try ports(scripts)
        return scripts
    }

    private func setting(_ role: LinkRole, _ listing: ScriptSetting.Listing = .both, port: Int? = 50_003)
        -> ScriptSetting
    {
        var setting = ScriptSetting(role)
        setting.datagrams = listing
        if role == .responder { setting.datagramPort = port }
        return setting
    }

    /// What the peer sends.
    private static func frame(_ role: LinkRole, port: UInt16? = nil) -> [UInt8] {
        let port = port ?? (role == .initiator ? 50_001 : 0)
        return WireBytes.frame(.datagrams, [UInt8(port >> 8), UInt8(truncatingIfNeeded: port), 0])
    }

    private func agreed(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        try scripts.works(setting(role), "the app wants datagrams, and the peer answers", ["R26.2-1"]) { script in
            try script.reach(.open).app("useDatagrams").hear().send(Self.frame(role)).hear()
            try script.app("useDatagrams").hear().send(script.close()).hear().end()
        }
        try scripts.works(setting(role), "the peer's DATAGRAMS is answered", ["R26.2-1"]) { script in
            try script.reach(.open).send(Self.frame(role)).hear().send(script.message("hello")).hear()
            try script.send(script.close()).hear().end()
        }
        try scripts.works(
            setting(role, .ownSide), "the app wants datagrams, and the peer does not list them: nothing is sent",
            ["R8.1-5"]
        ) { script in
            try script.reach(.open).app("useDatagrams").hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting(role), "the app wants datagrams on a readable link: nothing is sent", ["R26.2-1"]
        ) { script in
            try script.reach(.open, preference: 0).app("useDatagrams").hear().send(script.close()).hear().end()
        }
        try scripts.works(
            setting(role), "the app wants datagrams before the link is open: nothing is sent", ["R26.2-1"]
        ) { script in
            try script.reach(.certificatesInvitee).app("useDatagrams").hear()
        }
        try scripts.works(setting(role), "DATAGRAMS after one's own CLOSE is ignored", ["R16.1-3"]) { script in
            try script.reach(.closing).send(Self.frame(role)).hear().send(script.close()).hear().end()
        }
    }

    private func refused(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        func fails(
            _ comment: String, _ setting: ScriptSetting, _ code: String, _ flag: String, _ requirements: [String],
            _ body: (Script) throws -> Void
        ) throws {
            try scripts.fails(setting, code, flag, comment, requirements) { try body($0) }
        }
        let frame = Self.frame(role)
        try fails("a second DATAGRAMS", setting(role), "unexpected_frame", "UnexpectedFrame", ["R26.2-1"]) { script in
            try script.reach(.open).send(frame).hear().send(frame)
        }
        try fails("DATAGRAMS on a readable link", setting(role), "unexpected_frame", "UnexpectedFrame", ["R26.2-1"]) {
            script in
            try script.reach(.open, preference: 0).send(frame)
        }
        try fails(
            "DATAGRAMS of a peer that lists nothing", setting(role, .ownSide), "unexpected_frame", "NotListed",
            ["R26.2-1"]
        ) { script in try script.reach(.open).send(frame) }
        try fails(
            "DATAGRAMS at a peer that does not list it", setting(role, .peer, port: nil), "unsupported", "NotListed",
            ["R26.2-1", "R6.4-2"]
        ) { script in try script.reach(.open).send(frame) }
        let stages: [Script.Stage] = [
            .info, .identified, .inviting, .invited, .certificatesInvitee, .certificatesInviter, .judging, .peerReady,
            .selfReady,
        ]
        for stage in stages {
            try fails(
                "DATAGRAMS in \(stage.rawValue)", setting(role), "unexpected_frame", "UnexpectedFrame", ["R10.5-3"]
            ) { script in try script.reach(stage).send(frame) }
        }
        try fails(
            "DATAGRAMS whose port does not fit the role", setting(role), "malformed", "ValueOutOfRange", ["R26.2-2"]
        ) { script in try script.reach(.open).send(Self.frame(role, port: role == .initiator ? 0 : 1)) }
        try fails("half a port", setting(role), "malformed", "Truncated", ["R3.3-1"]) { script in
            try script.reach(.open).send(WireBytes.frame(.datagrams, [0]))
        }
        try fails("an even field", setting(role), "unsupported", "UnknownCritical", ["R3.4-3"]) { script in
            let port: [UInt8] = role == .initiator ? [0xC3, 0x51] : [0, 0]
            try script.reach(.open).send(WireBytes.frame(.datagrams, port + WireBytes.vector(WireBytes.field(2, []))))
        }
    }

    private func ports(_ scripts: ScriptWriter) throws {
        for (port, isAllowed) in [
            (1, false), (1_023, false), (1_024, true), (1_900, false), (3_702, false), (5_353, false), (5_355, false),
            (11_211, false), (65_535, true),
        ] as [(UInt16, Bool)] {
            try scripts.works(
                setting(.initiator), "the responder's port is \(port): \(isAllowed ? "a" : "no") path", ["R26.5-1"],
                section: "26.5"
            ) { script in
                try script.reach(.open).send(Self.frame(.initiator, port: port)).hear()
                try script.send(script.close()).hear().end()
            }
        }
        try scripts.works(
            setting(.responder, port: nil), "a responder without a port sends nothing, and there is no path",
            ["R26.2-1"]
        ) { script in
            try script.reach(.open).send(Self.frame(.responder)).hear().app("useDatagrams").hear()
            try script.send(script.close()).hear().end()
        }
    }
}
