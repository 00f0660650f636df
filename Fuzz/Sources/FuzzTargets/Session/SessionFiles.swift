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
        let isAllowed =
            isSending(side) && peer.memory.outgoing.last?.isActive != true && (1...255).contains(name.utf8.count)
            && size <= 9_007_199_254_740_991
        var id: FileID?
        try request(side, "offerFile", isTimed: false, isAllowed: isAllowed) {
            id = try $0.offerFile(name: name, size: size, at: peers[side].toldTime)
        }
        guard let id else { return }
        try requireEqual(id.rawValue, number(peer.memory.outgoing.count, of: side), "the number of a file")
        peer.memory.outgoing.append(SessionFile(id: id, name: name, size: size))
    }

    func supply(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let (index, file) = pick(peers[side].memory.outgoing, second) else { return }
        let count = first == 0 ? min(file.wanted, max(budget, 0)) : first == 0xFF ? file.wanted + 1 : Int(first)
        guard count <= max(budget, 300) else { return }
        let isCurrent = file.state == .moving && file.wanted > 0 && index == peers[side].memory.outgoing.count - 1
        let isAllowed = isSending(side) && isCurrent && count > 0 && count <= file.wanted
        let chunk = SessionFile.content(of: side, file: file.id.rawValue, from: file.count, count: count)
        let isTaken = try request(side, "supply", isTimed: false, isAllowed: isAllowed) {
            try $0.supply(chunk, to: file.id, at: peers[side].toldTime)
        }
        guard isTaken else { return }
        peers[side].memory.outgoing[index].count += UInt64(count)
        peers[side].memory.outgoing[index].wanted = 0
        budget -= count
    }

    func cancelFile(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let (_, file) = pick(peers[side].memory.outgoing, second) else { return }
        let reason = FileCancel.Reason.allCases[Int(first) % 6]
        let isAllowed = isSending(side) && file.isActive
        try request(side, "cancelFile", isTimed: false, isAllowed: isAllowed) {
            try $0.cancelFile(file.id, reason: reason, at: peers[side].toldTime)
        }
    }

    func take(_ event: OutgoingFileEvent, of side: Int) throws {
        record.add(0x18)
        guard let file = peers[side].memory.outgoing.last else { throw OracleFailure("a file that nobody offered") }
        let index = peers[side].memory.outgoing.count - 1
        let remote = peers[1 - side].memory.incoming.first { $0.id.rawValue == file.id.rawValue }
        try require(file.isActive, "\(event) of a file that has ended")
        switch event {
        case .accepted(let id):
            try requireEqual(id, file.id, "the accepted file")
            try require(file.state == .offered && remote != nil && remote?.state != .offered, "accepted by nobody")
            peers[side].memory.outgoing[index].state = .moving
        case .wanted(let id, let offset, let maximum):
            try requireEqual(id, file.id, "the wanted file")
            try requireEqual(offset, file.count, "where to go on")
            try requireEqual(UInt64(maximum), min(65_280, file.size - file.count), "how much to supply")
            try require(file.state == .moving && file.wanted == 0 && maximum > 0, "wanted again")
            peers[side].memory.outgoing[index].wanted = maximum
        case .delivered(let id, _):
            try requireEqual(id, file.id, "the delivered file")
            try require(file.count == file.size && remote?.state == .done, "delivered, and not confirmed")
            peers[side].memory.outgoing[index].state = .done
        case .ended(let id, let reason, let byPeer):
            try requireEqual(id, file.id, "the ended file")
            if byPeer { try requireEqual(remote?.state, .ended(reason, byPeer: false), "a file that the peer ended") }
            peers[side].memory.outgoing[index].state = .ended(reason, byPeer: byPeer)
        @unknown default: throw OracleFailure("a file event that the model does not know: \(event)")
        }
    }

    /// SPEC §15.3: the lesser key's files have even numbers.
    private func number(_ index: Int, of side: Int) -> UInt64 {
        UInt64(index) * 2 + (setting.key(side) < setting.key(1 - side) ? 0 : 1)
    }

    // MARK: The receiver's app

    func answerFile(_ side: Int, _ action: SessionAction, _ first: UInt8, _ second: UInt8) throws {
        guard let (index, file) = pick(peers[side].memory.incoming, second) else { return }
        let reason = FileCancel.Reason.allCases[Int(first) % 6]
        switch action {
        case .acceptFile:
            let isAllowed = isSending(side) && file.state == .offered
            let isTaken = try request(side, "acceptFile", isTimed: false, isAllowed: isAllowed) {
                try $0.acceptFile(file.id, at: peers[side].toldTime)
            }
            if isTaken { peers[side].memory.incoming[index].state = .moving }
        case .confirmFile:
            let isAllowed = isSending(side) && file.state == .whole
            let isTaken = try request(side, "confirmFile", isTimed: false, isAllowed: isAllowed) {
                try $0.confirmFile(file.id, at: peers[side].toldTime)
            }
            if isTaken { peers[side].memory.incoming[index].state = .done }
        default:
            try request(side, "refuseFile", isTimed: false, isAllowed: isSending(side) && file.isActive) {
                try $0.refuseFile(file.id, reason: reason, at: peers[side].toldTime)
            }
        }
    }

    func take(_ event: IncomingFileEvent, of side: Int) throws {
        record.add(0x19)
        let remote = peers[1 - side].memory.outgoing
        if case .offered(let offer) = event {
            let (id, name, localName, size) = (offer.file, offer.name, offer.localName, offer.size)
            try requireEqual(
                id.rawValue, number(peers[side].memory.incoming.count, of: 1 - side), "the number of an offer")
            guard id.rawValue / 2 < remote.count else { throw OracleFailure("an offer that nobody made") }
            let sent = remote[Int(id.rawValue / 2)]
            try require(name == sent.name && size == sent.size, "an offer of \(name), \(size)")
            try SessionFileNames.check(localName)
            try require(peers[side].memory.incoming.last?.isActive != true, "two files under way")
            return peers[side].memory.incoming.append(SessionFile(id: id, name: name, size: size))
        }
        guard let file = peers[side].memory.incoming.last else { throw OracleFailure("\(event) without an offer") }
        let index = peers[side].memory.incoming.count - 1
        let sent = remote[index]
        try require(file.isActive, "\(event) of a file that has ended")
        switch event {
        case .offered: break
        case .data(let id, let bytes):
            record.add(bytes.span)
            try requireEqual(id, file.id, "the file of data")
            let end = file.count + UInt64(bytes.count)
            try require(file.state == .moving && end <= sent.count, "data that was not supplied")
            let expected = SessionFile.content(
                of: 1 - side, file: id.rawValue, from: file.count, count: bytes.count)
            try require(bytes == expected, "other bytes than were supplied, from \(file.count) on")
            peers[side].memory.incoming[index].count = end
        case .complete(let id, _):
            try requireEqual(id, file.id, "the complete file")
            try require(file.state == .moving && file.count == file.size, "complete, and not whole")
            peers[side].memory.incoming[index].state = .whole
        case .ended(let id, let reason, let byPeer):
            try requireEqual(id, file.id, "the ended file")
            if byPeer { try requireEqual(sent.state, .ended(reason, byPeer: false), "a file that its sender ended") }
            peers[side].memory.incoming[index].state = .ended(reason, byPeer: byPeer)
        @unknown default: throw OracleFailure("a file event that the model does not know: \(event)")
        }
    }

    /// Mostly the last file; else an older one.
    private func pick(_ files: [SessionFile], _ byte: UInt8) -> (Int, SessionFile)? {
        guard !files.isEmpty else { return nil }
        let index = byte < 0xE0 ? files.count - 1 : Int(byte) % files.count
        return (index, files[index])
    }
}

/// Names and sizes that apps offer.
enum SessionFileNames {
    static let sizes: [UInt64] = [0, 1, 17, 300, 65_280, 65_281, 70_000, 1 << 53 - 1, 1 << 53, 4_000]
    static let all = [
        "a.txt", "../../etc/passwd", "con.", "a\u{202E}b", "x\u{0}y", String(repeating: "é", count: 127), "..", " .",
        "", String(repeating: "n", count: 256), "C:\\aux", "/",
    ]

    /// What no local name may be (SPEC §15.5), whatever the peer's name was.
    static func check(_ name: String) throws(OracleFailure) {
        try require((1...200).contains(name.utf8.count), "a local name of \(name.utf8.count) bytes")
        try require(name != "." && name != "..", "a local name that is a folder")
        for scalar in name.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isHiding = (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            try require(
                !isControl && !isHiding && !"/\\:*?\"<>|".unicodeScalars.contains(scalar), "a name with \(scalar)")
        }
    }
}
