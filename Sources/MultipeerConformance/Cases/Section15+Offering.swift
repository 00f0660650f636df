import MultipeerScriptedPeer
import MultipeerWire

/// A peer that offers a file, the same on each link (SPEC §15.3, §15.7).
extension Section15 {
    private static func offered(
        _ id: String, _ title: String, _ requirements: String, expects expectation: String,
        _ script: @escaping @Sendable (Play, AssociationLedger.PeersFile) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(id, title, requirements, expects: expectation, isForOffering: true, patienceFactor: 2) {
            (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let file = try play.awaitOffer()
            return try script(play, file)
        }
    }

    /// Sends frames for the peer's file in one record, and expects CLOSE with a code.
    private static func faulty(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode,
        _ frames: @escaping @Sendable (FileOffer) -> [UInt8]
    ) -> ConformanceCase {
        offered(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream"
        ) { (play, file) throws(Interruption) -> Evidence in
            try play.peer.send(frames(file.offer))
            return try play.expectClose(code)
        }
    }

    /// Sends FILE_CANCEL in one record with other frames, and expects the peer's with this reason.
    private static func cancelled(
        _ id: String, _ title: String, reason: UInt8, answer: FileCancel.Reason,
        _ frames: @escaping @Sendable (FileOffer) -> [UInt8] = { _ in [] }
    ) -> ConformanceCase {
        offered(
            id, title, "R15.3-7",
            expects: "FILE_CANCEL with reason \(answer.rawValue), and nothing of the file behind it"
        ) { (play, file) throws(Interruption) -> Evidence in
            try play.peer.send(frames(file.offer) + WireBytes.fileCancel(file.offer.id, reason: reason))
            try play.wait(for: "FILE_CANCEL") { $0.peersFiles[file.offer.id]?.cancelReason != nil }
            guard play.ledger.peersFiles[file.offer.id]?.cancelReason == answer else {
                throw .failed("FILE_CANCEL came with another reason")
            }
            try play.roundTrip()
            return Evidence("FILE_CANCEL").and(try play.expectAlive())
        }
    }

    static let offering: [ConformanceCase] = [
        offered(
            "15.3-sent", "The peer's file, taken in small steps", "R15.3-3 R15.3-4 R13.3-1",
            expects: "all of it, no more at a time than was granted, and the right hash"
        ) { (play, file) throws(Interruption) -> Evidence in
            let content = try play.takeFile(file.offer, step: max(file.offer.size / 5, 1))
            return Evidence("\(content.count) bytes").and(try play.expectAlive())
        },
        offered(
            "15.7-offset", "The peer's file on a second link, of which the tester holds a half", "R15.3-10 R15.7-1",
            expects: "the other half, if the file has a tag; FILE_CANCEL with reason 7 if it has none"
        ) { (play, file) throws(Interruption) -> Evidence in
            let content = try play.takeFile(file.offer, step: file.offer.size)
            let identity = play.peer.identity
            _ = try play.expectAlive()
            try play.reconnect()
            play.peer.identity = identity
            try play.reach(.open)
            let again = try play.awaitOffer().offer
            guard again.size == file.offer.size, again.tag == file.offer.tag else {
                throw .skipped("the peer offers another file each time")
            }
            let half = Array(content.prefix(content.count / 2))
            try play.peer.send(
                WireBytes.fileAccept(
                    again.id, offset: UInt64(half.count), digest: play.cryptography.sha256(half), credit: again.size))
            try play.wait(for: "FILE_END") { ledger in
                ledger.peersFiles[again.id].map { $0.digest != nil || $0.cancelReason != nil } ?? true
            }
            let hasTag = again.tag != FileOffer.noTag
            guard let came = play.ledger.peersFiles[again.id], (came.digest != nil) == hasTag,
                hasTag || came.cancelReason == .beginningDiffers
            else {
                throw .failed(hasTag ? "FILE_CANCEL came in place of the rest" : "the file has no tag, and continues")
            }
            if hasTag {
                guard half + came.content == content, came.digest == play.cryptography.sha256(content) else {
                    throw .failed("the rest, or the hash of all of it, is wrong")
                }
                try play.peer.send(WireBytes.fileDone(again.id))
            }
            return Evidence(hasTag ? "the rest" : "FILE_CANCEL beginning_differs").and(try play.expectAlive())
        },
        offered(
            "15.3-wrong-beginning", "FILE_ACCEPT with a hash that is not that of the beginning", "R15.3-10",
            expects: "FILE_CANCEL with reason 7, and no data"
        ) { (play, file) throws(Interruption) -> Evidence in
            let id = file.offer.id
            try play.peer.send(
                WireBytes.fileAccept(id, offset: 1, digest: [UInt8](repeating: 9, count: 32), credit: 1 << 20))
            try play.wait(for: "FILE_CANCEL") { ledger in
                ledger.peersFiles[id].map { !$0.content.isEmpty || $0.digest != nil || $0.cancelReason != nil } ?? true
            }
            guard let came = play.ledger.peersFiles[id], came.content.isEmpty, came.cancelReason == .beginningDiffers
            else { throw .failed("data, or FILE_CANCEL of another reason, came in place of FILE_CANCEL with reason 7") }
            return Evidence("FILE_CANCEL beginning_differs").and(try play.expectAlive())
        },
        cancelled("15.3-refused", "The tester declines the peer's file", reason: 1, answer: .declined),
        cancelled("15.3-refused-unknown", "FILE_CANCEL with an unknown reason", reason: 99, answer: .cancelled),
        cancelled(
            "15.3-refused-late", "The tester accepts a byte of the peer's file, and cancels", reason: 3,
            answer: .storageFailed
        ) { WireBytes.fileAccept($0.id, credit: 1) },
        faulty("15.3-accept-twice", "FILE_ACCEPT twice", "R15.3-6", .unexpectedFrame) { offer in
            let accept = WireBytes.fileAccept(offer.id, credit: 0)
            return accept + accept
        },
        faulty("15.3-done-early", "FILE_DONE before FILE_END", "R15.3-6", .unexpectedFrame) { offer in
            WireBytes.fileAccept(offer.id, credit: 0) + WireBytes.fileDone(offer.id)
        },
        faulty("15.3-accept-beyond", "FILE_ACCEPT with an offset beyond the size", "R15.3-9", .malformed) { offer in
            WireBytes.fileAccept(offer.id, offset: offer.size + 1, credit: 1)
        },
        faulty("15.3-accept-overflow", "FILE_ACCEPT whose offset and credit are 2^62", "R15.3-9", .malformed) { offer in
            WireBytes.fileAccept(offer.id, offset: 1, credit: 1 << 62 - 1)
        },
        faulty("13.4-file-early", "CREDIT for the peer's file before FILE_ACCEPT", "R13.4-3", .unexpectedFrame) {
            offer in
            WireBytes.credit(.file, id: offer.id, limit: 9)
        },
        faulty("13.4-file-equal", "CREDIT that does not raise the limit of the peer's file", "R13.4-2", .malformed) {
            offer in
            WireBytes.fileAccept(offer.id, credit: 1) + WireBytes.credit(.file, id: offer.id, limit: 1)
        },
        faulty("13.4-stream-for-offer", "CREDIT of a stream that names the peer's file", "R13.4-3", .unexpectedFrame) {
            WireBytes.credit(.stream, id: $0.id, limit: 9)
        },
        faulty("15.3-end-of-offer", "FILE_END of a file that the peer offers", "R15.3-12", .unexpectedFrame) {
            WireBytes.fileEnd($0.id, digest: FileAccept.digestOfNothing)
        },
    ]
}

extension Play {
    /// Waits for the file that the peer offers.
    func awaitOffer() throws(Interruption) -> AssociationLedger.PeersFile {
        try wait(for: "FILE_OFFER") { !$0.peersFiles.isEmpty }
        guard let file = ledger.peersFiles.values.first, file.offer.size > 1 else {
            throw .inconclusive("the peer's file has less than two bytes")
        }
        return file
    }

    /// Takes the peer's file, `step` bytes at a time, and returns its content. Its hash must be right.
    func takeFile(_ offer: FileOffer, step: UInt64) throws(Interruption) -> [UInt8] {
        var limit = min(step, offer.size)
        try peer.send(WireBytes.fileAccept(offer.id, credit: limit))
        while true {
            try wait(for: "FILE_DATA") { ledger in
                ledger.peersFiles[offer.id].map { $0.allowance.used >= limit || $0.cancelReason != nil } ?? true
            }
            guard limit < offer.size, ledger.peersFiles[offer.id]?.cancelReason == nil else { break }
            // A peer that sends more than was granted does so before it answers this.
            try roundTrip()
            limit = min(limit + step, offer.size)
            try peer.send(WireBytes.credit(.file, id: offer.id, limit: limit))
        }
        try wait(for: "FILE_END") { ledger in
            ledger.peersFiles[offer.id].map { $0.digest != nil || $0.cancelReason != nil } ?? true
        }
        guard let file = ledger.peersFiles[offer.id], let digest = file.digest else {
            throw .failed("FILE_CANCEL came in place of FILE_END")
        }
        guard digest == cryptography.sha256(file.content) else { throw .failed("the hash of FILE_END is wrong") }
        try peer.send(WireBytes.fileDone(offer.id))
        return file.content
    }
}
