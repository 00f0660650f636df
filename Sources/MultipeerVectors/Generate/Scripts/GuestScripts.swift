internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// A guest on an open link: SPEC §14.5.
struct GuestScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("guests", section: "14.5")
        for role in ScriptFiles.roles {
            try invitee(scripts, ScriptSetting(role))
            try inviter(scripts, ScriptSetting(role))
        }
        for role in ScriptFiles.roles { try unions(scripts, ScriptSetting(role)) }
        return scripts
    }

    /// The peer has invited to a session that it founded.
    private func invited(_ script: Script) throws {
        try script.reach(.identified).agree(selfInvites: false, preference: 1).openLink().hear()
    }

    /// ADMIT with a chain of the implementation's.
    private func admit(_ script: Script) throws -> [UInt8] {
        WireBytes.admit(try founded(script).admission(of: script.own.key, by: peer(script)))
    }

    private func peer(_ script: Script) -> Community.Member {
        Community.Member(seed: script.peer.seed, key: script.peer.key)
    }

    /// The session of `peersCharter`.
    private func founded(_ script: Script) -> Community {
        Community(samples: script.samples, founder: peer(script), charter: script.peersCharter)
    }

    private func entry(_ script: Script) throws -> [UInt8] {
        try founded(script).entry(peer(script), Community.Content(name: script.peer.name))
    }

    private func invitee(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "invitee: ADMIT is let pass, ROSTER and DIGEST are ignored, nothing is said",
            ["R14.5-5", "R14.5-1"]
        ) {
            try invited($0)
            try $0.send(try admit($0), WireBytes.roster([try entry($0)])).hear()
                .send(WireBytes.digest($0.samples.bytes32("digest"))).hear().send($0.message("hello")).hear()
        }
        try scripts.works(
            setting, "invitee: a message before ADMIT, with READY, is handed out at once", ["R14.5-6", "R14.5-1"]
        ) {
            try $0.reach(.identified).agree(selfInvites: false, preference: 1).send($0.noCertificates)
                .app("resolve", ["verdict": "accept"]).send($0.ready).send($0.message("first")).hear()
                .send(try admit($0)).app("send", ["message": .hex(Array("second".utf8))]).hear()
        }
        try scripts.works(setting, "invitee: an entry that does not verify is none of a guest's business", ["R14.5-5"])
        {
            try invited($0)
            var forged = try entry($0)
            forged[forged.count - 1] ^= 1
            try $0.send(WireBytes.roster([forged]), $0.message("hello")).hear()
        }
        try scripts.fails(setting, "unexpected_frame", "UnexpectedFrame", "invitee: a second ADMIT", ["R14.5-1"]) {
            try invited($0)
            try $0.send(try admit($0), try admit($0))
        }
        try faults(scripts, setting, "invitee", invited)
    }

    private func inviter(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(setting, "inviter: no ADMIT is sent, ROSTER and DIGEST are ignored", ["R14.5-5"]) {
            try $0.reach(.open).send(WireBytes.roster([try entry($0)])).hear()
                .send(WireBytes.digest($0.samples.bytes32("digest"))).hear().send($0.message("hello")).hear()
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "inviter: ADMIT from the peer that was invited", ["R14.5-1"]
        ) { try $0.reach(.open).send(try admit($0)) }
        try faults(scripts, setting, "inviter", { _ = try $0.reach(.open) })
    }

    /// What is a fault towards a guest, too.
    private func faults(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ side: String, _ begin: @escaping (Script) throws -> Void
    ) throws {
        let key = [UInt8](repeating: 1, count: 32)
        let cases: [(String, String, String, [String], (Script) throws -> [UInt8])] = [
            (
                "unexpected_frame", "UnexpectedFrame", "SUMMARY that nobody asked for", ["R14.5-4"],
                { _ in WireBytes.summary() }
            ),
            (
                "unexpected_frame", "UnexpectedFrame", "WANT that nobody asked for", ["R14.5-4"],
                { _ in WireBytes.want([key]) }
            ),
            (
                "malformed", "Truncated", "ROSTER is decoded before it is ignored", ["R14.5-5", "R14.3-1"],
                { WireBytes.roster([Array(try entry($0).dropLast())]) }
            ),
            (
                "malformed", "Duplicate", "ROSTER with one entry twice", ["R14.5-5", "R14.5-2"],
                { WireBytes.roster([try entry($0), try entry($0)]) }
            ),
            (
                "malformed", "Truncated", "DIGEST is decoded before it is ignored", ["R14.5-5"],
                { _ in WireBytes.digest(Array(key.dropLast(2))) }
            ),
        ]
        for (code, flag, comment, requirements, frame) in cases {
            try scripts.fails(setting, code, flag, "\(side): \(comment)", requirements) {
                try begin($0)
                try $0.send(try frame($0))
            }
        }
    }

    /// A guest is in no session that could unite (SPEC §14.11).
    private func unions(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(setting, "invitee: UNITE is ignored", ["R14.5-5"]) {
            try invited($0)
            try $0.send(try unite($0)).hear().send($0.message("hello")).hear()
        }
        try scripts.fails(
            setting, "malformed", "Truncated", "invitee: UNITE is decoded before it is ignored", ["R14.5-5"]
        ) {
            try invited($0)
            let payload = try unite($0)
            try $0.send(WireBytes.frame(.unite, Array(payload.dropFirst(3).prefix(40))))
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "invitee: ENTER, with nothing offered",
            ["R14.5-5", "R14.11-6"]
        ) {
            try invited($0)
            try $0.send(WireBytes.enter($0.samples.bytes32("session")))
        }
    }

    private func unite(_ script: Script) throws -> [UInt8] {
        let other = Community(
            samples: script.samples, founder: peer(script),
            charter: WireBytes.charter(founder: script.peer.key, nonce: script.samples.bytes32("another")))
        return WireBytes.unite(
            other.charter, [],
            admission: try other.sign(other.signed("admission", script.own.key), peer(script).seed))
    }
}
