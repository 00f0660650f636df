import MultipeerScriptedPeer
import MultipeerWire

/// Closing and truncation.
enum Section16 {
    private static let places: [(stage: Play.Stage, topic: String, words: String)] = [
        (.channel, "early", "before PROOF"), (.proved, "proved", "after PROOF"),
        (.identified, "identified", "after PEER_INFO"), (.agreed, "agreed", "after ACCEPT"),
        (.certified, "certified", "after CERTIFICATES"), (.open, "open", "on an open link"),
    ]

    private static func answered(_ id: String, _ title: String, _ stage: Play.Stage, _ frames: [UInt8])
        -> ConformanceCase
    {
        ConformanceCase(
            id, title, "R16.1-2 R16.1-4", expects: "CLOSE no_error, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.send(frames)
            return try play.expectClose(.noError, probing: false)
        }
    }

    static let cases: [ConformanceCase] =
        places.map { answered("16.1-close-\($0.topic)", "CLOSE no_error \($0.words)", $0.stage, WireBytes.close()) } + [
            answered("16.1-unknown-code", "CLOSE with a code that nobody knows", .open, WireBytes.close(0x3FFF)),
            answered("16.1-private-code", "CLOSE with the largest code", .identified, WireBytes.close(1 << 62 - 1)),
            answered("16.1-error-code", "CLOSE with an error", .open, WireBytes.close(0x22)),
            answered(
                "16.1-frames-behind", "Frames behind CLOSE in its record", .open,
                WireBytes.close() + WireBytes.even + WireBytes.message([], total: 5) + WireBytes.ready),
            ConformanceCase(
                "16.1-records-behind", "Records behind CLOSE, good ones and bad ones", "R16.1-1",
                expects: "CLOSE no_error, then the end of the stream: nothing behind CLOSE counts"
            ) { (play: Play) throws(Interruption) -> Evidence in
                try play.reach(.open)
                let close = try play.peer.seal(WireBytes.close())
                let even = try play.peer.seal(WireBytes.even)
                try play.peer.send(
                    record: close + even + WireBytes.header(0x10, 40) + [UInt8](repeating: 1, count: 40) + [0x7F],
                    note: "ENCRYPTED: CLOSE no_error; then an unknown even frame, a forged record, and nonsense")
                return try play.expectClose(.noError, probing: false)
            },
            ConformanceCase(
                "16.1-unanswered", "The tester does not answer CLOSE", "R16.1-1 R16.1-2",
                expects: "the peer's stream ends with its CLOSE all the same"
            ) { (play: Play) throws(Interruption) -> Evidence in
                try play.reach(.open)
                try play.peer.send(WireBytes.even)
                return try play.expectClose(.unsupported, probing: false)
            },
            ended("16.2-truncated-hello", "The stream ends in the middle of HELLO", .connected),
            ended("16.2-truncated-early", "The stream ends before PROOF", .channel),
            ended("16.2-truncated-identified", "The stream ends after PEER_INFO", .identified),
            ended("16.2-truncated-open", "The stream ends in the middle of a record", .open),
        ]

    private static func ended(_ id: String, _ title: String, _ stage: Play.Stage) -> ConformanceCase {
        ConformanceCase(
            id, title, "R16.2-1", level: .should, expects: "the peer's stream ends as well, without CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            if play.role == .responder, stage == .connected { _ = try play.awaitHello() }
            try play.reach(stage)
            if stage == .connected {
                try play.peer.sendRaw(
                    Magic.bytes + WireBytes.header(0x01, 100) + [0, 2], note: "magic, the beginning of HELLO")
            } else if stage == .open {
                let record = try play.peer.seal(WireBytes.padding(100))
                try play.peer.send(record: record.dropLast(9), note: "the beginning of an ENCRYPTED record")
            }
            play.peer.endSending()
            return try play.expectTruncatedEnd()
        }
    }
}

extension Play {
    /// The peer's stream ends, and the peer does not report success.
    func expectTruncatedEnd() throws(Interruption) -> Evidence {
        while true {
            switch try peer.next(awaiting: "end of the stream") {
            case .end: return Evidence("the end of the stream")
            case .frame(let frame) where frame.known == .close:
                guard (try? Close(payload: frame.payload.span).code) != .noError else {
                    throw .failed("CLOSE no_error came: the peer takes a cut stream for a closed one")
                }
            case .frame(let frame) where frame.known == .ready: throw .failed("READY came")
            case .frame: continue
            case .hello: throw .failed("HELLO came")
            case .refusal: throw .failed("REFUSAL came: there is no whole hello to refuse")
            }
        }
    }
}
