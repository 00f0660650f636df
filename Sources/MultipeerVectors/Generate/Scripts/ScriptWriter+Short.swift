internal import MultipeerCore

/// Short forms for the two kinds of scripts.
extension ScriptWriter {
    /// The link fails; then the stream ends.
    func fails(
        _ setting: ScriptSetting, _ code: String, _ flag: String, _ comment: String, _ requirements: [String],
        section: String? = nil, features: [String] = [], _ body: (Script) throws -> Void
    ) throws {
        let head = Head(
            comment: "\(setting.role.name): \(comment)", requirements: requirements, flags: [flag], section: section,
            features: features)
        try add(setting, head, .fails(code)) { script in
            try body(script)
            try script.hear()
            try script.end()
        }
    }

    /// The link does not fail, or ends as said.
    func works(
        _ setting: ScriptSetting, _ comment: String, _ requirements: [String], flags: [String] = [],
        section: String? = nil, features: [String] = [], end: End = .good, _ body: (Script) throws -> Void
    ) throws {
        let head = Head(
            comment: "\(setting.role.name): \(comment)", requirements: requirements, flags: flags, section: section,
            features: features)
        try add(setting, head, end, body)
    }
}
