/// The fields of the frames of SPEC §§13, 14, 15.6 and 25.6.
extension FieldVisitor {
    mutating func visit(association type: FrameType) {
        switch type {
        case .credit:
            fixed(1, "kind", CreditKind(rawValue: byte)?.name)
            varint("id")
            varint("limit")
        case .ack: varint("count")
        default: take(Ping.dataLength, "data")
        }
    }

    mutating func visit(resuming type: FrameType) {
        if type == .resume {
            take(16, "association")
            varint("epoch")
        }
        varint("received")
        list("files", .position)
        list("fields", .field)
        take(32, "proof")
    }

    mutating func visit(stream type: FrameType) {
        varint("id")
        switch type {
        case .streamOpen:
            varint("credit")
            vector("name", .content)
        case .streamData: return rest("data")
        case .streamEnd: varint("size")
        default: varint("code", .code) { $0 >= 64 ? "of the app" : nil }
        }
        list("fields", .field)
    }

    mutating func visit(session type: FrameType) {
        switch type {
        case .admit: list("chain", .admission)
        case .roster:
            visitEntries()
            return
        case .digest: take(32, "digest")
        case .summary: list("items", .item)
        case .unite:
            visitCharter()
            list("chain", .admission)
            vector("admission", .bytes)
        case .enter: take(32, "session")
        default: list("members", .key)
        }
        list("fields", .field)
    }

    mutating func visit(verification type: FrameType) {
        switch type {
        case .stringCommit: take(32, "commitment")
        case .stringNonce, .stringReveal: take(32, "nonce")
        case .codeBegin:
            take(32, "share")
            varint("number")
        case .codeAnswer: take(32, "share")
        case .codeConfirm: take(32, "confirmation")
        default: break
        }
        list("fields", .field)
    }

    mutating func sessionElement(_ kind: Element) {
        switch kind {
        case .admission:
            take(32, "admitter")
            take(64, "signature")
        case .address:
            fixed(1, "kind", byte == MemberAddress.ipv4 ? "IPv4" : byte == MemberAddress.ipv6 ? "IPv6" : nil)
            vector("value", .bytes)
        case .position:
            varint("id")
            varint("offset")
        case .item:
            take(32, "member")
            varint("instance")
            varint("sequence")
            take(32, "entryHash")
        default: take(32, "key")
        }
    }

    private mutating func visitEntries() {
        // The list is all of the payload.
        varint("entries", .listLength)
        depth += 1
        while offset < bytes.count { visitEntry() }
        depth -= 1
    }

    private mutating func visitEntry() {
        take(32, "member")
        varint("instance")
        varint("sequence")
        fixed(1, "presence", byte == RosterEntry.Presence.present.rawValue ? "present" : "left")
        vector("name", .content)
        list("addresses", .address)
        list("chain", .admission)
        list("fields", .field)
        take(64, "signature")
    }
}
