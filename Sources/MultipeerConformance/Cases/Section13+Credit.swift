import MultipeerScriptedPeer
import MultipeerWire

/// Credit (SPEC §13.3 – §13.5).
extension Section13 {
    // MARK: Overdrafts

    private static func openings(_ count: UInt64, _ play: Play) -> [[UInt8]] {
        (0..<count).map { WireBytes.streamOpen(play.number($0)) }
    }

    private static func offers(_ count: UInt64, _ play: Play) -> [[UInt8]] {
        (0..<count).map { WireBytes.fileOffer(play.number($0), size: 1) }
    }

    /// A stream and its first bytes, in two frames.
    private static func stream(_ count: Int, _ play: Play) throws(Interruption) -> [[UInt8]] {
        // In another record the peer may have granted more by then.
        try play.needsEncryption()
        return [
            WireBytes.streamOpen(play.number(0)),
            WireBytes.streamData(play.number(0), [UInt8](repeating: 1, count: 32_000)),
            WireBytes.streamData(play.number(0), [UInt8](repeating: 2, count: count - 32_000)),
        ]
    }

    private static func emptyMessages(_ count: Int) -> [[UInt8]] {
        [[UInt8]](repeating: WireBytes.message([]), count: count)
    }

    static let overdrafts: [ConformanceCase] = [
        fine("13.3-messages-exactly", "4,096 messages of no bytes in one record: all the credit there is", "R13.3-1") {
            _ in
            emptyMessages(4_096)
        },
        faulty("13.3-messages-overdraft", "4,097 messages of no bytes in one record", "R13.3-1", .creditExceeded) { _ in
            emptyMessages(4_097)
        },
        faulty(
            "13.3-message-fields-first", "4,097 messages, of which the last has more data than its total",
            "R15.1-1 R18-1", .malformed
        ) { _ in emptyMessages(4_096) + [WireBytes.message([1, 2], total: 1)] },
        fine("13.3-openings-exactly", "32 streams opened in one record", "R13.3-1") { play in openings(32, play) },
        fine("13.3-offers-exactly", "32 files offered in one record", "R13.3-1") { play in offers(32, play) },
        fine("13.3-kinds-apart", "32 streams and 32 files in one record: each kind has its own credit", "R13.3-1") {
            play in
            openings(32, play) + (32..<64).map { WireBytes.fileOffer(play.number($0), size: 1) }
        },
        fine("13.3-stream-exactly", "A stream's first 32,768 bytes at once", "R13.3-1") {
            (play) throws(Interruption) in try stream(32_768, play)
        },
        faulty("13.3-stream-overdraft", "A stream's first 32,769 bytes at once", "R13.3-1 R15.6-2", .creditExceeded) {
            (play) throws(Interruption) in try stream(32_769, play)
        },
        ConformanceCase(
            "13.3-file-overdraft", "A byte more of a file than the peer has granted", "R13.3-1 R15.3-3",
            expects: "CLOSE credit_exceeded, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 65_000)
            let room = play.ledger.files[play.number(0)]?.allowance.room ?? 0
            guard room < 65_000 else { throw .skipped("the peer grants more of a file than a record holds") }
            try play.sendPayload(
                WireBytes.fileData(play.number(0), offset: 0, [UInt8](repeating: 1, count: Int(room) + 1)))
            return try play.expectClose(.creditExceeded)
        },
    ]

    // MARK: CREDIT

    private static func raise(
        _ topic: String, _ title: String, _ requirements: String = "R13.4-2", _ code: CloseCode = .malformed,
        _ frames: @escaping @Sendable (Play) -> [[UInt8]]
    ) -> ConformanceCase {
        faulty("13.4-\(topic)", "CREDIT \(title)", requirements, code, frames)
    }

    static let credits: [ConformanceCase] = [
        raise("again", "twice with one limit") { _ in
            [WireBytes.credit(.offers, limit: 40), WireBytes.credit(.offers, limit: 40)]
        },
        ConformanceCase(
            "13.4-stream-equal", "CREDIT that does not raise the limit of a stream", "R13.4-2",
            expects: "CLOSE malformed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(WireBytes.streamOpen(id, credit: 100) + WireBytes.credit(.stream, id: id, limit: 100))
            do throws(Interruption) {
                return try play.expectClose(.malformed)
            } catch {
                // Then CREDIT crossed the end of the direction (R13.4-4).
                guard play.ledger.streams[id]?.peerHasEnded != true else {
                    throw .skipped("the peer's app gives streams up within the record")
                }
                throw error
            }
        },
        raise("cut", "without a limit", "R3.3-1") { _ in [WireBytes.frame(.credit, [0, 0])] },
        raise("trailing-byte", "with a byte behind its end", "R3.3-2") { _ in
            [WireBytes.credit(0, limit: 1 << 20, rest: [0])]
        },
        raise("own-file", "of a file that the tester offers itself", "R13.4-3", .unexpectedFrame) { play in
            let id = play.number(0)
            return [WireBytes.fileOffer(id, size: 9), WireBytes.credit(.file, id: id, limit: 1 << 20)]
        },
        raise(
            "place-before-limit", "that raises nothing, of a stream that nobody opened: its place comes first",
            "R15.4-1", .unexpectedFrame
        ) { play in [WireBytes.credit(.stream, id: play.number(0), limit: 0)] },
        fine("13.4-raised", "CREDIT for messages, openings, offers and a stream, to the largest limit", "R13.4-2") {
            play in
            let (id, most) = (play.number(0), UInt64(1) << 62 - 1)
            return [
                WireBytes.credit(.messages, limit: most), WireBytes.credit(.openings, limit: most),
                WireBytes.credit(.offers, limit: most), WireBytes.streamOpen(id, credit: 1),
                WireBytes.credit(.stream, id: id, limit: most), WireBytes.streamReset(id), WireBytes.streamStop(id),
            ]
        },
        fine("13.4-no-way-back", "CREDIT and STREAM_STOP for a stream that goes one way", "R13.4-4 R15.6-8") { play in
            let id = play.number(0)
            return [
                WireBytes.streamOpen(id), WireBytes.credit(.stream, id: id, limit: 100), WireBytes.streamStop(id),
                WireBytes.credit(.stream, id: id, limit: 100),
            ]
        },
    ]

    // MARK: What is granted

    static let grants: [ConformanceCase] = [
        ConformanceCase(
            "13.5-messages", "40 messages of 30,000 bytes, each as soon as there is credit", "R13.5-1 R13.5-2 R13.6-1",
            expects: "CREDIT for all of them, and ACK of all", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for index in 0..<40 { try play.sendMessage([UInt8](repeating: UInt8(index), count: 30_000)) }
            return try play.expectAllAcknowledged()
        },
        ConformanceCase(
            "13.5-long-message", "A message that is longer than all the credit there is", "R13.5-3 R15.1-5",
            expects: "CREDIT until it is whole, and ACK of it", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            guard try play.peerMaximumMessage() >= 900_000 else { throw .skipped("the peer takes no long messages") }
            try play.sendMessage([UInt8](repeating: 0x6C, count: 900_000))
            return try play.expectAllAcknowledged()
        },
        ConformanceCase(
            "13.5-streams", "100 streams that are opened and reset at once", "R13.5-1 R13.2-3",
            expects: "CREDIT for openings, again and again", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for index in 0..<100 as Range<UInt64> {
                try play.openStream(index)
                try play.peer.send(WireBytes.streamReset(play.number(index)))
            }
            return Evidence("100 streams").and(try play.expectAlive())
        },
        ConformanceCase(
            "13.5-offers", "40 files of no bytes, one after the other", "R13.5-1 R15.3-7",
            expects: "each is answered, and CREDIT for offers comes", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for index in 0..<40 as Range<UInt64> {
                let id = play.number(index)
                try play.wait(for: "CREDIT for offers") { $0.offers.room > 0 }
                try play.peer.send(WireBytes.fileOffer(id, size: 0))
                try play.wait(for: "an answer to FILE_OFFER") { $0.files[id]?.isAnswered ?? false }
                // The tester has answered FILE_CANCEL by its own.
                guard play.ledger.files[id]?.accept != nil else { continue }
                _ = try play.completeFile(index, [])
            }
            return Evidence("40 files").and(try play.expectAlive())
        },
        ConformanceCase(
            "13.5-stream", "A stream of 200,000 bytes, as there is credit", "R13.5-1 R13.5-2",
            expects: "CREDIT until its end, or STREAM_STOP", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.openStream(0)
            try play.write(200_000, to: play.number(0))
            try play.finish(play.number(0))
            return Evidence("a stream").and(try play.expectAlive())
        },
        ConformanceCase(
            "13.3-slow-stream", "The first stream is filled as far as the peer takes it, and a second one flows",
            "R13.3-2", expects: "CREDIT for the second stream and for messages", patienceFactor: 2
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            // An app may leave the first stream unread. This is nobody else's trouble.
            try play.openStream(0, name: "slow")
            try play.write(32_768, to: play.number(0))
            try play.openStream(1)
            for index in 0..<20 {
                try play.write(10_000, to: play.number(1))
                try play.sendMessage([UInt8](repeating: UInt8(index), count: 20_000))
            }
            try play.finish(play.number(1))
            return try play.expectAllAcknowledged()
        },
    ]
}
