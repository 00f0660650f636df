import MultipeerScriptedPeer
import MultipeerWire

/// Associations: numbers, acknowledgements, keep-alive.
enum Section13 {
    static let cases: [ConformanceCase] =
        numbers + ended + overdrafts + credits + grants + acknowledgements + keepAlive + resuming + continuing
        + answering + asking

    /// Sends frames on an open link, in one record where payload is encrypted, and expects CLOSE with a code.
    static func faulty(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode,
        forbidding forbidden: Set<FrameType> = [],
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [[UInt8]]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.send(mixed: try frames(play))
            return try play.expectClose(code, forbidding: forbidden)
        }
    }

    /// The same, and the link continues.
    static func fine(
        _ id: String, _ title: String, _ requirements: String,
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [[UInt8]]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.send(mixed: try frames(play))
            try play.roundTrip()
            return try play.expectAlive()
        }
    }

    // MARK: Numbers

    private static let numbers: [ConformanceCase] = [
        faulty("13.2-twice", "Two streams have one number", "R13.2-1", .malformed) { play in
            [WireBytes.streamOpen(play.number(0), credit: 9), WireBytes.streamOpen(play.number(0), credit: 9)]
        },
        faulty("13.2-file-behind-stream", "The first file has the number of a stream", "R13.2-1", .malformed) { play in
            [WireBytes.streamOpen(play.number(0)), WireBytes.fileOffer(play.number(0), size: 1)]
        },
        fine("13.2-shared", "A stream, a file and a stream in turn", "R13.2-1") { play in
            [
                WireBytes.streamOpen(play.number(0)), WireBytes.fileOffer(play.number(1), size: 1),
                WireBytes.streamOpen(play.number(2)), WireBytes.streamEnd(play.number(2), size: 0),
            ]
        },
        faulty(
            "13.2-peers-stream-stop", "STREAM_STOP of a stream that the peer never opened", "R13.2-2", .unexpectedFrame
        ) { play in [WireBytes.streamStop(play.peersNumber(500))] },
    ]

    /// A stream that goes one way, and has ended.
    private static func endedStream(_ play: Play) -> [[UInt8]] {
        [WireBytes.streamOpen(play.number(0)), WireBytes.streamEnd(play.number(0), size: 0)]
    }

    private static let ended: [ConformanceCase] = [
        faulty("13.2-ended-data", "STREAM_DATA of a stream that has ended", "R13.2-2 R15.6-4", .unexpectedFrame) {
            play in
            endedStream(play) + [WireBytes.streamData(play.number(0), [1])]
        },
        faulty("13.2-ended-reset", "STREAM_RESET of a stream that has ended", "R13.2-2 R15.6-4", .unexpectedFrame) {
            play in endedStream(play) + [WireBytes.streamReset(play.number(0))]
        },
        faulty("13.2-ended-file-end", "FILE_END of a stream that has ended", "R13.2-2", .unexpectedFrame) { play in
            endedStream(play) + [WireBytes.fileEnd(play.number(0), digest: FileAccept.digestOfNothing)]
        },
        fine(
            "13.2-crossed", "CREDIT, STREAM_STOP, FILE_CANCEL, FILE_ACCEPT and FILE_DONE of a number that has ended",
            "R13.2-3"
        ) { play in
            let id = play.number(0)
            return endedStream(play) + [
                WireBytes.credit(.stream, id: id, limit: 5), WireBytes.streamStop(id), WireBytes.fileCancel(id),
                WireBytes.fileAccept(id), WireBytes.fileDone(id), WireBytes.credit(.file, id: id, limit: 5),
            ]
        },
    ]

    // MARK: Acknowledgements

    private static let acknowledgements: [ConformanceCase] = [
        faulty("13.6-zero", "ACK of no frame", "R13.6-2", .malformed) { _ in [WireBytes.ack(0)] },
        faulty("13.6-too-high", "ACK of frames that the peer has not sent", "R13.6-2", .malformed) { play in
            [WireBytes.ack(play.ledger.received + 1_000)]
        },
        faulty("13.6-trailing-byte", "ACK with a byte behind its end", "R3.3-2", .malformed) { _ in
            [WireBytes.ack(1, rest: [0])]
        },
        ConformanceCase(
            "13.6-before-close", "CLOSE in the record of the last of 100 messages", "R13.6-1 R16.1-2",
            expects: "ACK of all of them before the peer's CLOSE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload((0..<99).flatMap { WireBytes.message([UInt8($0)]) })
            let last = WireBytes.message([99])
            try play.send(mixed: [last, WireBytes.close()])
            let end = try play.expectClose(.noError, probing: false)
            return Evidence("ACK of 100 messages").and(try play.requireAllAcknowledged(end))
        },
        ConformanceCase(
            "13.6-part", "Two messages, and a part of a third", "R13.6-1",
            expects: "ACK of all four frames before CLOSE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload(
                WireBytes.message([]) + WireBytes.message([1, 2], total: 3) + WireBytes.part([3])
                    + WireBytes.message([4], total: 3))
            return try play.expectAllAcknowledged()
        },
        ConformanceCase(
            "13.6-by-itself", "A message, and nothing more", "R13.6-1", level: .should,
            expects: "ACK, though nothing else happens"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload(WireBytes.message([1]))
            try play.wait(for: "ACK") { $0.acknowledged == $0.framesSent }
            return Evidence("ACK").and(try play.expectAlive())
        },
    ]

    // MARK: Keep-alive

    private static let keepAlive: [ConformanceCase] = [
        ConformanceCase(
            "13.7-ping", "PING", "R13.7-1", expects: "PONG of the same data"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let data: [UInt8] = [0xFF, 0, 1, 2, 3, 4, 5, 6]
            try play.peer.send(WireBytes.ping(data))
            let pong = try play.take(.pong)
            guard pong.payload == data else { throw .failed("PONG has other data than PING") }
            return Evidence("PONG").and(try play.expectAlive())
        },
        ConformanceCase(
            "13.7-pings", "Three PINGs in one record", "R13.7-1", expects: "PONG of the last one, and of others perhaps"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let data = (1...3).map { [UInt8](repeating: $0, count: Ping.dataLength) }
            try play.peer.send(data.flatMap { WireBytes.ping($0) })
            try play.wait(for: "PONG of the last PING") { $0.pongs.contains(data[2]) }
            guard play.ledger.pongs.allSatisfy(data.contains) else { throw .failed("PONG has data of no PING") }
            return Evidence("\(play.ledger.pongs.count) PONG").and(try play.expectAlive())
        },
        fine("13.7-pong-unasked", "PONG that answers no PING", "R13.7-2") { _ in [WireBytes.pong()] },
        faulty("13.7-ping-short", "PING of 7 bytes", "R3.3-1", .malformed) { _ in
            [WireBytes.ping([UInt8](repeating: 0, count: 7))]
        },
        faulty("13.7-ping-long", "PING of 9 bytes", "R3.3-2", .malformed) { _ in
            [WireBytes.ping([UInt8](repeating: 0, count: 9))]
        },
        ConformanceCase(
            "13.7-asks", "The tester says nothing for the time of a PING", "R13.7-3", level: .should,
            expects: "PING", waits: .ping
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            _ = try play.take(.ping)
            return Evidence("PING").and(try play.expectAlive())
        },
        ConformanceCase(
            "13.7-silent", "The tester says nothing any more, and answers no PING", "R13.7-3", level: .should,
            expects: "CLOSE silent, then the end of the stream", waits: .silence
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            play.peer.isMute = true
            return try play.expectClose(.silent, probing: false)
        },
    ]
}
