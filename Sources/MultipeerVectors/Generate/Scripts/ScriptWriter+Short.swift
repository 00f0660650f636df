internal import MultipeerCore

/// Short forms for the kinds of scripts.
extension ScriptWriter {
    /// The link fails; then the stream ends.
    func fails(
        _ setting: ScriptSetting, _ code: String, _ flag: String, _ comment: String, _ requirements: [String],
        section: String? = nil, features: [String] = [], _ body: (Script) throws -> Void
    ) throws {
        try works(
            setting, comment, requirements, flags: [flag], section: section, features: features, end: .fails(code)
        ) { script in
            try body(script)
            try script.hear().end()
        }
    }

    /// The link does not fail, or ends as said. The comment begins with the role.
    func works(
        _ setting: ScriptSetting, _ comment: String, _ requirements: [String], flags: [String] = [],
        section: String? = nil, features: [String] = [], end: End = .good, _ body: (Script) throws -> Void
    ) throws {
        try add(
            setting, "\(setting.role.name): \(comment)", requirements, flags: flags, section: section,
            features: features, end: end, body)
    }

    /// A script with a comment of its own.
    func add(
        _ setting: ScriptSetting, _ comment: String, _ requirements: [String], flags: [String] = [],
        section: String? = nil, features: [String] = [], end: End = .good, _ body: (Script) throws -> Void
    ) throws {
        let head = CaseList.Head(
            comment: comment, requirements: requirements, flags: flags, section: section, features: features)
        try add(setting, head, end, body)
    }
}
