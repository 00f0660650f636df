/// Sessions to begin with. The vectors' scripts play one peer by hand; these play two links.
enum SessionSeeds {
    static let all: [[UInt8]] =
        settings.flatMap { setting in stories.map { setting + $0.flatMap { $0 } } }
        + verifying.flatMap { setting in verifications.map { setting + $0.flatMap { $0 } } }

    private static let settings: [[UInt8]] = [
        [0, 0, 0, 0], [0x0D, 0, 0, 0xC9], [0xE2, 0, 0xC0, 0], [0x16, 0x2E, 0, 0xFF],
    ]

    private static func step(_ action: SessionAction, _ side: UInt8 = 0, _ first: UInt8 = 0, _ second: UInt8 = 0)
        -> [UInt8]
    {
        SessionAction.step(action, side, first, second)
    }

    /// Both open, by preferences.
    private static func opening(_ inviter: UInt8, _ invitee: UInt8, context: UInt8 = 0x10) -> [[UInt8]] {
        [
            step(.invite, 0, inviter, context), step(.exchange), step(.answerAll, 0, invitee), step(.exchange),
            step(.answerAll), step(.exchange),
        ]
    }

    private static let talk: [[UInt8]] = [
        step(.send, 0, 5), step(.send, 1, 0), step(.sendLong, 0, 7), step(.transmitSmall, 0, 0x60, 0),
        step(.deliverSome, 1, 0x20, 0), step(.exchange),
    ]

    private static let file: [[UInt8]] = [
        step(.offerFile, 1, 1, 3), step(.exchange), step(.answerAll), step(.exchange), step(.supply, 1, 100),
        step(.exchange), step(.answerAll), step(.exchange), step(.answerAll), step(.exchange),
    ]

    private static let ending: [[UInt8]] = [
        step(.send, 1, 9), step(.close, 0), step(.exchange), step(.endStream, 0), step(.endStream, 1),
    ]

    private static let stories: [[[UInt8]]] = [
        opening(1, 1) + talk + ending,
        opening(0x40, 0x41) + talk + file + ending,
        opening(2, 0),
        opening(0, 2),
        // Bytes one way at a time.
        [
            step(.transmit, 0), step(.deliverSome, 1, 0, 20), step(.deliver, 1), step(.transmit, 1),
            step(.deliver, 0), step(.transmit, 0), step(.deliver, 1), step(.transmit, 1), step(.deliver, 0),
            step(.invite, 1, 1, 1), step(.exchange), step(.decline, 0, 1), step(.exchange),
        ],
        // Crossing invitations, also to a session that exists.
        [
            step(.exchange), step(.invite, 0, 1), step(.invite, 1, 2), step(.exchange), step(.answerAll),
            step(.exchange),
        ],
        [
            step(.exchange), step(.invite, 0, 0x21), step(.invite, 1, 0x22, 0x80), step(.exchange),
            step(.answerAll, 0, 1), step(.exchange), step(.answerAll), step(.exchange),
        ],
        // Time.
        [step(.invite, 0, 1, 1), step(.exchange), step(.atDeadline, 0), step(.exchange)],
        [
            step(.invite, 0, 1, 2), step(.transmit, 0), step(.deliver, 1), step(.tick, 0, 50), step(.exchange),
            step(.lateAfterDeadline, 1, 1), step(.accept, 1), step(.exchange), step(.hours, 0, 3),
        ],
        opening(1, 1) + [step(.atDeadline, 1), step(.exchange), step(.hours)],
        [
            step(.invite, 0, 1), step(.exchange), step(.accept, 1, 1), step(.exchange),
            step(.lateAfterDeadline, 0, 0), step(.judge, 0), step(.judge, 1), step(.exchange), step(.reject, 1),
        ],
        // A side that sleeps through its deadline, and then sends, hears of the end, or closes.
        opening(1, 1) + [
            step(.send, 0, 50), step(.close, 0), step(.lateAfterDeadline, 0, 9), step(.transmit, 0), step(.exchange),
        ],
        [step(.invite, 0, 1), step(.exchange), step(.lateAfterDeadline, 0), step(.cut)],
        [step(.exchange), step(.lateAfterDeadline, 1, 1), step(.close, 1), step(.exchange)],
        [
            step(.invite, 0, 1), step(.exchange), step(.lateAfterDeadline, 1), step(.closeWithCode, 1, 1),
            step(.exchange),
        ],
        // Answers that are late, doubled, or the remote peer's.
        [
            step(.invite, 0, 1), step(.cancelInvitation, 0), step(.exchange), step(.cancelInvitation, 0),
            step(.accept, 1), step(.judge, 0, 0, 0xFF), step(.decline, 1, 0, 0xE1), step(.exchange),
        ],
        // The network.
        opening(1, 1) + [step(.send, 0, 50), step(.transmit, 0), step(.flip, 0, 0, 9), step(.exchange)],
        opening(0, 0) + [step(.sendLong, 0, 2), step(.transmit, 0), step(.truncate, 1, 4, 0)],
        opening(0, 1) + [step(.send, 0, 50), step(.transmit, 0), step(.duplicate, 0, 0, 72), step(.exchange)],
        opening(1, 0) + [step(.send, 1, 50), step(.transmit, 1), step(.drop, 1, 0, 5), step(.exchange), step(.cut)],
        // Files that cross their end.
        opening(1, 1) + [
            step(.offerFile, 0, 0, 6), step(.offerFile, 1, 3, 3), step(.exchange), step(.answerAll), step(.exchange),
            step(.supply, 0, 0), step(.transmit, 0), step(.refuseFile, 1), step(.cancelFile, 1), step(.exchange),
            step(.offerFile, 0, 5, 0), step(.exchange), step(.answerAll), step(.cancelFile, 0), step(.exchange),
            step(.answerAll), step(.exchange),
        ],
        // Closing while much waits, by both, and with a code.
        opening(1, 1) + [
            step(.sendLong, 0, 7), step(.sendLong, 1, 3), step(.transmitSmall, 0, 0x40, 0), step(.close, 0),
            step(.close, 1), step(.tick, 0, 60), step(.transmit, 1), step(.deliver, 0), step(.exchange),
        ],
        opening(1, 1) + [step(.send, 0, 3), step(.send, 1, 4), step(.closeWithCode, 0, 1), step(.exchange)],
        // More messages than there is credit for; the app takes them late, or one comes back.
        opening(1, 1) + [
            step(.sendMany, 0, 39, 250), step(.exchange), step(.takeBack, 0, 0), step(.takeMessages, 1),
            step(.exchange), step(.tick, 0, 6), step(.exchange), step(.answerAll), step(.close, 0), step(.exchange),
        ],
        opening(1, 1) + [
            step(.sendMany, 0, 39, 250), step(.exchange), step(.close, 0), step(.exchange), step(.takeMessages, 1),
            step(.exchange), step(.atDeadline, 0), step(.exchange),
        ],
        // Streams: both ways, one way, stopped, reset, and cut off.
        opening(1, 1) + [
            step(.openStream, 0), step(.writeStream, 0, 200), step(.exchange), step(.writeStream, 1, 99),
            step(.finishStream, 0), step(.exchange), step(.takeStream, 1, 255), step(.finishStream, 1), step(.exchange),
            step(.answerAll), step(.exchange),
        ],
        opening(0, 0) + [
            step(.openStream, 1, 1), step(.writeStream, 1, 0xF0), step(.exchange), step(.writeStream, 0, 1),
            step(.takeStream, 0, 60), step(.takeStream, 0, 255), step(.exchange), step(.finishStream, 1),
            step(.exchange),
        ],
        opening(1, 1) + [
            step(.openStream, 0), step(.openStream, 1, 3), step(.writeStream, 0, 0xF0), step(.transmit, 0),
            step(.stopStream, 1, 5, 0xC0), step(.deliver, 1), step(.resetStream, 0, 7), step(.exchange),
            step(.writeStream, 1, 50), step(.exchange), step(.cut),
        ],
        // Two files at once, one of which continues where it was; and beginnings that differ.
        opening(1, 1) + [
            step(.offerFile, 0, 0, 0x84), step(.offerFile, 0, 0, 0x83), step(.exchange), step(.acceptFile, 1, 0x90),
            step(.acceptFile, 1, 0, 0xC0), step(.exchange), step(.answerAll), step(.exchange), step(.answerAll),
            step(.exchange), step(.answerAll), step(.exchange), step(.answerAll), step(.exchange),
        ],
        opening(1, 1) + [
            step(.offerFile, 0, 0, 0x83), step(.exchange), step(.acceptFile, 1, 0xF0), step(.exchange),
            step(.submitBeginning, 0), step(.exchange), step(.takeFile, 1, 255),
        ],
    ]

    // MARK: Codes and strings

    /// Both list the feature; the responder has the greater key, or the lesser one.
    private static let verifying: [[UInt8]] = [[0, 0, 0xF0, 0], [0x01, 0, 0xF8, 0xC5]]

    private static let verifications: [[[UInt8]]] = [
        // The same code, another word, another number, and none.
        [step(.exchange), step(.giveCode, 0), step(.exchange), step(.answerCode, 1), step(.exchange)] + opening(1, 1),
        [step(.exchange), step(.giveCode, 1, 1), step(.exchange), step(.answerCode, 0, 0), step(.exchange)],
        [step(.exchange), step(.giveCode, 1, 2), step(.exchange), step(.answerCode, 0, 0), step(.exchange)],
        [step(.exchange), step(.giveCode, 0), step(.exchange), step(.answerCode, 1, 3), step(.exchange)],
        // An invitation waits for the code, is taken back, or crosses it.
        [
            step(.exchange), step(.giveCode, 0), step(.invite, 0, 1), step(.exchange), step(.answerCode, 1),
            step(.exchange), step(.answerAll), step(.exchange), step(.answerAll), step(.exchange),
        ],
        [
            step(.exchange), step(.giveCode, 1), step(.exchange), step(.invite, 0, 1), step(.cancelInvitation, 0),
            step(.exchange),
        ],
        [step(.exchange), step(.giveCode, 0), step(.invite, 1, 1), step(.exchange)],
        // Both type.
        [
            step(.exchange), step(.giveCode, 0), step(.giveCode, 1, 1), step(.exchange), step(.answerCode, 0, 1),
            step(.answerCode, 1), step(.exchange),
        ],
        // Nobody answers, or too late.
        [step(.exchange), step(.giveCode, 0), step(.exchange), step(.atDeadline, 1), step(.exchange)],
        [
            step(.exchange), step(.giveCode, 0), step(.exchange), step(.tick, 0, 90), step(.answerCode, 1),
            step(.transmit, 1), step(.lateAfterDeadline, 0), step(.deliver, 0), step(.exchange),
        ],
        // Strings, begun by either peer, on an open link, and while a code is tried.
        [step(.exchange), step(.compareStrings, 0), step(.exchange), step(.compareStrings, 1), step(.exchange)],
        [step(.exchange), step(.compareStrings, 1), step(.exchange), step(.compareStrings, 0), step(.exchange)],
        opening(1, 0) + [step(.compareStrings, 1), step(.compareStrings, 0), step(.exchange), step(.close, 0)],
        [
            step(.exchange), step(.giveCode, 0), step(.compareStrings, 0), step(.exchange), step(.compareStrings, 1),
            step(.answerCode, 1), step(.exchange),
        ],
    ]
}
