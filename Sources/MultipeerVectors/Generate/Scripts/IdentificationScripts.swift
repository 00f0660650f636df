internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// PEER_INFO, and what holds in every state: SPEC §6.3–6.5, §8.1, §16.2.
struct IdentificationScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("identification", section: "8.1")
        for role in ScriptFiles.roles {
            try peerInfo(scripts, ScriptSetting(role))
            try padded(scripts, ScriptSetting(role))
            try everywhere(scripts, ScriptSetting(role))
            try scripts.play(IdentificationRules.inOrder, ScriptSetting(role))
        }
        return scripts
    }

    private func peerInfo(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.play(IdentificationRules.peerInfo, setting)
        try scripts.works(
            setting, "an odd field is skipped", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            end: .fails("truncated")
        ) { try $0.reach(.info).send($0.peerInfo(fields: WireBytes.field(1, [1, 2, 3]))).hear().end() }
        try scripts.works(
            setting, "features that nobody knows", ["R8.1-4"], flags: ["UnknownIgnorable"], end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(script.peerInfo(features: [1, 0x1A1A, 0x4000]))
            try script.hear()
            try script.end()
        }
        try scripts.works(
            setting, "a peer that shows its name to others only", ["R8.1-6"], end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(script.peerInfo(name: []))
            try script.hear()
            try script.end()
        }
        for (rule, comment) in [
            (ScriptSetting.NameRule.toThePeer, "this peer"), (.toSomeoneElse, "another peer"),
        ] where setting.role == .responder {
            var setting = setting
            setting.showsName = rule
            try scripts.works(
                setting, "shows its name to \(comment) only", ["R8.1-6"], end: .fails("truncated")
            ) { script in
                try script.reach(.info)
                try script.send(script.peerInfo())
                try script.hear()
                try script.end()
            }
        }
        try scripts.works(
            setting, "the same name as one's own is another peer", ["R4.2-2"], section: "4.2",
            end: .fails("truncated")
        ) { script in
            try script.reach(.info)
            try script.send(
                WireBytes.frame(.peerInfo, WireBytes.vector(script.own.name) + WireBytes.varint(4_096) + [0, 0]))
            try script.hear()
            try script.end()
        }
    }

    /// Records before *open* have any length, and PADDING anywhere after PROOF (R6.5-2).
    private func padded(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "records of any length, and PADDING at any place, as far as READY", ["R6.5-1", "R6.5-2"],
            section: "6.5"
        ) { script in
            try script.shakeHands()
            try script.send(
                try script.proof(), script.padding(0), script.padding(66), script.peerInfo(), script.padding(800))
            try script.hear()
            try script.send(script.padding(0))
            try script.send(script.padding(500), script.invite(), script.padding(1))
            try script.selfAccepts()
            try script.hear()
            try script.send(script.padding(4_000), script.noCertificates)
            try script.app("resolve", ["verdict": "accept"])
            try script.send(script.padding(3), script.ready)
        }
    }

    private func everywhere(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in Place.identifying {
            try scripts.play([IdentificationRules.evenFrame(at: stage)], setting)
            try scripts.works(
                setting, "unknown odd frames and padding in \(stage.rawValue), and the end of the stream",
                ["R6.4-1", "R16.2-1"], flags: ["UnknownIgnorable", "Truncation"], section: "6.4",
                end: .fails("truncated")
            ) {
                try $0.reach(stage)
                    .send(
                        WireBytes.frame(0x21, [1, 2]), $0.padding(), WireBytes.frame(0x5F, []),
                        WireBytes.frame(0x4001, [9])
                    )
                    .hear().end()
            }
            try scripts.works(
                setting, "CLOSE with an error in \(stage.rawValue)", ["R16.1-2"], flags: ["ClosedByPeer"],
                section: "16.1"
            ) { try $0.reach(stage).send($0.close(0x20)).hear().end() }
        }
    }
}
