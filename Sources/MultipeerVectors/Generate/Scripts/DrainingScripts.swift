internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// A link whose app closes it, or that fails, while a message waits for credit: SPEC §§13.6, 16.4.
struct DrainingScripts {
    let files: ScriptFiles

    /// The limit at first (SPEC §13.3).
    private static let window: UInt64 = 262_144

    func write() throws -> ScriptWriter {
        let scripts = files.writer("draining", section: "17")
        for role in ScriptFiles.roles {
            let setting = ScriptSetting(role)
            try scripts.works(setting, "CLOSE goes 5 s after the last byte of a message could be sent", ["R16.1-1"]) {
                try draining($0)
                try $0.clock(4_000).send(WireBytes.ping()).hear().clock(999).hear().clock(1).hear()
                try $0.send($0.close()).hear().end()
            }
            try scripts.works(setting, "bytes put CLOSE off as far as 60 s in all", ["R16.1-1"]) { script in
                try draining(script)
                for second in 1...14 as ClosedRange<UInt64> {
                    try script.clock(4_000).send(WireBytes.credit(0, 0, Self.window + second)).hear()
                }
                try script.clock(3_999).send(WireBytes.credit(0, 0, Self.window + 15)).hear().clock(1).hear()
                try script.send(script.close()).hear().end()
            }
            try scripts.works(setting, "CLOSE goes as soon as no message waits", ["R16.1-1", "R15.1-5"]) {
                try draining($0)
                try $0.send(WireBytes.credit(0, 0, 400_000)).hear().send($0.close()).hear().end()
            }
            try scripts.works(
                setting, "the app still gets exports and new keys", ["R9.8-1", "R12.6-1"], section: "16.4"
            ) {
                try draining($0)
                try $0.app("export", ["label": .hex(Array("draining".utf8)), "context": "", "length": 32]).hear()
                try $0.app("rekey").hear().send(WireBytes.credit(0, 0, 400_000)).hear()
                try $0.send($0.close()).hear().end()
            }
            try scripts.fails(
                setting, "malformed", "Truncated", "a message that has gone in part is reported when the link fails",
                ["R13.6-3"], section: "13.6"
            ) { script in
                try waiting(script)
                try script.send(WireBytes.frame(.ack, []))
            }
            try scripts.works(
                setting, "a message that has gone in part is reported when the app closes with a code", ["R13.6-3"],
                section: "13.6"
            ) { script in
                try waiting(script)
                try script.app("close", ["code": "shutting_down"]).hear().end()
            }
        }
        return scripts
    }

    /// As much of the message has gone as credit allows, and then the app closes.
    private func draining(_ script: Script) throws {
        try waiting(script)
        try script.app("close").hear()
    }

    private func waiting(_ script: Script) throws {
        try script.shakeHands().send(script.proof(), script.peerInfo(maximumMessage: 1_000_000))
        try script.agree(selfInvites: true, preference: 1).openLink().hear()
        try script.app("send", ["message": "", "fill": 300_000, "tag": 1]).hear()
    }
}
