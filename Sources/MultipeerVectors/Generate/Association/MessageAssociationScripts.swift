internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/long-messages`: SPEC §15.1, §13.5.
struct LongMessageScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Setting = AssociationWriter.Setting

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("long-messages", section: "15.1", subject: subject)
        try received(scripts)
        try sent(scripts)
        try faults(scripts)
        return scripts
    }

    /// The beginning of a message, with as much as fits into a frame or less.
    private func begin(_ script: AssociationScript, total: UInt64, _ count: Int) throws {
        try script.peer(Wire.frame(.message, Wire.varint(total)), fill: count)
    }

    private func parts(_ script: AssociationScript, _ counts: Int...) throws {
        for count in counts { try script.peer(Wire.part([]), fill: count) }
    }

    private func received(_ scripts: AssociationWriter) throws {
        try scripts.works("a message in parts, within the limit", ["R15.1-1"]) {
            try begin($0, total: 100_000, 1)
            try parts($0, 60_000, 39_999)
            try $0.takes().clock(20)
        }
        try scripts.works("300,000 bytes: the limit is raised as far as the message goes", ["R13.5-3", "R13.5-2"]) {
            try begin($0, total: 300_000, 60_000)
            try parts($0, 60_000, 60_000, 60_000, 60_000)
            try $0.clock(20).takes()
        }
        try scripts.works(
            "a message behind another one that the app has not taken", ["R13.5-3", "R13.5-1"]
        ) {
            for _ in 0..<3 { try $0.peer(Wire.frame(.message, Wire.varint(65_000)), fill: 65_000) }
            try begin($0, total: 100_000, 1)
            try parts($0, 60_000)
            try $0.takes(3)
            try parts($0, 39_999)
            try $0.takes(1)
        }
        let setting = Setting(maximumMessage: 4_000_000)
        try scripts.works(
            "4,000,000 bytes: the window first, then at most 1,048,576 at a time", ["R13.5-3", "R13.5-5"], setting
        ) { script in
            try begin(script, total: 4_000_000, 60_000)
            for _ in 0..<20 { try parts(script, 60_000) }
            try script.clock(59_999)
            try parts(script, 60_000)
        }
        try scripts.works("the longest message", ["R15.1-3"], Setting(maximumMessage: 10)) {
            try $0.peer(Wire.message(Array("0123456789".utf8)))
        }
    }

    private func sent(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "a long message begins with what credit allows, and continues with CREDIT", ["R15.1-5", "R13.3-1"]
        ) {
            try $0.sends("", fill: 300_000, tag: 1).peer(Wire.credit(0, 0, 262_145), Wire.credit(0, 0, 300_064))
        }
        try scripts.works("it begins with credit for one byte", ["R15.1-5"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_472) }
            try $0.sends("abc").peer(Wire.credit(0, 0, 262_144 + 65), Wire.credit(0, 0, 262_144 + 66))
                .peer(Wire.credit(0, 0, 262_144 + 67))
        }
        try scripts.works("two that wait go in their order", ["R15.1-5"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_472) }
            try $0.sends("one").sends("").sends("three").peer(Wire.credit(0, 0, 262_144 + 3 * 64 + 8))
        }
        try scripts.works(
            "a message that is longer than the peer takes is not sent, and others are", ["R15.1-3"],
            Setting(peerMaximum: 4)
        ) { try $0.sends("hello", tag: 1).sends("four", tag: 2) }
        try scripts.works("what has begun cannot be taken back; what waits can", ["R15.1-5", "R13.6-3"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_472) }
            try $0.sends("begun", tag: 1).sends("waits", tag: 2).sends("last", tag: 3)
                .peer(Wire.credit(0, 0, 262_144 + 66)).app("takeBack", ["tag": 1]).app("takeBack", ["tag": 2])
                .peer(Wire.credit(0, 0, 300_000)).app("takeBack", ["tag": 3])
        }
    }

    private func faults(_ scripts: AssociationWriter) throws {
        let setting = Setting(maximumMessage: 10)
        try scripts.fails("limit_exceeded", "ExceedsLimit", "one byte more than maximumMessage", ["R15.1-3"], setting) {
            try $0.peer(Wire.message(Array("0123456789a".utf8)))
        }
        try scripts.fails("unexpected_frame", "UnexpectedFrame", "a message within a message", ["R15.1-2"]) {
            try begin($0, total: 300_000, 10)
            try $0.peer(Wire.message([1]))
        }
        try scripts.fails("unexpected_frame", "UnexpectedFrame", "a part of no message", ["R15.1-2"]) {
            try $0.peer(Wire.message([1]), Wire.part([1]))
        }
        try scripts.fails("malformed", "ExcessData", "a part with more than is lacking", ["R15.1-1"]) {
            try $0.peer(Wire.message([1], total: 3), Wire.part([1, 2, 3]))
        }
        try scripts.fails(
            "unexpected_frame", "Precedence", "a message within a message, over the credit", ["R15.1-2", "R18-1"]
        ) {
            for _ in 0..<3 { try $0.peer(Wire.frame(.message, Wire.varint(65_472)), fill: 65_472) }
            try $0.quietly(Wire.frame(.message, Wire.varint(300_000)), fill: 65_472).peer(Wire.message([1]))
        }
        try scripts.fails(
            "malformed", "Precedence", "a part with more than is lacking, over the credit", ["R15.1-1", "R18-1"]
        ) {
            for _ in 0..<3 { try $0.peer(Wire.frame(.message, Wire.varint(65_472)), fill: 65_472) }
            try $0.quietly(Wire.frame(.message, Wire.varint(65_473)), fill: 65_472).peer(Wire.part([1, 2]))
        }
    }
}

/// `association/acknowledgements`: SPEC §13.6.
struct AckScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("acknowledgements", section: "13.6", subject: subject)
        try sent(scripts)
        try received(scripts)
        try results(scripts)
        return scripts
    }

    private func sent(_ scripts: AssociationWriter) throws {
        try scripts.works("ACK 20 ms after the first frame", ["R13.6-1"]) {
            try $0.peer(Wire.message([1])).clock(19).peer(Wire.message([2])).clock(1).clock(1_000)
                .peer(Wire.message([3])).clock(20)
        }
        try scripts.works("ACK with the 64th message, and not again 20 ms after the first", ["R13.6-1"]) { script in
            for _ in 0..<64 { try script.peer(Wire.message([])) }
            try script.clock(20).peer(Wire.message([])).clock(20)
        }
        try scripts.works("ACK with 65,536 bytes of payloads, and not with one less", ["R13.6-1"]) {
            try $0.peer(Wire.frame(.message, Wire.varint(65_000)), fill: 65_000)
                .peer(Wire.frame(.message, Wire.varint(529)), fill: 529).peer(Wire.message([1])).clock(20)
        }
        try scripts.works("each part of a message counts", ["R13.6-1"]) {
            try $0.peer(Wire.message([1], total: 3)).clock(30).peer(Wire.part([2])).clock(30).peer(Wire.part([3]))
                .clock(19).clock(1)
        }
        try scripts.works("frames of streams count as well", ["R13.6-1"]) {
            try $0.peer(Wire.opening($0.peers()), Wire.streamData($0.peers(), "hello")).clock(30)
        }
        try scripts.works("whether the app has taken them does not matter", ["R13.6-1"]) {
            try $0.peer(Wire.message([1])).clock(20).takes().clock(30)
        }
    }

    private func received(_ scripts: AssociationWriter) throws {
        try scripts.works("ACK counts in steps", ["R13.6-2", "R13.6-3"]) {
            try $0.sends("a", tag: 1).sends("b", tag: 2).sends("c", tag: 3).peer(Wire.ack(1), Wire.ack(3))
        }
        let bad: [(String, String, (AssociationScript) throws -> Void)] = [
            ("ACK of 0", "NotRaised", { try $0.sends("a").peer(Wire.ack(0)) }),
            ("ACK of 0, nothing sent", "NotRaised", { try $0.peer(Wire.ack(0)) }),
            ("the same ACK again", "NotRaised", { try $0.sends("a").sends("b").peer(Wire.ack(1), Wire.ack(1)) }),
            ("a lesser ACK", "NotRaised", { try $0.sends("a").sends("b").peer(Wire.ack(2), Wire.ack(1)) }),
            ("ACK of more than was sent", "ExceedsSent", { try $0.sends("a").peer(Wire.ack(2)) }),
            ("the largest ACK", "ExceedsSent", { try $0.sends("a").peer(Wire.ack(VarInt.maximum)) }),
            (
                "ACK of a part that has not been sent", "ExceedsSent",
                { try $0.sends("", fill: 300_000).peer(Wire.ack(300_000)) }
            ),
        ]
        for (comment, flag, body) in bad { try scripts.fails("malformed", flag, comment, ["R13.6-2"]) { try body($0) } }
    }

    private func results(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "the end of the link: delivered is what ACK counted, the rest is in doubt", ["R13.6-3"]
        ) { try $0.sends("a", tag: 1).sends("b", tag: 2).sends("c", tag: 3).peer(Wire.ack(1)).end() }
        try scripts.works("the end of the link: what waits, and what is sent in part, is not sent", ["R13.6-3"]) {
            try $0.sends("whole", tag: 1).sends("", fill: 300_000, tag: 2).sends("waits", tag: 3).end()
        }
        try scripts.works("taken back before it was begun", ["R13.6-3"]) {
            try $0.sends("", fill: 300_000, tag: 1).sends("waits", tag: 2).app("takeBack", ["tag": 2]).end()
        }
    }
}

/// `association/keep-alive`: SPEC §13.7.
struct KeepAliveScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Setting = AssociationWriter.Setting

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("keep-alive", section: "13.7", subject: subject)
        let (one, two) = (Array(1...8 as ClosedRange<UInt8>), Array(11...18 as ClosedRange<UInt8>))
        try scripts.works("PING is answered with its data", ["R13.7-1"]) { try $0.peer(Wire.ping(one), Wire.ping(two)) }
        try scripts.works("of two PINGs that wait the last is answered", ["R13.7-1"]) {
            try $0.quietly(Wire.ping(one)).peer(Wire.ping(two))
        }
        try scripts.works("PONG that answers nothing is ignored", ["R13.7-2"], flags: ["CrossedFrame"]) {
            try $0.peer(Wire.pong(one), Wire.pong(one))
        }
        try scripts.play(CreditRules.pong)
        let times = Setting(keepAlive: (5_000, 15_000))
        try scripts.works("PING after 5 s, and again every 5 s", ["R13.7-3"], times) {
            try $0.clock(4_999).clock(1).clock(4_999).clock(1)
        }
        try scripts.fails("silent", "Late", "silent after 15 s", ["R13.7-3"], times) {
            try $0.clock(5_000).clock(5_000).clock(4_999).clock(1)
        }
        try scripts.works("any frame puts both off", ["R13.7-3"], times) {
            try $0.clock(4_000).peer(Wire.message([])).clock(4_999).clock(1).peer(Wire.pong(one)).clock(4_999).clock(1)
        }
        try scripts.fails(
            "silent", "Late", "PINGs of one's own show no life", ["R13.7-3"], Setting(keepAlive: (1_000, 2_500))
        ) {
            try $0.clock(1_000).clock(1_000).clock(499).clock(1)
        }
        try scripts.works("PING alone, never silent", ["R13.7-3"], Setting(keepAlive: (5_000, nil))) { script in
            for _ in 0..<5 { try script.clock(5_000) }
        }
        try scripts.works("without keep-alive nothing is asked", ["R13.7-3"]) { try $0.clock(3_600_000) }
        try scripts.fails("silent", "Late", "silent 15 s after the last frame", ["R13.7-3"], times) {
            try $0.clock(5_000).clock(5_000).peer(Wire.message([])).clock(5_000).clock(5_000).clock(4_999).clock(1)
        }
        return scripts
    }
}

/// `association/priorities`: SPEC §15.2.
struct PriorityScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("priorities", section: "15.2", subject: subject)
        try scripts.works("STREAM_END waits behind data that waits for credit", ["R15.2-2"]) {
            try $0.opens().writes($0.own(), "", fill: 32_769).stream("endStream", $0.own())
                .peer(Wire.credit(3, $0.own(), 40_000))
        }
        try scripts.works("STREAM_END of an empty direction goes at once, whatever waits elsewhere", ["R15.2-2"]) {
            try $0.opens().opens().writes($0.own(0), "", fill: 32_769).stream("endStream", $0.own(1))
        }
        try scripts.works("FILE_END waits behind data that waits for credit", ["R15.2-2", "R15.3-4"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), credit: 2)).supplies($0.own())
                .peer(Wire.credit(4, $0.own(), 4)).peer(Wire.credit(4, $0.own(), 5))
        }
        try scripts.works("STREAM_RESET drops data that waits", ["R15.6-4"]) {
            try $0.opens().writes($0.own(), "", fill: 40_000).stream("resetStream", $0.own(), code: 64)
                .peer(Wire.credit(3, $0.own(), 90_000))
        }
        try scripts.works("control frames do not wait for credit of messages", ["R15.2-2"]) {
            try $0.sends("", fill: 300_000).peer(Wire.ping([1, 2, 3, 4, 5, 6, 7, 8])).opens()
        }
        return scripts
    }
}
