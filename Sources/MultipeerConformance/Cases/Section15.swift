import MultipeerScriptedPeer
import MultipeerWire

/// Payloads.
enum Section15 {
    static let cases: [ConformanceCase] =
        messages + offers + transfers + several + cancellations + resuming + folders + offering + streams

    // MARK: Messages

    /// Sends payload frames with the protection that the link has.
    private static func message(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode?,
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements,
            expects: code.map { "CLOSE \(FrameText.name($0)), then the end of the stream" }
                ?? "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload(try frames(play))
            guard let code else { return try play.expectAlive() }
            return try play.expectClose(code)
        }
    }

    private static func message(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode?, _ frames: [UInt8]
    ) -> ConformanceCase {
        message(id, title, requirements, code) { _ in frames }
    }

    private static let messages: [ConformanceCase] = [
        message("15.1-empty", "A message of no bytes", "R15.1-1", nil, WireBytes.message([])),
        message(
            "15.1-parts", "A message in three parts, and another one behind it", "R15.1-1 R15.1-2", nil,
            WireBytes.message([1, 2], total: 6) + WireBytes.part([3]) + WireBytes.part([4, 5, 6])
                + WireBytes.message([7])),
        message(
            "15.1-many", "1,000 messages in one record", "R15.1-2 R6.3-2", nil,
            (0..<1_000).flatMap { WireBytes.message([UInt8($0 & 0xFF), UInt8($0 >> 8)]) }),
        message(
            "15.1-data-for-empty", "MESSAGE with data and total 0", "R15.1-1", .malformed,
            WireBytes.message([1], total: 0)),
        message("15.1-no-total", "MESSAGE without a total", "R3.3-1", .malformed, WireBytes.frame(.message)),
        message(
            "15.1-part-alone", "MESSAGE_PART with no message begun", "R15.1-2", .unexpectedFrame, WireBytes.part([1])),
        message(
            "15.1-empty-part-alone", "MESSAGE_PART without data and with no message begun: its data comes first",
            "R15.1-1 R18-1", .malformed, WireBytes.part([])),
        message(
            "15.1-bad-message-within", "A malformed MESSAGE before the last message is complete: its fields come first",
            "R15.1-1 R18-1", .malformed, WireBytes.message([1], total: 3) + WireBytes.message([1, 2], total: 1)),
        message(
            "15.1-limit-before-data", "The same without data: the total is judged first", "R15.1-3 R18-1",
            .limitExceeded
        ) {
            (play) throws(Interruption) in
            WireBytes.message([], total: try play.peerMaximumMessage() + 1)
        },
        message("15.1-longest-begun", "The longest message that the peer takes is begun", "R15.1-4", nil) {
            (play) throws(Interruption) in
            WireBytes.message([1], total: try play.peerMaximumMessage())
        },
        ConformanceCase(
            "15.1-interleaved", "Control frames between the parts of a message", "R15.1-2",
            expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendPayload(WireBytes.message([1], total: 3))
            try play.peer.send(WireBytes.padding() + WireBytes.odd)
            try play.sendPayload(WireBytes.part([2]))
            try play.peer.send(WireBytes.padding())
            try play.sendPayload(WireBytes.part([3]))
            return try play.expectAlive()
        },
    ]
}
