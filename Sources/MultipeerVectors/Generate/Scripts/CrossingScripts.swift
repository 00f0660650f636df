internal import MultipeerCore
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
        ) { try $0.reach(.inviting).send($0.invite(timeout: 0)).hear().end() }
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
            setting, "the peer's INVITE stands: it is accepted with one's own terms", ["R8.6-1"], flags: flags
        ) { try $0.reach(.inviting).send($0.invite(preference: 2)).hear().openLink() }
        try scripts.works(
            setting, "the peer's INVITE stands, and the preferences cannot be reconciled", ["R8.6-1", "R8.4-2"],
            flags: flags + ["PolicyConflict"], end: .fails("policy_conflict")
        ) { try $0.reach(.inviting, preference: 0).send($0.invite(preference: 2)).hear().send($0.close()).end() }
        let session = files.samples.bytes(16, "a session that exists")
        try scripts.works(
            setting, "one's own INVITE was to a session that exists, the peer's is to another: the app is asked",
            ["R8.6-1"], flags: flags, end: .fails("truncated")
        ) {
            try $0.reach(.identified).selfInvites(session: session).hear().send($0.invite()).hear().selfAccepts().hear()
                .end()
        }
        try scripts.works(
            setting, "both invite to the same session that exists: nobody is asked", ["R8.6-1"], flags: flags,
            end: .fails("truncated")
        ) {
            try $0.reach(.identified).selfInvites(session: session).hear().send($0.invite(session: session)).hear()
                .end()
        }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "an answer to the INVITE that is void", ["R8.6-1"]
        ) { try $0.reach(.inviting).send($0.invite()).hear().send($0.accept()) }
    }
}
