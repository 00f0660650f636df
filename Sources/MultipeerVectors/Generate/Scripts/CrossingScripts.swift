internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Both invite on one link: SPEC §8.6.
struct CrossingScripts {
    let files: ScriptFiles

    private static let flags = ["CrossingInvitations"]

    func write() throws -> ScriptWriter {
        let scripts = files.writer("crossing", section: "8.6")
        for role in ScriptFiles.roles {
            try ownStands(scripts, ScriptSetting(role))
            try peersStands(scripts, ScriptSetting(role))
            for isLesser in [true, false] {
                var setting = ScriptSetting(role)
                setting.ownKeyIsLesser = isLesser
                try oneSession(scripts, setting)
            }
        }
        return scripts
    }

    /// Own sessions: the one of the peer's INVITE is greater.
    private func ownStands(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let title = "one's own INVITE stands"
        try scripts.works(
            setting, "\(title): the peer's is ignored, and ACCEPT answers one's own", ["R8.6-1"], flags: Self.flags
        ) { script in
            try script.reach(.inviting)
            let own = script.invite
            try script.send(try script.crossing(winning: false))
            script.invite = own
            try script.hear().send(script.accept()).openLink()
        }
        try scripts.works(
            setting, "\(title): the void INVITE is decoded all the same", ["R8.6-1"],
            flags: Self.flags + ["ValueOutOfRange"], end: .fails("malformed")
        ) { script in
            try script.reach(.inviting)
            try script.send(try script.crossing(winning: false, timeout: 0))
            try script.hear()
            try script.end()
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange",
            "\(title), and the void one is to a new session of another founder",
            ["R8.2-5", "R8.6-1"]
        ) { script in
            try script.reach(.inviting)
            try script.send(try script.crossing(winning: false, founder: script.own.key))
        }
        try scripts.works(
            setting, "CANCEL after the void INVITE ends the invitation", ["R8.6-1"], flags: Self.flags + ["Cancelled"],
            end: .fails("declined")
        ) { script in
            try script.reach(.inviting)
            try script.send(try script.crossing(winning: false), script.cancel(), script.close()).hear().end()
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "CANCEL without a void INVITE", ["R8.5-1"]
        ) { try $0.reach(.inviting).send($0.cancel()) }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "a second INVITE after the void one", ["R8.6-2", "R8.2-3"]
        ) { script in
            try script.reach(.inviting)
            let void = try script.crossing(winning: false)
            try script.send(void, void)
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "INVITE after ACCEPT crosses nothing", ["R8.6-2"]
        ) { script in
            try script.reach(.inviting)
            let own = script.invite
            try script.send(script.accept(), script.invite())
            script.invite = own
        }
    }

    /// The session of the peer's INVITE is lesser: the app is asked, whatever the sessions are.
    private func peersStands(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let existing = try Community(samples: files.samples, founder: "a founder")
        let cases: [(String, Community?, (Script) throws -> [UInt8])] = [
            ("both are to new sessions", nil, { try $0.crossing(winning: true) }),
            ("one's own is to a session that exists", existing, { try $0.crossing(winning: true) }),
            (
                "it has another parameter", nil,
                { try $0.crossing(winning: true, parameters: [Field(type: 4, value: [8])]) }
            ),
            ("it has an odd field", nil, { try $0.crossing(winning: true, fields: WireBytes.field(1, [1])) }),
        ]
        for (comment, session, invite) in cases {
            try asked(scripts, setting, "the peer's INVITE stands, and \(comment)", session, invite)
        }
        try scripts.works(
            setting, "the peer's INVITE stands, and the app declines", ["R8.6-4"],
            flags: Self.flags + ["Declined"], end: .fails("declined")
        ) { script in
            try script.reach(.inviting).send(try script.crossing(winning: true)).hear()
            try script.app("decline", ["reason": 1]).hear().send(script.close()).end()
        }
        try scripts.works(
            setting, "the peer's INVITE stands, and the preferences cannot be reconciled", ["R8.6-4", "R8.4-2"],
            flags: Self.flags + ["PolicyConflict"], end: .fails("policy_conflict")
        ) { script in
            try script.reach(.inviting, preference: 0)
            try script.send(try script.crossing(winning: true, preference: 2)).hear()
            try script.selfAccepts(preference: 0).hear().send(script.close()).end()
        }
        try scripts.works(
            setting, "the app that is asked does not answer in the time of the INVITE that stands",
            ["R8.6-4", "R8.2-4"], flags: Self.flags + ["Late"], end: .fails("timed_out")
        ) { script in
            try script.reach(.inviting).send(try script.crossing(winning: true, timeout: 7_000)).hear()
            try script.clock(6_999).hear().clock(1).hear().send(script.close()).end()
        }
        try scripts.fails(
            setting, "malformed", "ValueOutOfRange", "the peer's INVITE stands, to a new session of another founder",
            ["R8.2-5"]
        ) { script in
            try script.reach(.inviting)
            try script.send(try script.crossing(winning: true, founder: script.own.key))
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "an answer to the INVITE that is void", ["R8.6-1"]
        ) { script in
            try script.reach(.inviting).send(try script.crossing(winning: true)).hear().send(script.accept())
        }
    }

    /// Both are for one session: keys decide.
    private func oneSession(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let session = try Community(samples: files.samples, founder: "a founder")
        guard setting.ownKeyIsLesser else {
            return try asked(
                scripts, setting, "both INVITEs are to one session, and the peer's key is lesser", session,
                { try $0.invite(to: session) })
        }
        try scripts.works(
            setting, "both INVITEs are to one session, and the own key is lesser: one's own stands", ["R8.6-1"],
            flags: Self.flags
        ) { script in
            try script.reach(.identified)
            try script.selfInvites(charter: session.charter, chain: try session.chain(of: script.own.key, [])).hear()
            let own = script.invite
            try script.send(try script.invite(to: session)).hear()
            script.invite = own
            try script.send(script.accept()).openLink()
        }
    }

    /// The app is asked, and accepts.
    private func asked(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ comment: String, _ own: Community?,
        _ invite: (Script) throws -> [UInt8]
    ) throws {
        try scripts.works(
            setting, "\(comment): the app is asked", ["R8.6-1", "R8.6-4"], flags: Self.flags, end: .fails("truncated")
        ) { script in
            try script.reach(.identified)
            try script.selfInvites(charter: own?.charter, chain: try own?.chain(of: script.own.key, [])).hear()
            try script.send(try invite(script)).hear()
            try script.selfAccepts().hear().end()
        }
    }
}

extension Script {
    /// The peer's INVITE to a new session that wins against the implementation's, or is void. It is remembered as the one that wins.
    fileprivate func crossing(
        winning: Bool, founder: [UInt8]? = nil, preference: UInt8 = 1, timeout: UInt64 = 30_000, fields: [UInt8] = [],
        parameters: [Field] = []
    ) throws -> [UInt8] {
        let hashing = samples.crypto.provider.hashing
        let charter = Charter.founded(
            by: founder ?? peer.key, lesser: winning,
            than: SessionID(try Invite(frame: invite).charter, hashing: hashing),
            parameters: parameters, hashing: hashing)
        return invite(preference: preference, timeout: timeout, fields: fields, charter: charter.encoded)
    }
}
