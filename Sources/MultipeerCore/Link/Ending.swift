import MultipeerWire

/// How a link ends: what the app hears and when, and what the peer hears. ``Link/end(_:at:over:)`` carries it out.
struct Ending {
    /// What the peer hears.
    enum Farewell: Equatable {
        /// CLOSE with this code. The peer's CLOSE is awaited.
        case close(CloseCode)
        /// CLOSE with `no_error`, as the answer to the peer's (SPEC §16.1).
        case answer
        /// Nothing but what is queued already.
        case nothingMore
        /// Nothing, not even what is queued: the transport is of no use, or the key is not.
        case silence
    }

    /// What the app hears. Nil when it has heard it already.
    let end: LinkEnd?
    /// Whether the app hears it only when the peer has answered, or cannot any more.
    let waitsForPeer: Bool
    let farewell: Farewell
    /// The payload that is still delivered until the peer has answered (R16.1-3).
    let delivering: OpenLink?

    private init(
        _ end: LinkEnd?, waitsForPeer: Bool = false, farewell: Farewell, delivering: OpenLink? = nil
    ) {
        self.end = end
        self.waitsForPeer = waitsForPeer
        self.farewell = farewell
        self.delivering = delivering
    }

    /// The app is done with an open link, and all that was queued has gone out.
    static func finished(_ payload: OpenLink, unsentMessages: Int) -> Ending {
        Ending(
            .finished(unsentMessages: unsentMessages), waitsForPeer: true, farewell: .close(.noError),
            delivering: payload)
    }

    /// An invitation ended without a session. Both peers know why, so that the peer's answer is awaited.
    static func invitationEnded(_ failure: LinkFailure) -> Ending {
        Ending(.failed(failure), waitsForPeer: true, farewell: .close(failure.closeCode ?? .noError))
    }

    /// The inviter took its invitation back.
    static func withdrawn(by cancel: Cancel, stage: LinkStage) -> Ending {
        let end: InvitationEnd =
            switch cancel.reason {
            case .cancelled: .withdrawnByPeer
            case .timeout: .noAnswer
            }
        return invitationEnded(LinkFailure(stage: stage, cause: .invitation(end)))
    }

    /// The app ends the link at once.
    static func closedByApp(_ end: LinkEnd, code: CloseCode) -> Ending {
        Ending(end, farewell: .close(code))
    }

    /// Something went wrong. The peer hears what it may know (SPEC §16.3).
    static func failed(_ failure: LinkFailure) -> Ending {
        Ending(.failed(failure), farewell: failure.closeCode.map(Farewell.close) ?? .nothingMore)
    }

    /// The peer closed.
    static func closedByPeer(_ end: LinkEnd) -> Ending {
        Ending(end, farewell: .answer)
    }

    /// A closing link is over. The app may have heard of it before.
    static func settled(_ end: LinkEnd?) -> Ending {
        Ending(end, farewell: .nothingMore)
    }

    /// The stream ended, or the local cryptography failed: nothing more can be sent.
    static func cutOff(_ failure: LinkFailure) -> Ending {
        Ending(.failed(failure), farewell: .silence)
    }
}

extension Ending {
    /// Whether an association that may outlive its link does so (R13.9-3).
    func leavesResumable(at stage: LinkStage) -> Bool {
        guard stage == .open else { return false }
        if farewell == .close(.moved) { return true }
        guard case .failed(let failure) = end else { return false }
        switch failure.cause {
        case .truncated, .silent, .peerClosed(.moved), .peerClosed(.silent): return true
        default: return false
        }
    }
}

/// Where a link stood when it ended.
struct LinkPosition {
    let stage: LinkStage
    let isPeerProved: Bool
    let payloadEncryption: EncryptionOutcome?
    /// What went over the link, if it was open.
    let carried: OpenLink?

    init(_ status: PhaseStatus) {
        carried = status.carried
        stage = status.stage
        isPeerProved = status.isPeerProved
        payloadEncryption = status.payloadEncryption
    }

    private init(stage: LinkStage) {
        self.stage = stage
        isPeerProved = false
        payloadEncryption = nil
        carried = nil
    }

    /// Hellos are exchanged.
    static var hello: LinkPosition { LinkPosition(stage: .hello) }
    /// Keys exist, and the local peer has not proved its identity.
    static var beforeProof: LinkPosition { LinkPosition(stage: .proof) }
}
