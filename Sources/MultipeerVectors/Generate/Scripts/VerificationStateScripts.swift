internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Every frame of SPEC §25 in every state, whichever peer lists the feature.
struct VerificationStateScripts {
    let files: ScriptFiles

    private static let types: [FrameType] = FrameType.allCases.filter { $0.feature == .verification }
    private static let stages: [Script.Stage] = [
        .proof, .info, .identified, .inviting, .invited, .certificatesInvitee, .certificatesInviter, .judging,
        .peerReady,
        .selfReady, .open,
    ]

    func write() throws -> ScriptWriter {
        let scripts = files.writer("verification-states", section: "25.6")
        for role in ScriptFiles.roles {
            try unexpected(scripts, role)
            try notListed(scripts, role)
        }
        return scripts
    }

    private func unexpected(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        var setting = ScriptSetting(role)
        setting.verification = .both
        for stage in Self.stages {
            for type in Self.types where !Self.isLegal(type, stage, role) {
                try scripts.fails(
                    setting, "unexpected_frame", stage == .proof ? "BeforeProof" : "UnexpectedFrame",
                    "\(FrameNames.name(of: type.rawValue)) in \(stage.rawValue)", Self.requirements(type, stage)
                ) { try $0.reach(stage).send(Self.frame(type, $0)) }
            }
        }
        for type in Self.types {
            try scripts.works(
                setting, "\(FrameNames.name(of: type.rawValue)) behind one's own CLOSE is ignored", ["R16.1-3"]
            ) { script in
                try script.reach(.closing).send(Self.frame(type, script)).hear().send(script.close()).hear().end()
            }
        }
    }

    private static func isLegal(_ type: FrameType, _ stage: Script.Stage, _ role: LinkRole) -> Bool {
        switch (type, stage) {
        case (_, .proof), (_, .info): false
        case (.codeBegin, .identified), (.codeBegin, .inviting): true
        case (.stringAsk, _): role == .initiator
        case (.stringCommit, _): role == .responder
        default: false
        }
    }

    private static func requirements(_ type: FrameType, _ stage: Script.Stage) -> [String] {
        switch (type, stage) {
        case (_, .proof): ["R6.4-3", "R9.5-1"]
        case (_, .info): ["R25.6-2"]
        case (.codeBegin, _), (.codeAnswer, _), (.codeConfirm, _): ["R25.7-1"]
        default: ["R25.6-3"]
        }
    }

    /// The frames of a feature that one peer does not list.
    private func notListed(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        var (ownSide, peer) = (ScriptSetting(role), ScriptSetting(role))
        (ownSide.verification, peer.verification) = (.ownSide, .peer)
        for type in Self.types {
            let name = FrameNames.name(of: type.rawValue)
            for stage in [Script.Stage.identified, .open] {
                try scripts.fails(
                    ownSide, "unexpected_frame", "NotListed",
                    "\(name) in \(stage.rawValue), from a peer that lists nothing",
                    ["R25.6-2"]
                ) { try $0.reach(stage).send(Self.frame(type, $0)) }
                try scripts.fails(
                    peer, "unsupported", "NotListed", "\(name) in \(stage.rawValue), at a side that lists nothing",
                    ["R25.6-2", "R6.4-2"]
                ) { try $0.reach(stage).send(Self.frame(type, $0)) }
            }
        }
    }

    /// A frame that would be good elsewhere.
    private static func frame(_ type: FrameType, _ script: Script) throws -> [UInt8] {
        switch type {
        case .stringAsk: script.stringAsk
        case .stringCommit: try script.stringCommit()
        case .stringNonce: script.stringNonce
        case .stringReveal: script.stringReveal
        case .codeBegin: try script.codeBegin()
        case .codeAnswer: try script.codeAnswer()
        default: WireBytes.frame(type, [UInt8](repeating: 1, count: 32) + [0])
        }
    }
}
