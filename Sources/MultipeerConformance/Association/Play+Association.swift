import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// What cases do on an open link. What the peer has granted is in the ledger.
extension Play {
    // MARK: Numbers

    /// The number of the tester's stream or file with this index: 0, 1, 2 … in the order in which it begins them
    /// (SPEC §13.2).
    func number(_ index: UInt64) -> UInt64 {
        let own = peer.identity.identityKey.rawBytes
        return 2 * index + (own.lexicographicallyPrecedes(peer.script.peerKey ?? []) ? 0 : 1)
    }

    /// The same for the peer.
    func peersNumber(_ index: UInt64) -> UInt64 { number(index) ^ 1 }

    var ledger: AssociationLedger { peer.behavior.ledger }

    // MARK: Sending

    /// Whether payload travels encrypted, and so in the records of control frames.
    func needsEncryption() throws(Interruption) {
        guard peer.behavior.outcome == .encrypted else { throw .skipped("the peer's payload is readable") }
    }

    /// Sends payload frames in the kind of record that the link asks for.
    func sendPayload(_ frames: [UInt8]) throws(Interruption) {
        try peer.send(frames, as: peer.behavior.outcome == .readable ? .authenticated : .encrypted)
    }

    /// Sends frames in as few records as the link allows, and in one write. It is one record if payload is encrypted.
    func send(mixed frames: [[UInt8]]) throws(Interruption) {
        var records: [(frames: [UInt8], kind: RecordKind)] = []
        for frame in frames {
            let isReadable = peer.behavior.outcome == .readable && Self.isPayload(frame)
            let kind: RecordKind = isReadable ? .authenticated : .encrypted
            if records.last?.kind == kind {
                records[records.count - 1].frames += frame
            } else {
                records.append((frame, kind))
            }
        }
        try peer.send(records)
    }

    private static func isPayload(_ frame: [UInt8]) -> Bool {
        var reader = Reader(frame.span)
        guard let type = try? reader.varint(.frameType) else { return false }
        return FrameType(rawValue: type)?.isPayload ?? false
    }

    /// How many bytes of payload a record of the tester's holds.
    private static let piece: UInt64 = 60_000

    /// Sends a message as the peer's credit allows (R15.1-5).
    func sendMessage(_ bytes: [UInt8]) throws(Interruption) {
        try wait(for: "CREDIT for a message") { $0.messages.room >= 64 + UInt64(min(bytes.count, 1)) }
        let first = Int(min(Self.piece, ledger.messages.room - 64, UInt64(bytes.count)))
        try sendPayload(WireBytes.message(Array(bytes.prefix(first)), total: UInt64(bytes.count)))
        var sent = first
        while sent < bytes.count {
            try wait(for: "CREDIT for the rest of a message") { $0.messages.room > 0 }
            let count = Int(min(Self.piece, ledger.messages.room, UInt64(bytes.count - sent)))
            try sendPayload(WireBytes.part(Array(bytes[sent..<sent + count])))
            sent += count
        }
    }

    /// Sends `count` bytes of a stream as far as the peer's credit allows, or until the peer wants no more of them.
    func write(_ count: UInt64, to id: UInt64) throws(Interruption) {
        var left = count
        while left > 0 {
            try wait(for: "CREDIT for a stream") { ledger in
                ledger.streams[id].map { $0.hasEnded || $0.own.room > 0 } ?? true
            }
            guard let stream = ledger.streams[id], !stream.hasEnded else { return }
            let count = min(Self.piece, stream.own.room, left)
            try sendPayload(WireBytes.streamData(id, [UInt8](repeating: 0x73, count: Int(count))))
            left -= count
        }
    }

    /// Ends the tester's direction, unless the peer has stopped it.
    func finish(_ id: UInt64) throws(Interruption) {
        guard let stream = ledger.streams[id], !stream.hasEnded else { return }
        try peer.send(WireBytes.streamEnd(id, size: stream.own.used))
    }

    /// Opens a stream as soon as the peer takes one more.
    func openStream(_ index: UInt64, credit: UInt64 = 0, name: String = "scripted") throws(Interruption) {
        try wait(for: "CREDIT for openings") { $0.openings.room > 0 }
        try peer.send(WireBytes.streamOpen(number(index), credit: credit, name: Array(name.utf8)))
    }

    // MARK: Files

    /// Offers a file on an open link, as soon as the peer takes one more, and has it accepted.
    func offerFile(
        _ index: UInt64, size: UInt64, tag: [UInt8] = FileOffer.noTag, type: UInt8 = 0, manifest: UInt64 = 0
    ) throws(Interruption) {
        try reach(.open)
        try wait(for: "CREDIT for offers") { $0.offers.room > 0 }
        let id = number(index)
        try peer.send(WireBytes.fileOffer(id, size: size, tag: tag, type: type, manifest: manifest))
        try wait(for: "FILE_ACCEPT") { $0.files[id]?.isAnswered ?? false }
        if ledger.files[id]?.accept == nil { throw .skipped("the peer takes no files, or none of this kind") }
    }

    /// Sends what lacks of an accepted file up to `end`, as the peer's credit allows, or until the peer cancels it.
    func sendFile(_ index: UInt64, _ content: [UInt8], upTo end: Int? = nil) throws(Interruption) {
        let (id, end) = (number(index), UInt64(end ?? content.count))
        while let file = ledger.files[id], !file.isCancelled, file.allowance.used < end {
            try wait(for: "CREDIT for a file") { ledger in
                ledger.files[id].map { $0.isCancelled || $0.allowance.room > 0 } ?? true
            }
            guard let file = ledger.files[id], !file.isCancelled else { return }
            let start = file.allowance.used
            let count = min(Self.piece, file.allowance.room, end - start)
            try sendPayload(
                WireBytes.fileData(id, offset: start, Array(content[Int(start)..<Int(start + count)])))
        }
    }

    /// Sends all that lacks of an accepted file, and expects FILE_DONE.
    func completeFile(_ index: UInt64, _ content: [UInt8]) throws(Interruption) -> Evidence {
        try sendFile(index, content)
        let id = number(index)
        try peer.send(WireBytes.fileEnd(id, digest: cryptography.sha256(content)))
        try waitForEnd(of: id, by: "FILE_DONE")
        guard let file = ledger.files[id], file.isDone else {
            throw .failed("FILE_CANCEL came in place of FILE_DONE")
        }
        return Evidence("FILE_DONE")
    }

    // MARK: Waiting

    /// Waits for FILE_DONE or FILE_CANCEL of a file. `name` is the one that is expected.
    func waitForEnd(of id: UInt64, by name: String) throws(Interruption) {
        try wait(for: name) { ledger in
            ledger.files[id].map { $0.isDone || $0.cancelReason != nil } ?? true
        }
    }

    /// Reads on until what the peer has sent says so.
    func wait(for what: String, until isThere: (AssociationLedger) -> Bool) throws(Interruption) {
        while !isThere(ledger) {
            switch try peer.next(awaiting: what) {
            case .frame(let frame) where frame.known == .close:
                throw .unexpected("\(frame.text) came in place of \(what)")
            case .frame: continue
            case .end: throw .unexpected("the stream ended in place of \(what)")
            case .hello, .refusal: throw .unexpected("a clear record came in place of \(what)")
            }
        }
    }

    /// Sends PING and waits for its PONG, so that the peer has judged all that went before (SPEC §6.3).
    func roundTrip() throws(Interruption) {
        let data = [UInt8](repeating: UInt8(truncatingIfNeeded: ledger.pongs.count + 1), count: Ping.dataLength)
        try peer.send(WireBytes.ping(data))
        try wait(for: "PONG") { $0.pongs.contains(data) }
    }

    /// What the peer's PEER_INFO says.
    func peerMaximumMessage() throws(Interruption) -> UInt64 {
        guard let maximum = peer.behavior.maximumMessage else { throw .inconclusive("there is no PEER_INFO") }
        return maximum
    }
}
