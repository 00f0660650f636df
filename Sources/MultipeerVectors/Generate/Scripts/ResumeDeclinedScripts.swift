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
        try scripts.play(ResumeRules.faults, setting, namesRole: false)
        return scripts
    }

    private func declined(_ scripts: ScriptWriter) throws {
        func works(_ comment: String, flags: [String] = ["Declined"], _ body: (Script) throws -> Void) throws {
            try scripts.works(setting, comment, ["R13.9-5"], flags: flags, end: .fails("declined"), body)
        }
        try works("an unknown association: DECLINE of reason 6, CLOSE") {
            try $0.reach(.identified).send(WireBytes.resume()).hear().send($0.close()).hear().end()
        }
        try works("the epoch is judged only for an association that is there") {
            try $0.reach(.identified).send(WireBytes.resume(WireBytes.varint(1 << 60) + [5, 0, 0])).hear()
                .send($0.close()).hear().end()
        }
        try works("files, and a field of odd type", flags: ["Declined", "UnknownIgnorable"]) {
            let said = [1, 5] + WireBytes.vector([1, 2, 3, 4]) + WireBytes.vector(WireBytes.field(5, [7]))
            try $0.reach(.identified).send(WireBytes.resume(said)).hear().send($0.close()).hear().end()
        }
        try works("a second RESUME after DECLINE is ignored") {
            try $0.reach(.identified).send(WireBytes.resume(), WireBytes.resume()).hear().send($0.close()).hear().end()
        }
        try scripts.works(
            setting, "the responder has invited: its INVITE is void", ["R13.9-5", "R13.9-7"],
            flags: ["CrossedFrame", "Declined"], end: .fails("declined")
        ) { try $0.reach(.inviting, preference: 0).send(WireBytes.resume()).hear().send($0.close()).hear().end() }
    }
}
