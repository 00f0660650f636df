internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

extension InvitationScripts {
    /// INVITE to sessions that exist (R8.2-7, R8.2-8, R14.8-1).
    func chains(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        // A responder of the link does not send kind 2, so an initiator gets none.
        let kinds: [UInt8] = setting.role == .responder ? [0, 2] : [0]
        for kind in kinds {
            try scripts.works(
                setting, "INVITE of kind \(kind) with a chain of one", ["R8.2-7", "R8.2-8"], end: .fails("truncated")
            ) {
                try $0.reach(.identified).send(try $0.invite(to: $0.session(), sessionKind: kind)).hear().selfAccepts()
                    .hear().end()
            }
            let charter: (Script) -> [UInt8] = { $0.peersCharter }
            try scripts.works(
                setting, "INVITE of kind \(kind) by the founder, with an empty chain", ["R8.2-7", "R8.2-8"],
                end: .fails("truncated")
            ) {
                try $0.reach(.identified)
                    .send($0.invite(fields: WireBytes.chainField([]), charter: charter($0), sessionKind: kind)).hear()
                    .end()
            }
            try scripts.fails(
                setting, "malformed", "MissingField", "INVITE of kind \(kind) without a chain", ["R8.2-7"]
            ) { try $0.reach(.identified).send($0.invite(charter: charter($0), sessionKind: kind)) }
            let wrong: [(String, String, (Script) throws -> [UInt8])] = [
                ("WrongChain", "an empty chain of somebody who is not the founder", { _ in [] }),
                ("MisboundKey", "the chain of another member", { try $0.session().chain(of: $0.own.key, []) }),
                (
                    "WrongTranscript", "a chain of another session",
                    { try $0.session(of: "another founder").chain(of: $0.peer.key, []) }
                ),
                (
                    "BadSignature", "a chain with a bit changed",
                    { script in
                        var chain = try script.session().chain(of: script.peer.key, [])
                        chain[95] ^= 1
                        return chain
                    }
                ),
            ]
            for (flag, comment, chain) in wrong {
                try scripts.fails(
                    setting, "entry_invalid", flag, "INVITE of kind \(kind): \(comment)", ["R8.2-8", "R14.2-1"]
                ) {
                    try $0.reach(.identified).send(
                        $0.invite(
                            fields: WireBytes.chainField(try chain($0)), charter: try $0.session().charter,
                            sessionKind: kind))
                }
            }
        }
        try scripts.fails(
            setting, "malformed", "ForbiddenField", "INVITE to a new session with a chain", ["R8.2-7"]
        ) { try $0.reach(.identified).send($0.invite(fields: WireBytes.chainField([]))) }
        try scripts.fails(
            setting, "malformed", "CutElement", "INVITE with 95 bytes of chain", ["R8.2-7"]
        ) {
            try $0.reach(.identified).send(
                $0.invite(fields: WireBytes.chainField([UInt8](repeating: 1, count: 95)), sessionKind: 0))
        }
        guard setting.role == .initiator else { return }
        try scripts.fails(
            setting, "unexpected_frame", "UnexpectedFrame", "INVITE of kind 2 from the responder of the link",
            ["R14.8-1"],
            section: "14.8"
        ) { try $0.reach(.identified).send(try $0.invite(to: $0.session(), sessionKind: 2)) }
        try scripts.fails(
            setting, "unexpected_frame", "Precedence", "INVITE of kind 2 from the responder, whose chain is not valid",
            ["R14.8-1", "R8.2-8"], section: "14.8"
        ) {
            try $0.reach(.identified).send(
                $0.invite(fields: WireBytes.chainField([]), charter: try $0.session().charter, sessionKind: 2))
        }
    }
}
