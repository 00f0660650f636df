extension FrameType {
    /// Decodes a payload of this type and forgets it. Whether signatures in it verify is not judged here.
    public func validate(_ payload: Span<UInt8>) throws(WireError) {
        switch self {
        case .padding: break
        case .close: _ = try Close(payload: payload)
        case .proof: _ = try Proof(payload: payload)
        case .peerInfo: _ = try PeerInfo(payload: payload)
        case .invite: _ = try Invite(payload: payload)
        case .accept: _ = try Accept(payload: payload)
        case .decline: _ = try Decline(payload: payload)
        case .cancel: _ = try Cancel(payload: payload)
        case .certificates: _ = try Certificates(payload: payload)
        case .ready: _ = try Ready(payload: payload)
        case .rekey: _ = try Rekey(payload: payload)
        case .message: _ = try MessageFrame(payload: payload)
        case .messagePart:
            // R15.1-1: a part has at least one byte.
            guard !payload.isEmpty else { throw WireError(.lengthOutOfRange, in: .messageData) }
        case .fileOffer: _ = try FileOffer(payload: payload)
        case .fileAccept: _ = try FileAccept(payload: payload)
        case .fileCancel: _ = try FileCancel(payload: payload)
        case .fileData: _ = try FileDataFrame(payload: payload)
        case .fileEnd: _ = try FileEnd(payload: payload)
        case .fileDone: _ = try FileDone(payload: payload)
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter, .streamOpen,
            .streamData, .streamEnd, .streamReset, .streamStop:
            try validateAssociation(payload)
        case .resume: _ = try Resume(payload: payload)
        case .resumed: _ = try Resumed(payload: payload)
        case .datagrams: _ = try Datagrams(payload: payload)
        case .stringAsk: _ = try StringAsk(payload: payload)
        case .stringCommit: _ = try StringCommit(payload: payload)
        case .stringNonce: _ = try StringNonce(payload: payload)
        case .stringReveal: _ = try StringReveal(payload: payload)
        case .codeBegin: _ = try CodeBegin(payload: payload)
        case .codeAnswer: _ = try CodeAnswer(payload: payload)
        case .codeConfirm: _ = try CodeConfirm(payload: payload)
        }
    }

    /// The frames of SPEC §§13, 14 and 15.6.
    private func validateAssociation(_ payload: Span<UInt8>) throws(WireError) {
        switch self {
        case .ping: _ = try Ping(payload: payload)
        case .pong: _ = try Pong(payload: payload)
        case .credit: _ = try Credit(payload: payload)
        case .ack: _ = try Ack(payload: payload)
        case .admit: _ = try Admit(payload: payload)
        case .roster: _ = try RosterFrame(payload: payload)
        case .digest: _ = try DigestFrame(payload: payload)
        case .summary: _ = try Summary(payload: payload)
        case .want: _ = try Want(payload: payload)
        case .unite: _ = try Unite(payload: payload)
        case .enter: _ = try Enter(payload: payload)
        case .streamOpen: _ = try StreamOpen(payload: payload)
        case .streamData: _ = try StreamDataFrame(payload: payload)
        case .streamEnd: _ = try StreamEnd(payload: payload)
        case .streamReset: _ = try StreamReset(payload: payload)
        case .streamStop: _ = try StreamStop(payload: payload)
        default: break
        }
    }
}
