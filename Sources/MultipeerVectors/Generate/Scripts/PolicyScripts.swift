internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerWire

/// Both preferences, both ways: SPEC §8.3, §11.
struct PolicyScripts {
    let files: ScriptFiles
    private static let names = ["none", "optional", "required"]

    /// SPEC §11: 0 readable, 1 encrypted, nil refused.
    private static let table: [[UInt8?]] = [[0, 0, nil], [0, 1, 1], [nil, 1, 1]]

    func write() throws -> ScriptWriter {
        let scripts = files.writer("policy", section: "11")
        for role in ScriptFiles.roles {
            for inviter in 0...2 as ClosedRange<UInt8> {
                for invitee in 0...2 as ClosedRange<UInt8> {
                    try asInvitee(scripts, ScriptSetting(role), inviter, invitee)
                    try asInviter(scripts, ScriptSetting(role), inviter, invitee)
                }
            }
        }
        return scripts
    }

    private func pair(_ inviter: UInt8, _ invitee: UInt8) -> String {
        "inviter \(Self.names[Int(inviter)]), invitee \(Self.names[Int(invitee)])"
    }

    private func asInvitee(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ inviter: UInt8, _ invitee: UInt8
    ) throws {
        let isRefused = Self.table[Int(inviter)][Int(invitee)] == nil
        try scripts.works(
            setting, "answers: " + pair(inviter, invitee), isRefused ? ["R8.4-2", "R8.4-3"] : ["R8.3-1"],
            flags: isRefused ? ["PolicyConflict"] : [], end: .fails(isRefused ? "policy_conflict" : "truncated")
        ) { script in
            try script.reach(.identified).send(script.invite(preference: inviter)).selfAccepts(preference: invitee)
                .hear()
            if isRefused { try script.send(script.close()) }
            try script.end()
        }
    }

    private func asInviter(
        _ scripts: ScriptWriter, _ setting: ScriptSetting, _ inviter: UInt8, _ invitee: UInt8
    ) throws {
        let right = Self.table[Int(inviter)][Int(invitee)]
        for outcome in 0...1 as ClosedRange<UInt8> {
            let comment = "ACCEPT claims \(outcome): " + pair(inviter, invitee)
            let body: (Script) throws -> Void = {
                try $0.reach(.inviting, preference: inviter).send($0.accept(preference: invitee, outcome: outcome))
            }
            if outcome == right {
                try scripts.works(setting, comment, ["R8.3-1"], end: .fails("truncated")) { script in
                    try body(script)
                    try script.hear().end()
                }
            } else {
                try scripts.fails(
                    setting, "policy_violation", "PolicyViolation", comment, ["R8.3-1"], section: "8.3", body
                )
            }
        }
    }
}
