import FuzzSupport
import MultipeerCore
import MultipeerWire

/// Files, as SPEC §15.3 says, between two models that share nothing but the bytes.
extension SessionWorld {
    // MARK: The sender's app

    func offerFile(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        let peer = peers[side]
        let name = SessionFileNames.all[Int(first) % SessionFileNames.all.count]
        let size = SessionFileNames.sizes[Int(second) % SessionFileNames.sizes.count]
        let tag = [UInt8](repeating: second >> 7, count: 16)
        let isPossible =
            isSending(side) && (1...255).contains(name.utf8.count) && size <= 9_007_199_254_740_991
        // How many may be under way is the peer's business; 32 may in any case (SPEC §13.3).
        var id: FileID?
        let offer = OutgoingOffer(name: name, size: size, tag: tag)
        if isPossible, peer.memory.outgoing.count >= 32 {
            id = try? peer.link.offerFile(offer, at: peer.toldTime)
        } else {
            try request(side, "offerFile", isTimed: false, isAllowed: isPossible) {
                id = try $0.offerFile(offer, at: peers[side].toldTime)
            }
        }
        guard let id else { return }
        try requireEqual(id.rawValue, number(peer.memory.begun, of: side), "the number of a file")
        peer.memory.begun += 1
        peer.memory.outgoing[id.rawValue] = SessionFile(id: id, name: name, size: size, hasTag: second >> 7 == 1)
    }

    func supply(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let file = pick(peers[side].memory.outgoing, second) else { return }
        let count = first == 0 ? min(file.wanted, max(budget, 0)) : first == 0xFF ? file.wanted + 1 : Int(first)
        guard count <= max(budget, 300) else { return }
        try supply(side, count, file.id.rawValue)
    }

    func supply(_ side: Int, _ count: Int, _ id: UInt64) throws {
        guard let file = peers[side].memory.outgoing[id], count <= max(budget, 300) else { return }
        let isAllowed =
            peers[side].isOpen && file.state == .moving && file.wanted > 0 && count > 0 && count <= file.wanted
        let chunk = SessionFile.content(of: side, file: id, from: file.count, count: count)
        let isTaken = try request(side, "supply", isTimed: false, isAllowed: isAllowed) {
            try $0.supply(chunk, to: file.id, at: peers[side].toldTime)
        }
        guard isTaken else { return }
        peers[side].memory.outgoing[id]?.count += UInt64(count)
        peers[side].memory.outgoing[id]?.wanted = 0
        budget -= count
    }

    /// The hash of the own beginning, right or wrong (R15.3-10).
    func submitBeginning(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let file = pick(peers[side].memory.outgoing, second) else { return }
        try submitBeginning(side, first, file.id.rawValue)
    }

    func submitBeginning(_ side: Int, _ first: UInt8, _ id: UInt64) throws {
        guard let file = peers[side].memory.outgoing[id], case .checking(let length) = file.state, length <= 100_000
        else { return }
        var bytes = SessionFile.content(of: side, file: id, from: 0, count: Int(length))
        if first >= 0xF0 { bytes[0] ^= 1 }
        let beginning = try AssociationDigests.beginning(bytes)
        try request(side, "submitBeginning", isTimed: false, isAllowed: peers[side].isOpen) {
            try $0.submitBeginning(beginning, of: file.id, at: peers[side].toldTime)
        }
    }

    func cancelFile(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let file = pick(peers[side].memory.outgoing, second) else { return }
        let reason = FileCancel.Reason.allCases[Int(first) % 6]
        let isAllowed = peers[side].isOpen && file.isActive
        try request(side, "cancelFile", isTimed: false, isAllowed: isAllowed) {
            try $0.cancelFile(file.id, reason: reason, at: peers[side].toldTime)
        }
    }

    func take(_ event: OutgoingFileEvent, of side: Int) throws {
        record.add(0x18)
        let id = event.file.rawValue
        guard let file = peers[side].memory.outgoing[id] else { throw OracleFailure("a file that nobody offered") }
        let remote = peers[1 - side].memory.incoming[id]
        try require(file.isActive, "\(event) of a file that has ended")
        switch event {
        case .beginningWanted(_, let length):
            try require(file.state == .offered && file.hasTag && length > 0, "a beginning that nobody holds")
            try requireEqual(remote?.start, length, "the beginning that the remote peer holds")
            peers[side].memory.outgoing[id]?.state = .checking(length)
        case .accepted:
            var start: UInt64 = 0
            if case .checking(let length) = file.state { start = length }
            try require(file.state == .checking(start) || file.state == .offered, "accepted twice")
            try require(remote != nil && remote?.state != .offered && remote?.start == start, "accepted by nobody")
            peers[side].memory.outgoing[id]?.state = .moving
            peers[side].memory.outgoing[id]?.count = start
        case .wanted(_, let offset, let maximum):
            try requireEqual(offset, file.count, "where to continue")
            try requireEqual(UInt64(maximum), min(65_280, file.size - file.count), "how much to supply")
            try require(file.state == .moving && file.wanted == 0 && maximum > 0, "wanted again")
            peers[side].memory.outgoing[id]?.wanted = maximum
        case .renamed, .kept: throw OracleFailure("what no side of these has said: \(event)")
        case .delivered:
            try require(file.count == file.size && remote?.state == .done, "delivered, and not confirmed")
            peers[side].memory.outgoing[id]?.state = .done
        case .ended(_, let reason, let byPeer):
            if byPeer { try requireEqual(remote?.state, .ended(reason, byPeer: false), "a file that the peer ended") }
            peers[side].memory.outgoing[id]?.state = .ended(reason, byPeer: byPeer)
        @unknown default: throw OracleFailure("a file event that the model does not know: \(event)")
        }
    }

    /// SPEC §13.2: the lesser key's streams and files have even numbers.
    func number(_ index: UInt64, of side: Int) -> UInt64 {
        index * 2 + (setting.key(side) < setting.key(1 - side) ? 0 : 1)
    }

    // MARK: The receiver's app

    func answerFile(_ side: Int, _ action: SessionAction, _ first: UInt8, _ second: UInt8) throws {
        guard let file = pick(peers[side].memory.incoming, second) else { return }
        switch action {
        case .acceptFile: try accept(side, file.id.rawValue, holding: first < 0x80 ? 0 : UInt64(first & 0x7F))
        case .confirmFile: try confirm(side, file.id.rawValue)
        default:
            let reason = FileCancel.Reason.allCases[Int(first) % 6]
            try request(side, "refuseFile", isTimed: false, isAllowed: peers[side].isOpen && file.isActive) {
                try $0.refuseFile(file.id, reason: reason, at: peers[side].toldTime)
            }
        }
    }

    /// Accepts, with `length` bytes of it held already; wrong ones, where it is more than 100.
    func accept(_ side: Int, _ id: UInt64, holding length: UInt64) throws {
        guard let file = peers[side].memory.incoming[id] else { return }
        let length = min(length, file.size)
        var bytes = SessionFile.content(of: 1 - side, file: id, from: 0, count: Int(length))
        if length > 100 { bytes[0] ^= 1 }
        let held = length == 0 ? nil : try AssociationDigests.beginning(bytes)
        let isAllowed = isSending(side) && file.state == .offered
        let isTaken = try request(side, "acceptFile", isTimed: false, isAllowed: isAllowed) {
            try $0.acceptFile(file.id, holding: held, at: peers[side].toldTime)
        }
        guard isTaken else { return }
        peers[side].memory.incoming[id]?.state = .moving
        peers[side].memory.incoming[id]?.start = length
        peers[side].memory.incoming[id]?.count = length
        peers[side].memory.incoming[id]?.taken = length
    }

    func confirm(_ side: Int, _ id: UInt64) throws {
        guard let file = peers[side].memory.incoming[id] else { return }
        let isAllowed = peers[side].isOpen && file.state == .whole
        let isTaken = try request(side, "confirmFile", isTimed: false, isAllowed: isAllowed) {
            try $0.confirmFile(file.id, at: peers[side].toldTime)
        }
        if isTaken { peers[side].memory.incoming[id]?.state = .done }
    }

    /// The app takes bytes, and the end where it came.
    func takeFile(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let file = pick(peers[side].memory.incoming, second) else { return }
        try takeFile(side, first < 0x80 ? Int(first) : .max, file.id.rawValue)
    }

    func takeFile(_ side: Int, _ count: Int, _ id: UInt64) throws {
        guard let file = peers[side].memory.incoming[id] else { return }
        let taken = min(UInt64(count), file.count - file.taken)
        peers[side].link.releaseCredit(Int(taken), of: file.id, at: now)
        peers[side].toldTime = now
        peers[side].memory.incoming[id]?.taken += taken
        if !file.isActive { peers[side].link.tookEnd(of: file.id, at: now) }
    }

    func take(_ event: IncomingFileEvent, of side: Int) throws {
        record.add(0x19)
        let remote = peers[1 - side].memory.outgoing
        if case .offered(let offer) = event {
            let (id, name, size) = (offer.file, offer.name, offer.size)
            guard let sent = remote[id.rawValue] else { throw OracleFailure("an offer that nobody made") }
            try require(name == sent.name && size == sent.size, "an offer of \(name), \(size)")
            try SessionFileNames.check(offer.localName)
            try require(peers[side].memory.incoming[id.rawValue] == nil, "an offer that comes twice")
            let hasTag = offer.tag.contains { $0 != 0 }
            try requireEqual(hasTag, sent.hasTag, "whether an offer has a tag")
            peers[side].memory.incoming[id.rawValue] = SessionFile(id: id, name: name, size: size, hasTag: hasTag)
            return
        }
        let id = event.file.rawValue
        guard let file = peers[side].memory.incoming[id], let sent = remote[id] else {
            throw OracleFailure("\(event) without an offer")
        }
        try require(file.isActive, "\(event) of a file that has ended")
        switch event {
        case .offered: break
        case .data(_, let bytes):
            record.add(bytes.span)
            let end = file.count + UInt64(bytes.count)
            try require(file.state == .moving && end <= sent.count, "data that was not supplied")
            let expected = SessionFile.content(of: 1 - side, file: id, from: file.count, count: bytes.count)
            try require(bytes == expected, "other bytes than were supplied, from \(file.count) on")
            peers[side].memory.incoming[id]?.count = end
        case .complete:
            try require(file.state == .moving && file.count == file.size, "complete, and not whole")
            peers[side].memory.incoming[id]?.state = .whole
        case .ended(_, let reason, let byPeer):
            if byPeer { try requireEqual(sent.state, .ended(reason, byPeer: false), "a file that its sender ended") }
            peers[side].memory.incoming[id]?.state = .ended(reason, byPeer: byPeer)
        @unknown default: throw OracleFailure("a file event that the model does not know: \(event)")
        }
    }

    /// Mostly the last file; else an older one.
    private func pick(_ files: [UInt64: SessionFile], _ byte: UInt8) -> SessionFile? {
        let ids = files.keys.sorted()
        guard let last = ids.last else { return nil }
        return files[byte < 0xC0 ? last : ids[Int(byte) % ids.count]]
    }
}

extension OutgoingFileEvent {
    /// The file that it is about.
    fileprivate var file: FileID {
        switch self {
        case .beginningWanted(let file, _), .wanted(let file, _, _), .delivered(let file, _), .ended(let file, _, _):
            file
        case .accepted(let file), .renamed(let file, _), .kept(let file): file
        @unknown default: fatalError("a file event that the model does not know")
        }
    }
}

extension IncomingFileEvent {
    /// The file that it is about.
    fileprivate var file: FileID {
        switch self {
        case .offered(let offer): offer.file
        case .data(let file, _), .complete(let file, _), .ended(let file, _, _): file
        @unknown default: fatalError("a file event that the model does not know")
        }
    }
}
