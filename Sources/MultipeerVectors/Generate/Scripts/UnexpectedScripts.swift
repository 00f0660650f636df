internal import MultipeerCore
internal import MultipeerRules

/// Every frame in every state that does not allow it (SPEC §17).
struct UnexpectedScripts {
    let files: ScriptFiles
    let role: LinkRole
    /// The states from *certificates* on.
    let isLate: Bool

    func write() throws -> ScriptWriter {
        let scripts = files.writer("unexpected-\(role.name)-\(isLate ? "late" : "early")", section: "17")
        let places = isLate ? UnexpectedRules.late : UnexpectedRules.early
        try scripts.play(UnexpectedRules.rules(at: places), ScriptSetting(role), namesRole: false)
        return scripts
    }
}
