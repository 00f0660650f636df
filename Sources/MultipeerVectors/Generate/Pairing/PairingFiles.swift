internal import MultipeerCrypto
internal import MultipeerSodium

/// `pairing/`: SPEC §25.
struct PairingFiles {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try ShortStringFile(subject: subject).write().file(), try codes().file(),
            try CodeExchangeFile(subject: subject).write().file(),
            try VerificationFrames(subject: subject).write().file(),
        ]
    }

    private func codes() throws -> CaseWriter {
        let cases = CaseWriter(
            "pairing/one-time-code", topic: "pairing-code", type: .oneTimeCode, section: "25.4", subject: subject)
        func inputs(_ text: String) -> JSONValue { ["text": .hex(Array(text.utf8))] }
        let (first, last) = (PairingWords.all[0], PairingWords.all[1_023])
        for (comment, text) in [
            ("the normal form", "4-tulip-orbit"), ("one word twice", "12-tulip-tulip"),
            ("the least number", "1-tulip-orbit"), ("the greatest number", "999-tulip-orbit"),
            ("the first and the last word", "7-\(first)-\(last)"),
        ] { try cases.accept(comment, ["R25.4-1", "R25.2-1"], inputs(text)) }
        let spaces = String(repeating: " ", count: 51)
        for (comment, text) in [
            ("in capitals", "4-TULIP-Orbit"), ("with spaces", "4 tulip orbit"), ("with tabs", "4\ttulip\torbit"),
            ("with runs of all three", " - 4 --\t tulip  - -orbit\t-"),
            ("with low lines", "4_tulip_orbit"), ("with the end of its line", "4-tulip-orbit\n"),
            ("in three lines of another system", "4\r\ntulip\r\norbit\r\n"),
            ("of 64 bytes", "4-tulip-orbit\(spaces)"),
        ] { try cases.accept(comment, ["R25.4-1"], flags: ["Normalized"], inputs(text)) }
        func refuse(_ flag: String, _ comment: String, _ text: [UInt8]) throws {
            try cases.drop("bad_code", flag, comment, ["R25.4-1"], ["text": .hex(text)])
        }
        for (flag, comment, text) in [
            ("LengthOutOfRange", "nothing", ""), ("LengthOutOfRange", "separators alone", " - \t"),
            ("LengthOutOfRange", "65 bytes", "4-tulip-orbit \(spaces)"),
            ("Truncated", "one word", "4-tulip"), ("TrailingBytes", "three words", "4-tulip-orbit-acorn"),
            ("MissingField", "no number", "tulip-orbit"),
            ("MissingField", "no separator behind the number", "4tulip-orbit"),
            ("MissingField", "the number last", "tulip-orbit-4"), ("ValueOutOfRange", "number 0", "0-tulip-orbit"),
            ("ValueOutOfRange", "number 1000", "1000-tulip-orbit"),
            ("ValueOutOfRange", "a leading zero", "04-tulip-orbit"), ("ValueOutOfRange", "a sign", "+4-tulip-orbit"),
            ("UnknownWord", "a letter changed", "4-tulib-orbit"), ("UnknownWord", "a letter left out", "4-tulip-obit"),
            ("UnknownWord", "two letters changed places", "4-tulpi-orbit"),
            ("UnknownWord", "four letters", "4-tuli-orbi"),
            ("UnknownWord", "a full stop between the words", "4-tulip.orbit"),
            ("UnknownWord", "a dash that is no hyphen", "4-tulip\u{2013}orbit"),
            ("UnknownWord", "a letter of another script", "4-tul\u{0456}p-orbit"),
            ("UnknownWord", "a space that is none of ours", "4-tulip\u{00A0}orbit"),
            ("UnknownWord", "a line tabulation", "4-tulip-orbit\u{0B}"),
        ] { try refuse(flag, comment, Array(text.utf8)) }
        try refuse("IllFormedText", "a byte that is no text", Array("4-tulip-orb".utf8) + [0xFF] + Array("it".utf8))
        return cases
    }
}

/// The exports that a case begins with.
struct PairingLink {
    var key = "pairing"
    var hash = "pairing hash"
    var initiator = "pairing initiator"
    var responder = "pairing responder"

    /// Both peers see the initiator of the link as the responder, as an attacker that reflects makes them.
    var exchanged: PairingLink {
        PairingLink(key: key, hash: hash, initiator: responder, responder: initiator)
    }

    func inputs(_ samples: Samples) -> [String: JSONValue] {
        [
            "exporterKey": .hex(samples.bytes32(key)), "handshakeHash": .hex(samples.bytes32(hash)),
            "initiatorKey": .hex(samples.bytes32(initiator)), "responderKey": .hex(samples.bytes32(responder)),
        ]
    }

    /// The links that differ from the usual one in one thing.
    static let others: [(comment: String, link: PairingLink)] = [
        ("another exporter key", PairingLink(key: "another pairing")),
        ("another handshake hash", PairingLink(hash: "another pairing hash")),
        ("another initiator", PairingLink(initiator: "another pairing initiator")),
        ("another responder", PairingLink(responder: "another pairing responder")),
        ("exchanged roles", PairingLink().exchanged),
    ]
}
