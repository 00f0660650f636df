import FuzzSupport

/// The frames of files: SPEC §15.3.
extension ModelAssociation {
    /// The file of the peer that a frame of the peer names (R13.2-2, R15.3-12).
    private func fileOfPeer(_ id: UInt64) throws(ModelFault) -> ModelIncomingFile {
        guard case .fileOfPeer = judge(id), let file = incoming[id] else { throw .unexpectedFrame }
        return file
    }

    /// The local file that an answer names; nil if the answer crossed its end (R13.2-3).
    private func ownFile(_ id: UInt64) throws(ModelFault) -> ModelOutgoingFile? {
        switch judge(id) {
        case .ended: return nil
        case .ownFile: return outgoing[id]
        default: throw .unexpectedFrame
        }
    }

    // MARK: Of the peer

    mutating func receiveOffer(_ reader: inout ModelReader) throws(ModelFault) {
        let offer = try reader.offer()
        guard offer.id == nextOfPeer else { throw .malformed }
        try offers.use(1)
        nextOfPeer += 2
        incoming[offer.id] = ModelIncomingFile(offer)
        events.append(.offered(offer))
    }

    /// R15.3-3: its state, its place, its length, its credit.
    mutating func receiveFileData(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, offset, data) = (try reader.varint(), try reader.varint(), try reader.data())
        var file = try fileOfPeer(id)
        guard file.isReceiving else { throw .unexpectedFrame }
        let count = UInt64(data.count)
        guard offset == file.window.used, count <= file.offer.size - offset else { throw .malformed }
        try file.window.use(count)
        file.bytes += data
        if file.state == .receiving { events.append(.fileData(id, data)) } else { file.window.release(.max) }
        incoming[id] = file
    }

    /// R15.3-4, R15.3-5.
    mutating func receiveFileEnd(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, hash) = (try reader.varint(), try reader.take(32))
        try reader.fieldsAndEnd()
        var file = try fileOfPeer(id)
        guard file.isReceiving, file.window.used == file.offer.size else { throw .unexpectedFrame }
        if file.isCancelled {
            file.state = .cancelled(mayCome: false)
        } else if hash == ModelBinding.sha256(file.bytes) {
            file.state = .storing
            events.append(.fileComplete(id))
        } else {
            file.state = .cancelled(mayCome: false)
            tell(id, 5)
            untakenEnds.insert(id)
        }
        incoming[id] = file
    }

    /// The local peer ends a file of the remote peer.
    mutating func tell(_ id: UInt64, _ reason: UInt8) {
        owed.append(ModelSent(0x54, ModelSent.varint(id) + [reason, 0]))
        events.append(.incomingEnded(id, reason: reason, byPeer: false))
    }

    /// R15.3-7, of a file of either peer. An unknown reason is 2.
    mutating func receiveCancel(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, byte) = (try reader.varint(), try reader.byte())
        try reader.fieldsAndEnd()
        let reason = (1...13).contains(byte) ? byte : 2
        switch judge(id) {
        case .ended: return
        case .ownFile:
            owed.append(ModelSent(0x54, ModelSent.varint(id) + [reason, 0]))
            events.append(.outgoingEnded(id, reason: reason, byPeer: true))
            outgoing[id] = nil
        case .fileOfPeer:
            if incoming[id]?.isCancelled == false {
                events.append(.incomingEnded(id, reason: reason, byPeer: true))
                untakenEnds.insert(id)
            }
            incoming[id] = nil
            returnOffer(id, isTold: false)
        default: throw .unexpectedFrame
        }
    }

    /// An offer comes back when its number has ended, and the app has heard of it (§13.5).
    mutating func returnOffer(_ id: UInt64, isTold: Bool) {
        if isTold ? untoldFiles.remove(id) != nil : toldFiles.remove(id) != nil { return offers.release(1) }
        if isTold { toldFiles.insert(id) } else { untoldFiles.insert(id) }
    }

    // MARK: Of the local peer

    /// R15.4-1, R15.3-9, R15.3-10.
    mutating func receiveAccept(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, offset, hash, credit) = try reader.accept()
        guard var file = try ownFile(id) else { return }
        guard file.state == .offered else { throw .unexpectedFrame }
        guard offset <= file.offer.size else { throw .malformed }
        file.allowance = ModelAllowance(limit: offset + credit, used: offset)
        file.supplied = offset
        if offset > 0 {
            guard file.offer.hasTag else { return differ(id) }
            file.state = .checking(offset: offset, hash: hash)
            events.append(.beginningWanted(id, length: offset))
        } else {
            guard hash == ModelBinding.sha256([]) else { return differ(id) }
            file.state = .sending
            events.append(.outgoingAccepted(id))
        }
        outgoing[id] = file
    }

    /// R15.3-10: the peer holds another beginning.
    mutating func differ(_ id: UInt64) { endOwn(id, 7) }

    /// The local peer ends a file of its own.
    mutating func endOwn(_ id: UInt64, _ reason: UInt8) {
        owed.append(ModelSent(0x54, ModelSent.varint(id) + [reason, 0]))
        events.append(.outgoingEnded(id, reason: reason, byPeer: false))
        outgoing[id] = nil
    }

    mutating func receiveDone(_ reader: inout ModelReader) throws(ModelFault) {
        let id = try reader.varint()
        try reader.fieldsAndEnd()
        guard let file = try ownFile(id) else { return }
        guard file.state == .sent else { throw .unexpectedFrame }
        events.append(.fileDelivered(id))
        outgoing[id] = nil
    }

    /// What the link asks for: bytes of a file that is under way, from where they end.
    mutating func want(_ id: UInt64, offset: UInt64, maximum: Int) throws(OracleFailure) {
        guard var file = outgoing[id], file.state == .sending else {
            throw OracleFailure("file \(id) wants bytes, and is not under way")
        }
        try require(file.wanted == nil, "file \(id) wants bytes twice")
        try requireEqual(offset, file.supplied, "where file \(id) continues")
        try require(maximum > 0 && UInt64(maximum) <= file.offer.size - offset, "file \(id) wants \(maximum) bytes")
        file.wanted = maximum
        outgoing[id] = file
    }
}
