internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerWire

/// Deadlines: SPEC §8.2, §10.5, §18, §19.
struct DeadlineScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("deadlines", section: "19")
        for role in ScriptFiles.roles {
            let setting = ScriptSetting(role)
            try handshake(scripts, setting)
            try stages(scripts, setting)
            try late(scripts, setting)
            try withoutTimers(scripts, setting)
        }
        for role in ScriptFiles.roles { try notPutOff(scripts, ScriptSetting(role)) }
        return scripts
    }

    private func handshake(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "handshake_timeout", "Late", "no hello in 10 s: nothing is told", ["R19-3"]
        ) { try $0.hear().clock(10_000) }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "no PROOF in 10 s", ["R19-3"]
        ) { try $0.reach(.proof).clock(10_000) }
        try scripts.fails(
            setting, "handshake_timeout", "Late", "no PEER_INFO in 10 s from the beginning", ["R19-3"]
        ) { try $0.reach(.proof).clock(6_000).send($0.proof()).hear().clock(4_000) }
        try scripts.works(
            setting, "PEER_INFO after 9.999 s", ["R19-3", "R18-2"], end: .fails("truncated")
        ) { try $0.reach(.info).clock(9_999).send($0.peerInfo()).hear().end() }
    }

    private func stages(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(Script.Stage, String, Int, String, [String])] = [
            (.identified, "invitation_timeout", 60_000, "nobody invites in 60 s", ["R19-3"]),
            (.inviting, "timed_out", 30_000, "no answer in the invitation's time: CANCEL of reason 2", ["R8.2-4"]),
            (.invited, "timed_out", 30_000, "no answer of the app in time: DECLINE of reason 4", ["R8.2-4"]),
            (.certificatesInvitee, "verdict_timeout", 60_000, "an inviter without CERTIFICATES", ["R19-3"]),
            (.certificatesInviter, "verdict_timeout", 60_000, "an invitee without CERTIFICATES", ["R19-3"]),
            (.judging, "verdict_timeout", 60_000, "no verdict in 60 s", ["R10.5-1", "R19-3"]),
            (.peerReady, "verdict_timeout", 60_000, "no verdict in 60 s, though the peer is ready", ["R10.5-1"]),
            (.selfReady, "verdict_timeout", 60_000, "no READY in 60 s", ["R19-3"]),
        ]
        for (stage, code, time, comment, requirements) in cases {
            try scripts.fails(
                setting, code, "Late", comment, requirements
            ) { try $0.reach(stage).clock(time - 1).hear().clock(1) }
        }
        try scripts.works(
            setting, "an open link has no deadline", ["R19-3"], end: .fails("truncated")
        ) { try $0.reach(.open).clock(3_600_000).send($0.message("still here")).hear().end() }
    }

    /// A deadline counts whether or not a timer has fired: what comes at it finds it passed (R18-2).
    private func withoutTimers(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let stages: [(Script.Stage, Int, String, (Script) throws -> [UInt8])] = [
            (.proof, 10_000, "handshake_timeout", { try $0.proof() }),
            (.info, 10_000, "handshake_timeout", { $0.peerInfo() }),
            (.identified, 60_000, "invitation_timeout", { $0.invite() }),
            (.inviting, 30_000, "timed_out", { $0.accept() }),
            (.invited, 30_000, "timed_out", { $0.cancel() }),
            (.certificatesInviter, 60_000, "verdict_timeout", { $0.noCertificates }),
            (.judging, 60_000, "verdict_timeout", { $0.ready }),
            (.selfReady, 60_000, "verdict_timeout", { $0.ready }),
            (.closing, 5_000, "timed_out", { $0.close() }),
        ]
        for (stage, time, code, frame) in stages {
            let inputs: [(String, (Script) throws -> Void)] = [
                ("the right frame", { try $0.send(try frame($0)) }), ("the end of the stream", { try $0.end() }),
                ("the app's close", { try $0.app("close") }),
            ]
            for (comment, input) in inputs {
                try scripts.works(
                    setting, "\(stage.rawValue): no timer fires, and \(comment) comes at the deadline", ["R18-2"],
                    flags: ["Late"], section: "18", end: .fails(code)
                ) { script in
                    try script.reach(stage)
                    try script.quietClock(time)
                    try input(script)
                    try script.hear()
                    if stage != .closing, comment != "the end of the stream" {
                        try script.send(script.close())
                        try script.hear()
                    }
                }
            }
        }
    }

    /// Deadlines that what comes before them does not put off.
    private func notPutOff(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(Script.Stage, String, (Script) throws -> Void)] = [
            (
                .certificatesInviter, "the peer's CERTIFICATES do not begin the 60 s anew",
                { try $0.send($0.noCertificates) }
            ),
            (
                .certificatesInvitee, "the inviter's CERTIFICATES do not begin the 60 s anew",
                { try $0.send($0.noCertificates) }
            ),
            (.judging, "the peer's READY does not begin the 60 s anew", { try $0.send($0.ready) }),
            (.judging, "the verdict does not begin the 60 s anew", { try $0.app("resolve", ["verdict": "accept"]) }),
        ]
        for (stage, comment, input) in cases {
            try scripts.fails(setting, "verdict_timeout", "Late", comment, ["R10.5-1", "R19-3"], section: "10.5") {
                try $0.reach(stage).clock(30_000)
                try input($0)
                try $0.hear().clock(29_999).hear().clock(1)
            }
        }
        try scripts.works(
            setting, "records put the closing deadline off as far as 60 s in all", ["R19-3", "R16.3-2"],
            flags: ["Late"],
            end: .fails("timed_out")
        ) { script in
            try script.reach(.closing)
            for second in 1...14 { try script.clock(4_000).send(script.message("\(4 * second)")).hear() }
            try script.clock(3_999).send(script.message("the last one")).hear().clock(1)
            try script.send(script.message("late")).hear()
        }
    }

    private func late(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.fails(
            setting, "handshake_timeout", "Late", "PROOF at the very moment of the deadline", ["R18-2"], section: "18"
        ) { try $0.reach(.proof).clock(10_000).send($0.proof()) }
        try scripts.fails(
            setting, "timed_out", "Late", "ACCEPT at the very moment of the deadline", ["R18-2", "R8.5-1"],
            section: "18"
        ) { try $0.reach(.inviting).clock(30_000).send($0.accept()) }
        try scripts.fails(
            setting, "verdict_timeout", "Late", "a verdict that comes late changes nothing", ["R10.5-1"],
            section: "10.5"
        ) { try $0.reach(.judging).clock(60_000).app("resolve", ["verdict": "accept"]) }
        try scripts.fails(
            setting, "timed_out", "Late", "an acceptance that comes late changes nothing", ["R8.2-4"], section: "8.2"
        ) { try $0.reach(.invited).clock(30_000).selfAccepts() }
        try scripts.fails(
            setting, "timed_out", "Late", "the shortest timeout, 1 ms", ["R8.2-1", "R8.2-4"], section: "8.2"
        ) { try $0.reach(.identified).send($0.invite(timeout: 1)).hear().clock(1) }
        try scripts.works(
            setting, "CLOSE that the peer never answers: 5 s", ["R19-3", "R16.1-2", "R16.3-2"], flags: ["Late"],
            end: .fails("timed_out")
        ) { try $0.reach(.closing).clock(4_999).hear().clock(1) }
    }
}
