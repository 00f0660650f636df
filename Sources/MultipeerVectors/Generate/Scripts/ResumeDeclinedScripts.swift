internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `session/resume-declined`: a responder without associations judges RESUME (SPEC §13.9).
struct ResumeDeclinedScripts {
    let files: ScriptFiles
    private let setting = ScriptSetting(.responder)

    init(files: ScriptFiles) { self.files = files }

    func write() throws -> ScriptWriter {
        let scripts = files.writer("resume-declined", section: "13.9")
        try declined(scripts)
        try malformed(scripts)
        return scripts
    }

    private static let association = [UInt8](repeating: 1, count: 16)
    private static let proof = [UInt8](repeating: 2, count: 32)

    /// RESUME: `said` stands between `association` and `proof`.
    private static func resume(_ said: [UInt8] = [0, 0, 0, 0], proof: [UInt8] = proof) -> [UInt8] {
        WireBytes.frame(.resume, association + said + proof)
    }

    private func declined(_ scripts: ScriptWriter) throws {
        func works(_ comment: String, flags: [String] = ["Declined"], _ body: (Script) throws -> Void) throws {
            try scripts.works(setting, comment, ["R13.9-5"], flags: flags, end: .fails("declined"), body)
        }
        try works("an unknown association: DECLINE of reason 6, CLOSE") {
            try $0.reach(.identified).send(Self.resume()).hear().send($0.close()).hear().end()
        }
        try works("the epoch is judged only for an association that is there") {
            try $0.reach(.identified).send(Self.resume(WireBytes.varint(1 << 60) + [5, 0, 0])).hear()
                .send($0.close()).hear().end()
        }
        try works("files, and a field of odd type", flags: ["Declined", "UnknownIgnorable"]) {
            let said = [1, 5] + WireBytes.vector([1, 2, 3, 4]) + WireBytes.vector(WireBytes.field(5, [7]))
            try $0.reach(.identified).send(Self.resume(said)).hear().send($0.close()).hear().end()
        }
        try works("a second RESUME after DECLINE is ignored") {
            try $0.reach(.identified).send(Self.resume(), Self.resume()).hear().send($0.close()).hear().end()
        }
        try scripts.works(
            setting, "the responder has invited: its INVITE is void", ["R13.9-5", "R13.9-7"],
            flags: ["CrossedFrame", "Declined"], end: .fails("declined")
        ) { try $0.reach(.inviting, preference: 0).send(Self.resume()).hear().send($0.close()).hear().end() }
    }

    private func malformed(_ scripts: ScriptWriter) throws {
        let faults: [(String, String, String, [String], [UInt8])] = [
            (
                "malformed", "NonMinimalInteger", "the epoch in a longer form", ["R3.2-1"],
                Self.resume([0x40, 0, 0, 0, 0])
            ),
            (
                "malformed", "CutElement", "`files` ends within a position", ["R3.3-1"],
                Self.resume([0, 0] + WireBytes.vector([1, 2, 3]) + [0])
            ),
            (
                "malformed", "NotAscending", "`files` is not in ascending order", ["R13.9-9"],
                Self.resume([0, 0] + WireBytes.vector([3, 0, 1, 0]) + [0])
            ),
            (
                "unsupported", "UnknownCritical", "a field of even type", ["R3.4-3"],
                Self.resume([0, 0, 0] + WireBytes.vector(WireBytes.field(4, [])))
            ),
            (
                "malformed", "Truncated", "31 bytes of proof", ["R3.3-1"],
                Self.resume(proof: Array(Self.proof.dropLast()))
            ),
            ("malformed", "TrailingBytes", "33 bytes of proof", ["R3.3-2"], Self.resume(proof: Self.proof + [0])),
        ]
        for stage in [.identified, .inviting] as [Script.Stage] {
            for (code, flag, comment, requirements, frame) in faults {
                try scripts.fails(setting, code, flag, "\(stage): \(comment)", requirements) {
                    try $0.reach(stage).send(frame)
                }
            }
        }
    }
}
