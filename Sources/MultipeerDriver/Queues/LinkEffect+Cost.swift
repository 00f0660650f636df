import MultipeerCore

extension LinkEffect {
    /// Whether what waits of such events is bounded by credit, or by the path that it came over (R26.6-2).
    var usesCredit: Bool {
        switch self {
        case .message, .datagram, .stream, .incomingFile: true
        default: false
        }
    }

    /// Whether there is room for more once the app has taken the event (``ConsumedCredit``).
    var givesReceipt: Bool {
        switch self {
        case .message, .datagram, .stream(.data), .stream(.ended), .incomingFile(.data), .incomingFile(.ended): true
        default: false
        }
    }

    /// The cost of the event while it waits.
    var cost: Int {
        let payload =
            switch self {
            case .message(let bytes), .datagram(let bytes): bytes.count
            case .incomingFile(.data(_, let bytes)): bytes.count
            case .stream(.data(_, let bytes)): bytes.count
            case .trace(let entry): entry.wire.count + entry.plaintext.count
            case .invited(_, let invitation): invitation.context.count
            case .verify, .identified, .invitationAccepted, .opened, .incomingFile, .outgoingFile, .stream, .closed,
                .verification, .messages, .probeAnswered, .memoryWanted, .memoryReturned, .messageStalled,
                .datagramPath:
                0
            }
        return payload + DriverOptions.eventOverhead
    }
}
