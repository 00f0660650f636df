import MultipeerScriptedPeer
import MultipeerWire

/// Messages and files on an open link: SPEC §15.1, §15.3.
package enum PayloadRules {
    // MARK: Messages

    /// A fault after a whole message.
    private static func message(
        _ topic: String, _ comment: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frames: @escaping @Sendable (any LinkSender) throws -> [[UInt8]]
    ) -> LinkRule {
        LinkRule("15.1-\(topic)", comment, requirements, at: .open, code, flag) {
            [WireBytes.message("before")] + (try frames($0))
        }
    }

    package static let messages: [LinkRule] = [
        message(
            "part-behind", "MESSAGE_PART with none begun", "R15.1-2", .unexpectedFrame, "UnexpectedFrame"
        ) { _ in [WireBytes.part("x")] },
        message(
            "message-within", "MESSAGE before the last is complete", "R15.1-2", .unexpectedFrame, "UnexpectedFrame"
        ) { _ in [WireBytes.message("ab", total: 4), WireBytes.message("cd")] },
        message("too-much-data", "more data than total", "R15.1-1", .malformed, "ExcessData") { _ in
            [WireBytes.message("abc", total: 2)]
        },
        message("part-too-long", "a part with more than is lacking", "R15.1-1", .malformed, "ExcessData") { _ in
            [WireBytes.message("ab", total: 3), WireBytes.part("cd")]
        },
        message("no-data", "no data, and total is 3", "R15.1-1", .malformed, "EmptyData") { _ in
            [WireBytes.message("", total: 3)]
        },
        message("empty-part", "an empty part", "R15.1-1", .malformed, "EmptyData") { _ in
            [WireBytes.message("ab", total: 3), WireBytes.part("")]
        },
        message("too-long", "a total of maximumMessage + 1", "R15.1-3", .limitExceeded, "ExceedsLimit") {
            [WireBytes.message("ab", total: try $0.receiversMaximum() + 1)]
        },
        message("largest-total", "a total of 2^62 − 1", "R15.1-3 R15.1-4", .limitExceeded, "ExceedsLimit") { _ in
            [WireBytes.message("ab", total: VarInt.maximum)]
        },
    ]

    // MARK: Offers

    private static func open(
        _ id: String, _ comment: String, _ requirements: String, also: String = "", _ code: CloseCode, _ flag: String,
        _ frames: @escaping @Sendable (any LinkSender) throws -> [[UInt8]]
    ) -> LinkRule {
        LinkRule(id, comment, requirements, also: also, at: .open, code, flag, section: "15.3", frames)
    }

    package static let offers: [LinkRule] = [
        open(
            "15.3-first-id", "a first id that is the second", "R15.3-1", also: "R13.2-1", .malformed, "ValueOutOfRange"
        ) {
            [$0.fileOffer(1)]
        },
        open(
            "15.3-other-parity", "an id of the receiver's kind", "R15.3-1", also: "R13.2-1", .malformed,
            "ValueOutOfRange"
        ) { [WireBytes.fileOffer($0.receiversNumber(), size: 5)] },
        open(
            "15.3-second-parity", "a second id that is one more than the first", "R15.3-1", .malformed,
            "ValueOutOfRange"
        ) { [$0.fileOffer(), $0.fileCancel(), WireBytes.fileOffer($0.ownNumber() + 1, size: 5)] },
        open(
            "15.4-cancel-receivers", "FILE_CANCEL of a number of the receiver's kind", "R15.4-1", .unexpectedFrame,
            "UnexpectedFrame"
        ) { [$0.fileOffer(), WireBytes.fileCancel($0.receiversNumber(), reason: 1)] },
        open("15.3-size-too-large", "a size of 2^53", "R15.3-8", .malformed, "ValueOutOfRange") {
            [$0.fileOffer(size: 1 << 53)]
        },
        open("15.3-empty-name", "an empty name", "R3.3-1", .malformed, "LengthOutOfRange") { [$0.fileOffer(name: [])] },
        open("15.5-ill-formed-name", "a name that is not UTF-8", "R15.5-1", .malformed, "IllFormedText") {
            [$0.fileOffer(name: [0xC3, 0x28])]
        },
        open("15.3-even-field", "an even field", "R3.4-3", .unsupported, "UnknownCritical") {
            [WireBytes.fileOffer($0.ownNumber(), size: 5, fields: WireBytes.field(2, []))]
        },
        open("15.3-id-again", "an id that is used again", "R15.3-1", .malformed, "ValueOutOfRange") {
            [$0.fileOffer(), $0.fileCancel(), $0.fileOffer()]
        },
        open("15.3-data-unoffered", "FILE_DATA without an offer", "R13.2-2", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileData()]
        },
        open("15.3-end-unoffered", "FILE_END without an offer", "R13.2-2", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileEnd()]
        },
        open(
            "15.4-cancel-unoffered", "FILE_CANCEL without an offer", "R13.2-2", also: "R15.4-1", .unexpectedFrame,
            "UnexpectedFrame"
        ) { [$0.fileCancel()] },
    ]

    // MARK: Transfers

    private static func receiving(
        _ id: String, _ comment: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frames: @escaping @Sendable (any LinkSender) throws -> [[UInt8]]
    ) -> LinkRule {
        LinkRule(id, comment, requirements, at: .receiving, code, flag, section: "15.3", frames)
    }

    package static let transfers: [LinkRule] = [
        receiving("15.3-data-wrong-offset", "an offset that is too high", "R15.3-3", .malformed, "ValueOutOfRange") {
            [$0.fileData(at: 1, "x")]
        },
        receiving("15.3-data-twice", "an offset that is too low", "R15.3-3", .malformed, "ValueOutOfRange") {
            [$0.fileData(0, "he"), $0.fileData(at: 1, "l")]
        },
        receiving("15.3-data-empty", "no data", "R15.3-3", .malformed, "EmptyData") { [$0.fileData(0, "")] },
        receiving("15.3-data-beyond", "more data than size", "R15.3-3", .malformed, "ExcessData") {
            [$0.fileData(0, "hello!")]
        },
        receiving("15.3-data-behind-all", "data after all of size", "R15.3-3", .malformed, "ExcessData") {
            [$0.fileData(), $0.fileData(at: 5, "!")]
        },
        receiving(
            "15.3-data-other-file", "FILE_DATA of another file", "R13.2-2", .unexpectedFrame, "UnexpectedFrame"
        ) { [$0.fileData(1)] },
        receiving("15.3-end-early", "FILE_END before all of size", "R15.3-4", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileData(0, "he"), $0.fileEnd(of: "he")]
        },
        receiving("15.3-end-other-file", "FILE_END of another file", "R13.2-2", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileEnd(1)]
        },
        receiving("15.3-end-twice", "a second FILE_END", "R15.3-4", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileData(), $0.fileEnd(), $0.fileEnd()]
        },
        receiving("15.3-second-id", "a second offer with a wrong id", "R15.3-1", .malformed, "WrongNumber") {
            [$0.fileOffer(7)]
        },
        receiving("15.3-end-short", "a short FILE_END", "R3.3-1", .malformed, "Truncated") { _ in
            [WireBytes.frame(.fileEnd, [0, 1, 2])]
        },
        receiving(
            "15.4-cancel-other-file", "FILE_CANCEL of a file that was never offered", "R15.4-1", .unexpectedFrame,
            "UnexpectedFrame"
        ) { [$0.fileCancel(1)] },
    ]

    /// A file that the receiver cannot have accepted yet.
    package static let beforeAccept: [LinkRule] = [
        open(
            "15.3-offer-and-data", "FILE_DATA before FILE_ACCEPT", "R15.3-3", .unexpectedFrame, "UnexpectedFrame"
        ) { [$0.fileOffer(), $0.fileData()] },
        open("15.3-offer-and-end", "FILE_END before FILE_ACCEPT", "R15.3-4", .unexpectedFrame, "UnexpectedFrame") {
            [$0.fileOffer(), $0.fileEnd()]
        },
    ]
}
