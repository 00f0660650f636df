import MultipeerWire

/// Streams and files that the peer sends, takes or begins.
extension AssociationLedger {
    // MARK: Streams

    mutating func observeStream(_ type: FrameType, _ payload: [UInt8]) throws(Interruption) {
        if type == .streamOpen { return try observeOpening(payload) }
        var reader = Reader(payload.span)
        guard let id = try? reader.varint(.streamID), var stream = streams[id] else {
            throw .broke(rule: "R13.2-2", "\(type.name) came for a stream that does not exist")
        }
        defer { streams[id] = stream }
        guard type != .streamStop else {
            stream.stopCode = try? StreamStop(payload: payload.span).code
            return
        }
        guard !stream.peerHasEnded else {
            let wasNever = stream.isTesters && stream.peers.limit == 0
            throw .broke(rule: wasNever ? "R15.6-8" : "R15.6-4", "\(type.name) came for a direction that has ended")
        }
        switch type {
        case .streamData:
            guard reader.remaining > 0 else { throw .broke(rule: "R15.6-2", "STREAM_DATA came without data") }
            stream.peers.used += UInt64(reader.remaining)
            guard stream.peers.used <= stream.peers.limit else {
                throw .broke(rule: "R13.3-1", "stream \(id) has more bytes than the tester has granted")
            }
        case .streamEnd:
            guard let end = try? StreamEnd(payload: payload.span), end.size == stream.peers.used else {
                throw .broke(rule: "R15.6-3", "STREAM_END came with another size than \(stream.peers.used)")
            }
            stream.peerHasEnded = true
        default:
            stream.resetCode = try? StreamReset(payload: payload.span).code
            stream.peerHasEnded = true
        }
    }

    private mutating func observeOpening(_ payload: [UInt8]) throws(Interruption) {
        guard let open = try? StreamOpen(payload: payload.span) else { return }
        try takeNumber(open.id, .streamOpen)
        peersOpenings.used += 1
        guard peersOpenings.used <= peersOpenings.limit else {
            throw .broke(rule: "R13.3-1", "more streams were opened than the tester has granted")
        }
        streams[open.id] = Stream(
            isTesters: false, own: Allowance(limit: open.credit), hasEnded: open.credit == 0,
            peers: Allowance(limit: 32_768), peerHasEnded: false)
    }

    // MARK: Files

    mutating func observeFile(_ type: FrameType, _ payload: [UInt8]) throws(Interruption) {
        switch type {
        case .fileOffer:
            guard let offer = try? FileOffer(payload: payload.span) else { return }
            try takeNumber(offer.id, .fileOffer)
            peersOffers.used += 1
            guard peersOffers.used <= peersOffers.limit else {
                throw .broke(rule: "R13.3-1", "more files were offered than the tester has granted")
            }
            peersFiles[offer.id] = PeersFile(offer: offer)
        case .fileAccept: try observeAccept(payload)
        case .fileDone:
            guard let done = try? FileDone(payload: payload.span), let file = files[done.id], file.hasEnd, !file.isDone
            else { throw .broke(rule: "R15.3-6", "FILE_DONE came for a file that is not complete, or twice") }
            files[done.id]?.isDone = true
        case .fileCancel:
            guard let cancel = try? FileCancel(payload: payload.span),
                files[cancel.id] != nil || peersFiles[cancel.id] != nil
            else { throw .broke(rule: "R13.2-2", "FILE_CANCEL came for a file that does not exist") }
            files[cancel.id]?.cancelReason = cancel.reason
            peersFiles[cancel.id]?.cancelReason = cancel.reason
        case .fileData: try observeData(payload)
        default:
            guard let end = try? FileEnd(payload: payload.span) else { return }
            let file = try underWay(end.id, "R15.3-4", "FILE_END")
            guard file.allowance.used == file.offer.size else {
                throw .broke(rule: "R15.3-4", "FILE_END came before all of the file")
            }
            peersFiles[end.id]?.digest = end.digest
        }
    }

    /// The peer's file, of which more may come.
    private func underWay(_ id: UInt64, _ rule: String, _ name: String) throws(Interruption) -> PeersFile {
        guard let file = peersFiles[id], file.accept != nil, file.digest == nil else {
            throw .broke(rule: rule, "\(name) came for a file that the tester has not accepted, or after its end")
        }
        guard file.cancelReason == nil else { throw .broke(rule: "R15.3-7", "\(name) came after FILE_CANCEL") }
        return file
    }

    private mutating func observeData(_ payload: [UInt8]) throws(Interruption) {
        var reader = Reader(payload.span)
        guard let id = try? reader.varint(.fileID), let offset = try? reader.varint(.fileOffset), reader.remaining > 0
        else { throw .broke(rule: "R15.3-3", "the peer's FILE_DATA does not decode, or has no data") }
        var file = try underWay(id, "R15.3-3", "FILE_DATA")
        guard offset == file.allowance.used else {
            throw .broke(rule: "R15.3-3", "FILE_DATA came for offset \(offset) in place of \(file.allowance.used)")
        }
        file.content += payload.suffix(reader.remaining)
        file.allowance.used += UInt64(reader.remaining)
        guard file.allowance.used <= file.offer.size else {
            throw .broke(rule: "R15.3-3", "FILE_DATA came beyond the file's size")
        }
        guard file.allowance.used <= file.allowance.limit else {
            throw .broke(rule: "R13.3-1", "the peer's file has more bytes than the tester has granted")
        }
        peersFiles[id] = file
    }

    private mutating func observeAccept(_ payload: [UInt8]) throws(Interruption) {
        guard let accept = try? FileAccept(payload: payload.span) else { return }
        guard var file = files[accept.id] else {
            throw .broke(rule: "R13.2-2", "FILE_ACCEPT came for a file that the tester has not offered")
        }
        guard file.accept == nil else { throw .broke(rule: "R15.3-6", "FILE_ACCEPT came twice for one file") }
        guard accept.offset <= file.size else {
            throw .broke(rule: "R15.3-9", "FILE_ACCEPT came with an offset beyond the file's size")
        }
        guard file.hasTag || accept.offset == 0 else {
            throw .broke(rule: "R15.7-2", "FILE_ACCEPT came with an offset for a file without a tag")
        }
        guard accept.offset > 0 || accept.digest == FileAccept.digestOfNothing else {
            throw .broke(rule: "R15.7-4", "FILE_ACCEPT came with offset 0 and a hash that is not that of no bytes")
        }
        file.accept = accept
        file.allowance = Allowance(limit: accept.offset + accept.credit, used: accept.offset)
        files[accept.id] = file
    }
}
