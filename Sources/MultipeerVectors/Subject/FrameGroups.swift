internal import MultipeerCrypto
internal import MultipeerWire

/// Payloads of single frames, judged without any state: SPEC §8, §9.5, §10.2, §15, §16.1.
enum FrameGroups {
    /// The frames of the group `ControlFrame`.
    static let controlNames: [String: FrameType] = [
        "CLOSE": .close, "PADDING": .padding, "PROOF": .proof, "PEER_INFO": .peerInfo, "INVITE": .invite,
        "ACCEPT": .accept, "DECLINE": .decline, "CANCEL": .cancel, "CERTIFICATES": .certificates, "READY": .ready,
        "REKEY": .rekey, "DATAGRAMS": .datagrams,
        "FILE_OFFER": .fileOffer, "FILE_ACCEPT": .fileAccept, "FILE_CANCEL": .fileCancel, "FILE_END": .fileEnd,
        "FILE_DONE": .fileDone, "PING": .ping, "PONG": .pong, "CREDIT": .credit, "ACK": .ack, "RESUME": .resume,
        "RESUMED": .resumed, "ADMIT": .admit,
        "ROSTER": .roster, "DIGEST": .digest, "SUMMARY": .summary, "WANT": .want, "UNITE": .unite, "ENTER": .enter,
        "STREAM_OPEN": .streamOpen,
        "STREAM_END": .streamEnd, "STREAM_RESET": .streamReset, "STREAM_STOP": .streamStop, "STRING_ASK": .stringAsk,
        "STRING_COMMIT": .stringCommit, "STRING_NONCE": .stringNonce, "STRING_REVEAL": .stringReveal,
        "CODE_BEGIN": .codeBegin, "CODE_ANSWER": .codeAnswer, "CODE_CONFIRM": .codeConfirm,
    ]

    /// The frames of the group `PayloadFrame`.
    static let payloadNames: [String: FrameType] = [
        "MESSAGE": .message, "MESSAGE_PART": .messagePart, "FILE_DATA": .fileData, "STREAM_DATA": .streamData,
    ]

    static func control(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (payload, name) = (try inputs.bytes("payload"), try params.text("frame"))
        guard let type = controlNames[name] else { return .unimplemented }
        switch type {
        case .close: return try judge(Close.self, payload)
        case .proof: return try judge(Proof.self, payload)
        case .peerInfo: return try judge(PeerInfo.self, payload)
        case .invite: return try judge(Invite.self, payload)
        case .accept: return try judge(Accept.self, payload)
        case .decline: return try judge(Decline.self, payload)
        case .cancel: return try judge(Cancel.self, payload)
        case .certificates: return try judge(Certificates.self, payload)
        case .ready: return try judge(Ready.self, payload)
        case .rekey: return try judge(Rekey.self, payload)
        case .datagrams: return try judge(Datagrams.self, payload)
        case .resume: return try judge(Resume.self, payload)
        case .resumed: return try judge(Resumed.self, payload)
        case .fileOffer: return try judge(FileOffer.self, payload)
        case .fileAccept: return try judge(FileAccept.self, payload)
        case .fileCancel: return try judge(FileCancel.self, payload)
        case .fileEnd: return try judge(FileEnd.self, payload)
        case .fileDone: return try judge(FileDone.self, payload)
        case .padding, .message, .messagePart, .fileData, .streamData: return .unimplemented
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter, .streamOpen,
            .streamEnd,
            .streamReset, .streamStop:
            return try association(type, payload)
        case .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            return try verification(type, payload)
        }
    }

    /// The frames of SPEC §§13, 14 and 15.6.
    private static func association(
        _ type: FrameType, _ payload: [UInt8]
    ) throws(SubjectFault) -> SubjectAnswer {
        switch type {
        case .ping: try judge(Ping.self, payload)
        case .pong: try judge(Pong.self, payload)
        case .credit: try judge(Credit.self, payload)
        case .ack: try judge(Ack.self, payload)
        case .admit: try judge(Admit.self, payload)
        case .roster: try judge(RosterFrame.self, payload)
        case .digest: try judge(DigestFrame.self, payload)
        case .summary: try judge(Summary.self, payload)
        case .want: try judge(Want.self, payload)
        case .unite: try judge(Unite.self, payload)
        case .enter: try judge(Enter.self, payload)
        case .streamOpen: try judge(StreamOpen.self, payload)
        case .streamEnd: try judge(StreamEnd.self, payload)
        case .streamReset: try judge(StreamReset.self, payload)
        case .streamStop: try judge(StreamStop.self, payload)
        default: .unimplemented
        }
    }

    /// The frames of SPEC §25.6.
    private static func verification(
        _ type: FrameType, _ payload: [UInt8]
    ) throws(SubjectFault) -> SubjectAnswer {
        switch type {
        case .stringAsk: try judge(StringAsk.self, payload)
        case .stringCommit: try judge(StringCommit.self, payload)
        case .stringNonce: try judge(StringNonce.self, payload)
        case .stringReveal: try judge(StringReveal.self, payload)
        case .codeBegin: try judge(CodeBegin.self, payload)
        case .codeAnswer: try judge(CodeAnswer.self, payload)
        case .codeConfirm: try judge(CodeConfirm.self, payload)
        default: .unimplemented
        }
    }

    private static func judge<Frame: FramePayload & ShownFields>(
        _ type: Frame.Type, _ payload: [UInt8]
    ) throws(SubjectFault) -> SubjectAnswer {
        let frame: Frame
        do { frame = try Frame(payload: payload.span) } catch { return .rejected(error) }
        var writer = Writer()
        frame.write(&writer)
        // A reason that nobody knows decodes to the one that it is treated as, and so cannot be written again.
        if !frame.isNormalized(payload) { try WireGroups.requireSame(writer.bytes, payload) }
        return .accepted(["fields": frame.shown])
    }

    static func payload(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let payload = try inputs.bytes("payload")
        do {
            switch payloadNames[try params.text("frame")] {
            case .message:
                let frame = try MessageFrame(payload: payload.span)
                let data = [UInt8](copying: frame.data)
                return .accepted(["fields": ["total": .wide(frame.total), "data": .hex(data)]])
            case .messagePart:
                return payload.isEmpty
                    ? .rejected(WireError(.lengthOutOfRange, in: .messageData))
                    : .accepted(["fields": ["data": .hex(payload)]])
            case .fileData:
                let frame = try FileDataFrame(payload: payload.span)
                let data = [UInt8](copying: frame.data)
                return .accepted([
                    "fields": ["id": .wide(frame.id), "offset": .wide(frame.offset), "data": .hex(data)]
                ])
            case .streamData:
                let frame = try StreamDataFrame(payload: payload.span)
                let data = [UInt8](copying: frame.data)
                return .accepted(["fields": ["id": .wide(frame.id), "data": .hex(data)]])
            default: return .unimplemented
            }
        } catch let error as WireError {
            return .rejected(error)
        } catch let fault as SubjectFault {
            throw fault
        } catch {
            return .unimplemented
        }
    }
}

/// A frame that shows its fields by the names of SPEC.md.
protocol ShownFields {
    var shown: JSONValue { get }
    /// Whether an unknown value was replaced by the one that it is treated as.
    func isNormalized(_ payload: [UInt8]) -> Bool
}

extension ShownFields {
    func isNormalized(_ payload: [UInt8]) -> Bool { false }
}
