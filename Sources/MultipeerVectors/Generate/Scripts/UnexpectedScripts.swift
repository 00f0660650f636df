internal import MultipeerCore
internal import MultipeerWire

/// Every frame in every state that does not allow it (SPEC §17).
struct UnexpectedScripts {
    let files: ScriptFiles
    let role: LinkRole
    /// The states from *certificates* on.
    let isLate: Bool

    private static let early: [Script.Stage] = [.proof, .info, .identified, .inviting, .invited]
    private static let late: [Script.Stage] = [
        .certificatesInvitee, .certificatesInviter, .judging, .peerReady, .selfReady, .open,
    ]

    /// The frames that a state allows, CLOSE and PADDING apart.
    private static func allowed(_ stage: Script.Stage) -> Set<FrameType> {
        switch stage {
        case .proof: [.proof]
        case .info: [.peerInfo]
        case .identified: [.invite]
        case .inviting: [.accept, .decline, .invite]
        case .invited: [.cancel]
        case .certificatesInvitee: [.certificates, .cancel]
        case .certificatesInviter: [.certificates]
        case .judging, .selfReady: [.ready]
        case .peerReady: []
        // What an open link does with them depends on what came before: other scripts.
        case .open: Set(FrameType.allCases.filter { $0.rawValue >= FrameType.rekey.rawValue })
        case .closing: Set(FrameType.allCases)
        }
    }

    func write() throws -> ScriptWriter {
        let scripts = files.writer("unexpected-\(role.name)-\(isLate ? "late" : "early")", section: "17")
        for stage in isLate ? Self.late : Self.early {
            for type in FrameType.allCases where type.feature == nil && isUnexpected(type, stage) {
                let name = FrameNames.name(of: type.rawValue)
                try scripts.add(
                    ScriptSetting(role), "\(name) in \(stage.rawValue)", Self.requirements(type, stage),
                    flags: [stage == .proof ? "BeforeProof" : "UnexpectedFrame"], end: .fails("unexpected_frame")
                ) { try $0.reach(stage).send(Self.frame(type, $0)).hear().end() }
            }
        }
        return scripts
    }

    private func isUnexpected(_ type: FrameType, _ stage: Script.Stage) -> Bool {
        switch type {
        case .close: false
        case .padding: stage == .proof
        default: !Self.allowed(stage).contains(type)
        }
    }

    private static func requirements(_ type: FrameType, _ stage: Script.Stage) -> [String] {
        switch (type, stage) {
        case (_, .proof): ["R6.4-3", "R9.5-1"]
        case (.proof, _): ["R9.5-5"]
        case (.peerInfo, _): ["R8.1-1"]
        case (.invite, .info): ["R8.2-3"]
        case (.invite, _): ["R8.2-3", "R8.6-2"]
        case (.cancel, .judging), (.cancel, .peerReady), (.cancel, .selfReady): ["R8.5-2"]
        case (.ready, _): ["R10.5-4"]
        case (.rekey, _): ["R10.5-3", "R12.6-3"]
        case (let type, _) where type.rawValue > FrameType.rekey.rawValue: ["R10.5-3"]
        default: []
        }
    }

    /// A frame that would be good elsewhere.
    private static func frame(_ type: FrameType, _ script: Script) throws -> [UInt8] {
        switch type {
        case .close: script.close()
        case .padding: script.padding()
        case .proof: try script.proof()
        case .peerInfo: script.peerInfo()
        case .invite: script.invite()
        case .accept: script.accept()
        case .decline: script.decline(1)
        case .cancel: script.cancel()
        case .certificates: script.noCertificates
        case .ready: script.ready
        case .rekey: script.rekey
        case .message: script.message("hello")
        case .messagePart: script.part("hello")
        case .fileOffer: script.fileOffer()
        case .fileAccept: script.fileAccept()
        case .fileCancel: script.fileCancel()
        case .fileData: script.fileData()
        case .fileEnd: script.fileEnd()
        case .fileDone: script.fileDone()
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .streamOpen, .streamData,
            .streamEnd, .streamReset, .streamStop, .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin,
            .codeAnswer, .codeConfirm:
            SoundFrames.frame(type)
        }
    }
}
