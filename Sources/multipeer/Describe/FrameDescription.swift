import MultipeerWire

/// A description of a frame, field by field (SPEC §6.3).
struct FrameDescription: Sendable {
    /// The name in SPEC §6.3. For an unknown type, it says what a receiver does (SPEC §6.4).
    let name: String
    let type: UInt64
    /// The length of the payload, in bytes.
    let length: Int
    let fields: [DescribedField]

    /// - Throws: `WireError` if the payload does not decode.
    init(_ frame: borrowing RawFrame) throws(WireError) {
        type = frame.rawType
        length = frame.payload.count
        guard let type = frame.type else {
            name = Self.unknownName(frame.rawType)
            fields = [DescribedField("payload", .content([UInt8](copying: frame.payload)))]
            return
        }
        name = type.name
        fields = try Self.fields(of: type, frame.payload)
    }

    /// Returns the name for an unknown type. Values that are never assigned have a name of their own (SPEC §7.4).
    private static func unknownName(_ type: UInt64) -> String {
        if type % 32 == 31 { return "GREASE" }
        return type % 2 == 1 ? "unknown, ignorable" : "unknown, critical"
    }

    private static func fields(
        of type: FrameType, _ payload: Span<UInt8>
    ) throws(WireError) -> [DescribedField] {
        switch type {
        case .padding: []
        case .close: try Close(payload: payload).described
        case .proof: try Proof(payload: payload).described
        case .peerInfo: try PeerInfo(payload: payload).described
        case .invite: try Invite(payload: payload).described
        case .accept: try Accept(payload: payload).described
        case .decline: try Decline(payload: payload).described
        case .cancel: try Cancel(payload: payload).described
        case .certificates: try Certificates(payload: payload).described
        case .ready: try Ready(payload: payload).described
        case .message: try message(payload)
        case .messagePart: try messagePart(payload)
        case .fileOffer: try FileOffer(payload: payload).described
        case .fileAccept: try FileAccept(payload: payload).described
        case .fileCancel: try FileCancel(payload: payload).described
        case .fileData: try fileData(payload)
        case .fileEnd: try FileEnd(payload: payload).described
        case .fileDone: try FileDone(payload: payload).described
        }
    }

    private static func message(_ payload: Span<UInt8>) throws(WireError) -> [DescribedField] {
        let frame = try MessageFrame(payload: payload)
        return [
            DescribedField("total", .number(frame.total)),
            DescribedField("data", .content([UInt8](copying: frame.data))),
        ]
    }

    /// Describes a part, which has at least one byte (R15.1-1).
    private static func messagePart(_ payload: Span<UInt8>) throws(WireError) -> [DescribedField] {
        guard !payload.isEmpty else { throw WireError(.lengthOutOfRange, in: .messageData) }
        return [DescribedField("data", .content([UInt8](copying: payload)))]
    }

    private static func fileData(_ payload: Span<UInt8>) throws(WireError) -> [DescribedField] {
        let frame = try FileDataFrame(payload: payload)
        return [
            DescribedField("id", .number(frame.id)), DescribedField("offset", .number(frame.offset)),
            DescribedField("data", .content([UInt8](copying: frame.data))),
        ]
    }
}
