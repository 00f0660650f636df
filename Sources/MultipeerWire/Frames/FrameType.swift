/// The registered frame types (SPEC §6.3, §25.6, §26.2).
public enum FrameType: UInt64, Sendable, CaseIterable {
    case close = 0x00
    case padding = 0x01
    case proof = 0x02
    case peerInfo = 0x04
    case invite = 0x06
    case accept = 0x08
    case decline = 0x0A
    case cancel = 0x0C
    case certificates = 0x0E
    case ready = 0x10
    case rekey = 0x12
    case ping = 0x14
    case pong = 0x16
    case credit = 0x18
    case ack = 0x1A
    case admit = 0x1C
    case roster = 0x1E
    case digest = 0x20
    case summary = 0x22
    case want = 0x24
    case resume = 0x26
    case resumed = 0x28
    case unite = 0x2A
    case enter = 0x2C
    case message = 0x40
    case messagePart = 0x42
    case datagrams = 0x46
    case fileOffer = 0x50
    case fileAccept = 0x52
    case fileCancel = 0x54
    case fileData = 0x56
    case fileEnd = 0x58
    case fileDone = 0x5A
    case streamOpen = 0x60
    case streamData = 0x62
    case streamEnd = 0x64
    case streamReset = 0x66
    case streamStop = 0x68
    case stringAsk = 0x70
    case stringCommit = 0x72
    case stringNonce = 0x74
    case stringReveal = 0x76
    case codeBegin = 0x78
    case codeAnswer = 0x7A
    case codeConfirm = 0x7C

    /// Whether the frame carries payload, whose protection SPEC §11 decides. Control frames are always encrypted.
    public var isPayload: Bool {
        switch self {
        case .message, .messagePart, .fileData, .streamData: true
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready,
            .resume, .resumed, .rekey, .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite,
            .enter, .fileOffer,
            .fileAccept, .fileCancel, .fileEnd, .fileDone, .streamOpen, .streamEnd, .streamReset, .streamStop,
            .datagrams, .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            false
        }
    }

    /// Whether the frame is one of SPEC §§13 to 15, which an open link takes and no other one. REKEY and DATAGRAMS, which are frames
    /// of an open link too, belong to the link itself.
    public var isOfOpenLink: Bool {
        switch self {
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready, .rekey,
            .resume, .resumed, .datagrams, .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin,
            .codeAnswer, .codeConfirm:
            false
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter, .message,
            .messagePart, .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd, .fileDone, .streamOpen,
            .streamData, .streamEnd, .streamReset, .streamStop:
            true
        }
    }

    /// Whether ACK counts the frame: it must not be lost, and its sender keeps it until then (SPEC §13.6).
    public var isCounted: Bool {
        switch self {
        case .message, .messagePart, .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop, .fileOffer,
            .fileAccept, .fileCancel, .fileDone, .admit, .unite, .enter:
            true
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready, .rekey,
            .resume, .resumed, .ping, .pong, .credit, .ack, .roster, .digest, .summary, .want, .fileData, .fileEnd,
            .datagrams, .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            false
        }
    }

    /// The feature that defines the frame; nil for those that every peer knows (SPEC §8.1, §25.6, §26.2).
    public var feature: Feature? {
        switch self {
        case .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            .verification
        case .datagrams: .datagrams
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready, .rekey,
            .resume, .resumed, .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter,
            .message,
            .messagePart, .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd, .fileDone, .streamOpen,
            .streamData, .streamEnd, .streamReset, .streamStop:
            nil
        }
    }

    /// The greatest length of a frame's payload, in bytes: the longest plaintext of a record without type and length.
    public static let maximumPayloadLength = 65_511
}

extension FrameType {
    /// The name in SPEC §6.3, §25.6 or §26.2.
    public var name: String {
        switch self {
        case .close: "CLOSE"
        case .padding: "PADDING"
        case .proof: "PROOF"
        case .peerInfo: "PEER_INFO"
        case .invite: "INVITE"
        case .accept: "ACCEPT"
        case .decline: "DECLINE"
        case .cancel: "CANCEL"
        case .certificates: "CERTIFICATES"
        case .ready: "READY"
        case .rekey: "REKEY"
        case .ping: "PING"
        case .pong: "PONG"
        case .credit: "CREDIT"
        case .ack: "ACK"
        case .admit: "ADMIT"
        case .roster: "ROSTER"
        case .digest: "DIGEST"
        case .summary: "SUMMARY"
        case .want: "WANT"
        case .resume: "RESUME"
        case .resumed: "RESUMED"
        case .unite: "UNITE"
        case .enter: "ENTER"
        case .message: "MESSAGE"
        case .messagePart: "MESSAGE_PART"
        case .datagrams: "DATAGRAMS"
        case .fileOffer: "FILE_OFFER"
        case .fileAccept: "FILE_ACCEPT"
        case .fileCancel: "FILE_CANCEL"
        case .fileData: "FILE_DATA"
        case .fileEnd: "FILE_END"
        case .fileDone: "FILE_DONE"
        case .streamOpen: "STREAM_OPEN"
        case .streamData: "STREAM_DATA"
        case .streamEnd: "STREAM_END"
        case .streamReset: "STREAM_RESET"
        case .streamStop: "STREAM_STOP"
        case .stringAsk: "STRING_ASK"
        case .stringCommit: "STRING_COMMIT"
        case .stringNonce: "STRING_NONCE"
        case .stringReveal: "STRING_REVEAL"
        case .codeBegin: "CODE_BEGIN"
        case .codeAnswer: "CODE_ANSWER"
        case .codeConfirm: "CODE_CONFIRM"
        }
    }
}
