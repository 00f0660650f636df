import MultipeerWire

/// What the tester sends.
extension AssociationLedger {
    /// Notes the frames of a record. What is no frame, or does not decode, changes nothing.
    mutating func noteSent(_ plaintext: [UInt8]) {
        var cursor = FrameCursor(plaintext.span)
        do throws(WireError) {
            while let frame = try cursor.next() {
                if let type = frame.type { noteSent(type, [UInt8](copying: frame.payload)) }
            }
        } catch {
            // A script may send what is no frame.
        }
    }

    private mutating func noteSent(_ type: FrameType, _ payload: [UInt8]) {
        if type.isCounted { framesSent += 1 }
        switch type {
        case .message: noteMessage(payload)
        case .messagePart:
            messages.used += UInt64(payload.count)
            noteContent(UInt64(payload.count))
        case .streamOpen, .streamData, .streamEnd, .streamReset, .credit: noteStream(type, payload)
        case .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd: noteFile(type, payload)
        case .admit: hasAdmitted = true
        case .close: hasClosed = true
        default: break
        }
    }

    private mutating func noteMessage(_ payload: [UInt8]) {
        guard let total = try? MessageFrame.total(payload: payload.span) else { return }
        let count = UInt64(payload.count - VarInt.length(of: total))
        messages.used += 64 + count
        guard count <= total else { return }
        lacking = total
        noteContent(count)
    }

    private mutating func noteContent(_ count: UInt64) {
        guard count > 0, count <= lacking else { return }
        lacking -= count
    }

    private mutating func noteStream(_ type: FrameType, _ payload: [UInt8]) {
        switch type {
        case .streamOpen:
            guard let open = try? StreamOpen(payload: payload.span) else { return }
            openings.used += 1
            streams[open.id] = Stream(
                isTesters: true, own: Allowance(limit: 32_768), hasEnded: false, peers: Allowance(limit: open.credit),
                peerHasEnded: open.credit == 0)
        case .streamData:
            guard let id = Self.number(payload) else { return }
            streams[id]?.own.used += UInt64(payload.count - VarInt.length(of: id))
        case .credit:
            guard let credit = try? Credit(payload: payload.span) else { return }
            if credit.kind == .stream { streams[credit.id]?.peers.limit = credit.limit }
            if credit.kind == .file { peersFiles[credit.id]?.allowance.limit = credit.limit }
        default:
            guard let id = Self.number(payload) else { return }
            streams[id]?.hasEnded = true
        }
    }

    private mutating func noteFile(_ type: FrameType, _ payload: [UInt8]) {
        guard let id = Self.number(payload) else { return }
        switch type {
        case .fileOffer:
            guard let offer = try? FileOffer(payload: payload.span) else { return }
            offers.used += 1
            files[id] = File(size: offer.size, hasTag: offer.tag != FileOffer.noTag)
        case .fileAccept:
            guard let accept = try? FileAccept(payload: payload.span), peersFiles[id]?.accept == nil else { return }
            peersFiles[id]?.accept = accept
            peersFiles[id]?.allowance = Allowance(limit: accept.offset + accept.credit, used: accept.offset)
        case .fileEnd: files[id]?.hasEnd = true
        case .fileCancel: files[id]?.isCancelled = true
        default:
            var reader = Reader(payload.span)
            guard (try? reader.varint(.fileID)) != nil, let offset = try? reader.varint(.fileOffset) else { return }
            files[id]?.allowance.used = offset &+ UInt64(reader.remaining)
        }
    }

    /// The number that the frame names.
    private static func number(_ payload: [UInt8]) -> UInt64? {
        var reader = Reader(payload.span)
        return try? reader.varint(.streamID)
    }
}
