import MultipeerScriptedPeer
import MultipeerWire

/// Streams (SPEC §15.6). A peer whose app wants none gives them up by STREAM_STOP and STREAM_RESET, which the cases bear.
extension Section15 {
    private static func faulty(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode,
        _ frames: @escaping @Sendable (UInt64) -> [[UInt8]]
    ) -> ConformanceCase {
        Section13.faulty("15.6-\(topic)", title, requirements, code) { play in frames(play.number(0)) }
    }

    private static func fine(
        _ topic: String, _ title: String, _ requirements: String, _ frames: @escaping @Sendable (UInt64) -> [[UInt8]]
    ) -> ConformanceCase {
        Section13.fine("15.6-\(topic)", title, requirements) { play in frames(play.number(0)) }
    }

    /// A stream whose direction to the tester lives on, so that the number does.
    private static func open(_ id: UInt64) -> [UInt8] { WireBytes.streamOpen(id, credit: 1_000) }

    static let streams: [ConformanceCase] = openings + directions + stops

    private static let openings: [ConformanceCase] = [
        faulty("name-too-long", "A stream name of 256 bytes", "R3.3-1", .malformed) { id in
            [WireBytes.streamOpen(id, name: [UInt8](repeating: 0x61, count: 256))]
        },
        faulty("even-field", "STREAM_OPEN with an unknown field of even type", "R3.4-3", .unsupported) { id in
            [WireBytes.streamOpen(id, fields: WireBytes.evenField)]
        },
        faulty(
            "bad-name-first", "A second stream of the same number, with a name that is no UTF-8: its fields come first",
            "R15.6-1 R18-1", .malformed
        ) { id in
            [WireBytes.streamOpen(id, credit: 9), WireBytes.streamOpen(id, name: [0xFF])]
        },
        fine("longest-name", "A stream name of 255 bytes, and one of none", "R15.6-1") { id in
            [
                WireBytes.streamOpen(id, name: [UInt8](repeating: 0x61, count: 255)),
                WireBytes.streamOpen(id + 2, name: []),
            ]
        },
        fine("odd-field", "STREAM_OPEN, STREAM_END with unknown fields of odd type", "R3.4-2") { id in
            [
                WireBytes.streamOpen(id, fields: WireBytes.oddField),
                WireBytes.streamEnd(id, size: 0, fields: WireBytes.oddField),
            ]
        },
    ]

    private static let directions: [ConformanceCase] = [
        fine("one-way", "A whole stream that goes one way", "R15.6-3 R15.6-7 R15.6-8") { id in
            [
                WireBytes.streamOpen(id), WireBytes.streamData(id, [1, 2, 3]), WireBytes.streamData(id, [4]),
                WireBytes.streamEnd(id, size: 4),
            ]
        },
        fine("both-ways", "A stream whose direction from the tester is complete, and the other one lives", "R15.6-3") {
            id in
            [open(id), WireBytes.streamData(id, [1, 2, 3]), WireBytes.streamEnd(id, size: 3)]
        },
        fine("unknown-code", "STREAM_RESET and STREAM_STOP with codes that nobody knows", "R15.6-4 R15.6-5") { id in
            [open(id), WireBytes.streamReset(id, code: 1 << 62 - 1), WireBytes.streamStop(id, code: 63)]
        },
    ]

    private static let stops: [ConformanceCase] = [
        ConformanceCase(
            "15.6-stop", "STREAM_STOP of the peer's direction", "R15.6-5", expects: "STREAM_RESET with its code"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(open(id) + WireBytes.streamStop(id, code: 77))
            try play.wait(for: "STREAM_RESET") { $0.streams[id]?.peerHasEnded ?? false }
            guard play.ledger.streams[id]?.resetCode == 77 else {
                throw .skipped("the peer's app had ended its direction within the record")
            }
            return Evidence("STREAM_RESET 77").and(try play.expectAlive())
        },
        ConformanceCase(
            "15.6-stop-twice", "STREAM_STOP twice", "R15.6-5 R13.4-4 R13.2-3",
            expects: "one STREAM_RESET, and the second is ignored"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(open(id) + WireBytes.streamStop(id, code: 70) + WireBytes.streamStop(id, code: 71))
            try play.wait(for: "STREAM_RESET") { $0.streams[id]?.peerHasEnded ?? false }
            try play.roundTrip()
            return try play.expectAlive()
        },
        ConformanceCase(
            "15.6-stop-then-data", "STREAM_STOP, and the tester's own direction continues", "R15.6-5 R15.6-7",
            expects: "the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(open(id) + WireBytes.streamStop(id))
            try play.write(100_000, to: id)
            try play.finish(id)
            try play.roundTrip()
            return try play.expectAlive()
        },
    ]
}
