import FuzzSupport
import MultipeerWire

/// What decodes can be written, and what was written decodes to the same.
enum FrameRoundTrip {
    static func check(_ frame: borrowing RawFrame) throws {
        switch frame.type {
        case .close: try check(Close.self, frame)
        case .proof: try check(Proof.self, frame)
        case .peerInfo: try check(PeerInfo.self, frame)
        case .invite: try check(Invite.self, frame)
        case .accept: try check(Accept.self, frame)
        case .decline: try check(Decline.self, frame)
        case .cancel: try check(Cancel.self, frame)
        case .certificates: try check(Certificates.self, frame)
        case .ready: try check(Ready.self, frame)
        case .rekey: try check(Rekey.self, frame)
        case .fileOffer: try check(FileOffer.self, frame)
        case .fileAccept: try check(FileAccept.self, frame)
        case .fileCancel: try check(FileCancel.self, frame)
        case .fileEnd: try check(FileEnd.self, frame)
        case .fileDone: try check(FileDone.self, frame)
        case .message: try checkMessage(frame)
        case .messagePart: try checkMessagePart(frame)
        case .fileData: try checkFileData(frame)
        case .ping: try check(Ping.self, frame)
        case .pong: try check(Pong.self, frame)
        case .credit: try check(Credit.self, frame)
        case .ack: try check(Ack.self, frame)
        case .admit: try check(Admit.self, frame)
        case .roster: try check(RosterFrame.self, frame)
        case .digest: try check(DigestFrame.self, frame)
        case .summary: try check(Summary.self, frame)
        case .want: try check(Want.self, frame)
        case .resume: try check(Resume.self, frame)
        case .resumed: try check(Resumed.self, frame)
        case .unite: try check(Unite.self, frame)
        case .enter: try check(Enter.self, frame)
        case .streamOpen: try check(StreamOpen.self, frame)
        case .streamEnd: try check(StreamEnd.self, frame)
        case .streamReset: try check(StreamReset.self, frame)
        case .streamStop: try check(StreamStop.self, frame)
        case .datagrams: try check(Datagrams.self, frame)
        case .stringAsk: try check(StringAsk.self, frame)
        case .stringCommit: try check(StringCommit.self, frame)
        case .stringNonce: try check(StringNonce.self, frame)
        case .stringReveal: try check(StringReveal.self, frame)
        case .codeBegin: try check(CodeBegin.self, frame)
        case .codeAnswer: try check(CodeAnswer.self, frame)
        case .codeConfirm: try check(CodeConfirm.self, frame)
        case .streamData: try checkStreamData(frame)
        case .padding, .none: break
        }
    }

    private static func check<Frame: ControlFrame & Equatable>(
        _ type: Frame.Type, _ frame: borrowing RawFrame
    ) throws {
        let decoded: Frame
        do { decoded = try Frame(payload: frame.payload) } catch { return }
        let written = decoded.encoded()
        try requireEqual(try decode(type, written), decoded, "\(type), written and read again")
        if !isNormalised(type) { try requireEqual(written, [UInt8](copying: frame.encoded), "\(type), written again") }
    }

    private static func decode<Frame: ControlFrame>(_ type: Frame.Type, _ bytes: [UInt8]) throws -> Frame? {
        var cursor = FrameCursor(bytes.span)
        guard let frame = try cursor.next() else { return nil }
        return try Frame(payload: frame.payload)
    }

    /// A reason that nobody knows decodes to the one that it is treated as (SPEC §8.4, §8.5, §15.4).
    private static func isNormalised<Frame: ControlFrame>(_ type: Frame.Type) -> Bool {
        type == Decline.self || type == Cancel.self || type == FileCancel.self
    }

    private static func checkMessage(_ frame: borrowing RawFrame) throws {
        let message: MessageFrame
        do { message = try MessageFrame(payload: frame.payload) } catch { return }
        let total = try MessageFrame.total(payload: frame.payload)
        try requireEqual(message.total, total, "MESSAGE: its length, read alone")
        try require(UInt64(message.data.count) <= total, "MESSAGE: more data than the message has")
        guard UInt64(message.data.count) == total else { return }
        let whole = [UInt8](copying: message.data)
        try compare(frame) { output in PayloadFrame.appendMessage(whole.span, room: 65_516, to: &output) }
    }

    private static func checkMessagePart(_ frame: borrowing RawFrame) throws {
        let part = [UInt8](copying: frame.payload)
        guard !part.isEmpty else { return }
        try compare(frame) { output in PayloadFrame.appendMessagePart(part.span, room: 65_516, to: &output) }
    }

    private static func checkFileData(_ frame: borrowing RawFrame) throws {
        let file: FileDataFrame
        do { file = try FileDataFrame(payload: frame.payload) } catch { return }
        let (id, offset, data) = (file.id, file.offset, [UInt8](copying: file.data))
        try compare(frame) { output in
            PayloadFrame.appendFileData(id: id, offset: offset, data.span, room: 65_516, to: &output)
        }
    }

    private static func checkStreamData(_ frame: borrowing RawFrame) throws {
        let stream: StreamDataFrame
        do { stream = try StreamDataFrame(payload: frame.payload) } catch { return }
        let (id, data) = (stream.id, [UInt8](copying: stream.data))
        try compare(frame) { output in
            PayloadFrame.appendStreamData(id: id, data.span, room: 65_516, to: &output)
        }
    }

    /// The writers of payload frames make the bytes that were read.
    private static func compare(
        _ frame: borrowing RawFrame, _ write: (inout OutputSpan<UInt8>) -> Int?
    ) throws(OracleFailure) {
        var written: [UInt8] = []
        var taken: Int?
        written.append(addingCapacity: 65_516) { (output: inout OutputSpan<UInt8>) in taken = write(&output) }
        try require(taken != nil, "a frame that was read has room in a record")
        try requireEqual(written, [UInt8](copying: frame.encoded), "a payload frame, written again")
    }
}
