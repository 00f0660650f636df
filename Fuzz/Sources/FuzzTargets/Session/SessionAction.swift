/// What can happen: one step of an input, three bytes. The lowest bit of the first says to which side.
enum SessionAction: UInt8, CaseIterable {
    // The stream.
    case exchange
    case deliver, deliverSome, transmit, transmitSmall
    case flip, drop, duplicate, truncate, endStream, cut
    // Time.
    case tick, beforeDeadline, atDeadline, lateAfterDeadline, hours
    // The app.
    case answerAll
    case invite, accept, decline, cancelInvitation, judge, reject
    case send, sendLong, offerFile, acceptFile, refuseFile, supply, cancelFile, confirmFile
    case close, closeWithCode
    // Credit, streams and beginnings.
    case takeMessages, takeBack, openStream, writeStream, finishStream, resetStream, stopStream, takeStream, takeFile
    case submitBeginning, sendMany
    // Codes and strings.
    case giveCode, answerCode, compareStrings

    /// The bytes of a step, for seeds.
    static func step(_ action: SessionAction, _ side: UInt8 = 0, _ first: UInt8 = 0, _ second: UInt8 = 0) -> [UInt8] {
        [action.rawValue << 1 | side, first, second]
    }

    /// The action of a step's first byte.
    init(step: UInt8) {
        self = Self.allCases[Int(step >> 1) % Self.allCases.count]
    }
}
