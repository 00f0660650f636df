internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Both invite on one link: SPEC §8.6.
struct CrossingScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("crossing", section: "8.6")
        for role in ScriptFiles.roles {
            var setting = ScriptSetting(role)
            try ownStands(scripts, setting)
            setting.ownKeyIsLesser = false
            try peersStands(scripts, setting)
        }
        return scripts
    }

    private func ownStands(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let flags = ["CrossingInvitations"]
        try scripts.works(
            setting, "one's own INVITE stands: the peer's is ignored, and ACCEPT answers one's own", ["R8.6-1"],
            flags: flags
        ) { script in
            try script.reach(.inviting)
            let own = script.invite
            try script.send(script.invite())
            script.invite = own
            try script.hear().send(script.accept()).openLink()
        }
        try scripts.works(
            setting, "the void INVITE is decoded all the same", ["R8.6-1"], flags: flags + ["ValueOutOfRange"],
            end: .fails("malformed")
        ) { script in
            try script.reach(.inviting)
            try script.send(script.invite(timeout: 0))
            try script.hear()
            try script.end()
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange", "the void INVITE is to a new session of another founder",
            ["R8.2-5", "R8.6-1"]
        ) { script in
            try script.reach(.inviting)
            try script.send(script.invite(charter: WireBytes.charter(founder: script.own.key)))
        }
        try scripts.works(
            setting, "CANCEL after the void INVITE ends the invitation", ["R8.6-1"], flags: flags + ["Cancelled"],
            end: .fails("declined")
        ) { try $0.reach(.inviting).send($0.invite(), $0.cancel(), $0.close()).hear().end() }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "CANCEL without a void INVITE", ["R8.5-1"]
        ) { try $0.reach(.inviting).send($0.cancel()) }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "a second INVITE after the void one", ["R8.6-2", "R8.2-3"]
        ) { try $0.reach(.inviting).send($0.invite(), $0.invite()) }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "INVITE after ACCEPT crosses nothing", ["R8.6-2"]
        ) { script in
            try script.reach(.inviting)
            let own = script.invite
            try script.send(script.accept(), script.invite())
            script.invite = own
        }
    }

    private func peersStands(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let flags = ["CrossingInvitations"]
        try scripts.works(
            setting, "the peer's INVITE stands: it is accepted with one's own terms", ["R8.6-1", "R8.6-3"], flags: flags
        ) { script in
            try script.reach(.inviting)
            try script.send(script.invite(preference: 2))
            try script.hear()
            try script.openLink()
        }
        try scripts.works(
            setting, "the peer's INVITE stands, and the preferences cannot be reconciled", ["R8.6-1", "R8.4-2"],
            flags: flags + ["PolicyConflict"], end: .fails("policy_conflict")
        ) { script in
            try script.reach(.inviting, preference: 0)
            try script.send(script.invite(preference: 2))
            try script.hear()
            try script.send(script.close())
            try script.end()
        }
        try asked(scripts, setting)
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "an answer to the INVITE that is void", ["R8.6-1"]
        ) { try $0.reach(.inviting).send($0.invite()).hear().send($0.accept()) }
    }

    /// Both invitations are not to new sessions, or the one that wins says more than this version knows.
    private func asked(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let existing = try Community(samples: files.samples, founder: "a founder")
        let other = try Community(samples: files.samples, founder: "another founder")
        let cases: [(String, Community?, (Script) throws -> [UInt8])] = [
            ("the peer's is to a session that exists", nil, { try $0.invite(to: existing) }),
            ("one's own is to a session that exists", existing, { $0.invite() }),
            ("both are to sessions that exist", existing, { try $0.invite(to: other) }),
            ("both are to the same session that exists", existing, { try $0.invite(to: existing) }),
            ("the peer's has an odd field", nil, { $0.invite(fields: WireBytes.field(1, [1])) }),
            (
                "the peer's has an odd parameter", nil,
                { $0.invite(charter: WireBytes.charter(founder: $0.peer.key, parameters: WireBytes.field(1, []))) }
            ),
            (
                "the peer's has another parameter, which is known", nil,
                { $0.invite(charter: WireBytes.charter(founder: $0.peer.key, parameters: WireBytes.field(4, [8]))) }
            ),
        ]
        for (comment, session, invite) in cases {
            try scripts.works(
                setting, "the peer's INVITE stands, and \(comment): the app is asked", ["R8.6-1", "R8.6-3", "R8.6-4"],
                flags: ["CrossingInvitations"], end: .fails("truncated")
            ) { script in
                try script.reach(.identified)
                try script.selfInvites(charter: session?.charter, chain: try session?.chain(of: script.own.key, []))
                try script.hear()
                try script.send(try invite(script))
                try script.hear()
                try script.selfAccepts()
                try script.hear()
                try script.end()
            }
        }
        try scripts.works(
            setting, "the app that is asked does not answer in the time of the INVITE that stands",
            ["R8.6-4", "R8.2-4"], flags: ["CrossingInvitations", "Late"], end: .fails("timed_out")
        ) { script in
            try script.reach(.identified)
            try script.selfInvites(charter: existing.charter, chain: try existing.chain(of: script.own.key, []))
            try script.hear()
            try script.send(script.invite(timeout: 7_000))
            try script.hear()
            try script.clock(6_999)
            try script.hear()
            try script.clock(1)
            try script.hear()
            try script.send(script.close())
            try script.end()
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange", "the peer's INVITE stands, to a new session of another founder",
            ["R8.2-5"]
        ) { script in
            try script.reach(.inviting)
            try script.send(script.invite(charter: existing.charter))
        }
    }
}
