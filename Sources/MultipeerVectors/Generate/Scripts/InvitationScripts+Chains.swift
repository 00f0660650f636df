internal import MultipeerCore
internal import MultipeerRules
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
            try scripts.play(InvitationRules.chains(kind: kind), setting)
        }
        try scripts.play(InvitationRules.chainFields + InvitationRules.kind2, setting)
    }
}
