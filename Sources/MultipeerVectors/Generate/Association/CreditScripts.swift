internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/credit`: SPEC §13.3–13.5.
struct CreditScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("credit", section: "13.3", subject: subject)
        try overdrafts(scripts)
        try limits(scripts)
        try raises(scripts)
        try ignored(scripts)
        try returns(scripts)
        try windows(scripts)
        return scripts
    }

    /// A message that uses so much credit.
    private func peersMessage(_ script: AssociationScript, using credit: Int) throws {
        try script.peer(Wire.frame(.message, Wire.varint(UInt64(credit - 64))), fill: credit - 64)
    }

    private func overdrafts(_ scripts: AssociationWriter) throws {
        // Four messages of 65,536 with their 64.
        func fill(_ script: AssociationScript) throws {
            for _ in 0..<4 { try peersMessage(script, using: 65_536) }
        }
        try scripts.works("messages as far as the limit", ["R13.3-1"]) { try fill($0) }
        try scripts.fails("credit_exceeded", "Overdraft", "an empty message more than the limit", ["R13.3-1"]) {
            try fill($0)
            try $0.peer(Wire.message([]))
        }
        try scripts.fails("credit_exceeded", "Overdraft", "a byte of a message more than the limit", ["R13.3-1"]) {
            for _ in 0..<3 { try peersMessage($0, using: 65_536) }
            try $0.peer(Wire.frame(.message, Wire.varint(65_473)), fill: 65_473)
        }
        try scripts.fails("credit_exceeded", "Overdraft", "a part more than the limit", ["R13.3-1", "R15.1-5"]) {
            for _ in 0..<3 { try peersMessage($0, using: 65_536) }
            try $0.quietly(Wire.frame(.message, Wire.varint(65_480)), fill: 65_472).quietly(Wire.part([1, 2, 3])).hear()
        }
        try scripts.works("32 openings", ["R13.3-1"]) { script in
            for index in 0..<32 { try script.peer(Wire.opening(script.peers(UInt64(index)))) }
        }
        try scripts.play(CreditRules.openings)
        try scripts.works("32 offers", ["R13.3-1", "R15.3-2"]) { script in
            for index in 0..<32 { try script.peer(Wire.fileOffer(script.peers(UInt64(index)), size: 5)) }
        }
        try scripts.play(CreditRules.offers)
        try scripts.works("32,768 bytes of a stream", ["R13.3-1"]) {
            try $0.peer(Wire.opening($0.peers())).peer(Wire.streamData($0.peers(), ""), fill: 32_768)
        }
        try scripts.fails("credit_exceeded", "Overdraft", "32,769 bytes of a stream", ["R13.3-1", "R15.6-2"]) {
            try $0.peer(Wire.opening($0.peers())).peer(Wire.streamData($0.peers(), ""), fill: 32_769)
        }
        try scripts.works("bytes towards the opener as far as its credit", ["R13.3-1"]) {
            try $0.opens(credit: 5).peer(Wire.streamData($0.own(), "hello"))
        }
        try scripts.fails("credit_exceeded", "Overdraft", "a byte towards the opener more than its credit", ["R13.3-1"])
        {
            try $0.opens(credit: 5).peer(Wire.streamData($0.own(), "hello!"))
        }
        try scripts.works("bytes of a file as far as its credit", ["R13.3-1"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 100_000)).accepts($0.peers(), credit: 40_000)
                .peer(Wire.fileData($0.peers(), offset: 0, []), fill: 40_000)
        }
        try scripts.fails("credit_exceeded", "Overdraft", "a byte of a file more than its credit", ["R13.3-1"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 100_000)).accepts($0.peers(), credit: 40_000)
                .peer(Wire.fileData($0.peers(), offset: 0, []), fill: 40_001)
        }
    }

    /// What a sender does with limits.
    private func limits(_ scripts: AssociationWriter) throws {
        try scripts.works("a message over the limit waits, and continues with CREDIT", ["R13.3-1", "R15.1-5"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_400) }
            try $0.sends("", fill: 1_000).peer(Wire.credit(0, 0, 262_144 + 500)).peer(Wire.credit(0, 0, 300_000))
        }
        try scripts.works("an empty message waits for 64", ["R13.3-1"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_472) }
            try $0.sends("").peer(Wire.credit(0, 0, 262_144 + 63)).peer(Wire.credit(0, 0, 262_144 + 64))
        }
        try scripts.works("a message with a byte waits for 65", ["R13.3-1", "R15.1-5"]) {
            for _ in 0..<4 { try $0.sends("", fill: 65_472) }
            try $0.sends("ab").peer(Wire.credit(0, 0, 262_144 + 64)).peer(Wire.credit(0, 0, 262_144 + 65))
                .peer(Wire.credit(0, 0, 262_144 + 66))
        }
        try scripts.works("the 33rd stream waits, and its number is the next one when it goes", ["R13.3-1", "R13.2-1"])
        {
            script in
            for _ in 0..<33 { try script.opens(credit: 0) }
            try script.offers().peer(Wire.credit(1, 0, 33)).opens()
        }
        try scripts.works("the 33rd offer waits", ["R13.3-1", "R15.3-2"]) { script in
            for _ in 0..<33 { try script.offers() }
            try script.peer(Wire.credit(2, 0, 40)).offers()
        }
        try scripts.works("bytes of a stream wait for CREDIT", ["R13.3-1"]) {
            try $0.opens().writes($0.own(), "", fill: 32_770).peer(Wire.credit(3, $0.own(), 32_769))
                .peer(Wire.credit(3, $0.own(), 65_536))
        }
        try scripts.works("bytes towards the opener wait for CREDIT", ["R13.3-1"]) {
            try $0.peer(Wire.opening($0.peers(), credit: 3)).writes($0.peers(), "hello")
                .peer(Wire.credit(3, $0.peers(), 4)).peer(Wire.credit(3, $0.peers(), VarInt.maximum))
        }
    }

    private func raises(_ scripts: AssociationWriter) throws {
        for (kind, name, limit) in [
            (CreditKind.messages, "messages", 262_144), (.openings, "openings", 32), (.offers, "offers", 32),
        ] as [(CreditKind, String, UInt64)] {
            try scripts.works("CREDIT of \(name): one more, and the largest", ["R13.4-2"], section: "13.4") {
                try $0.peer(Wire.credit(kind, limit: limit + 1), Wire.credit(kind, limit: VarInt.maximum))
            }
            try scripts.play(CreditRules.notRaised(kind))
        }
        let numbered: [(String, (AssociationScript) throws -> Void, (AssociationScript, UInt64) -> [UInt8], UInt64)] = [
            ("a stream", { try $0.opens() }, { Wire.credit(3, $0.own(), $1) }, 32_768),
            (
                "a stream of the peer's", { try $0.peer(Wire.opening($0.peers(), credit: 9)) },
                { Wire.credit(3, $0.peers(), $1) }, 9
            ),
            (
                "a file", { try $0.offers(size: 100).peer(Wire.fileAccept($0.own(), credit: 50)) },
                { Wire.credit(4, $0.own(), $1) }, 50
            ),
        ]
        for (name, begin, frame, limit) in numbered {
            try scripts.works("CREDIT of \(name): one more, and the largest", ["R13.4-2"], section: "13.4") {
                try begin($0)
                try $0.peer(frame($0, limit + 1), frame($0, VarInt.maximum))
            }
            try scripts.fails(
                "malformed", "NotRaised", "CREDIT of \(name): the limit that holds", ["R13.4-2"], section: "13.4"
            ) {
                try begin($0)
                try $0.peer(frame($0, limit))
            }
            try scripts.fails(
                "malformed", "NotRaised", "CREDIT of \(name): a lower limit behind a higher one", ["R13.4-2"],
                section: "13.4"
            ) {
                try begin($0)
                try $0.peer(frame($0, limit + 9), frame($0, limit + 8))
            }
        }
        try scripts.fails(
            "unexpected_frame", "UnexpectedFrame", "CREDIT of a file before FILE_ACCEPT", ["R13.4-3"], section: "13.4"
        ) { try $0.offers().peer(Wire.credit(4, $0.own(), 9)) }
        try scripts.fails(
            "unexpected_frame", "Precedence", "CREDIT of a file before FILE_ACCEPT, which would not raise",
            ["R13.4-3", "R15.4-1"], section: "13.4"
        ) { try $0.offers().peer(Wire.credit(4, $0.own(), 0)) }
        try scripts.fails(
            "unexpected_frame", "Precedence", "CREDIT of the wrong kind, which would not raise",
            ["R13.4-3", "R15.4-1"],
            section: "13.4"
        ) { try $0.opens().peer(Wire.credit(4, $0.own(), 0)) }
        try scripts.play(CreditRules.malformed)
    }

    private func ignored(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "CREDIT for a direction that has ended, raising or not", ["R13.4-4"], flags: ["CrossedFrame"],
            section: "13.4"
        ) {
            try $0.opens().stream("endStream", $0.own())
                .peer(Wire.credit(3, $0.own(), 90_000), Wire.credit(3, $0.own(), 1), Wire.streamData($0.own(), "on"))
        }
        try scripts.works(
            "CREDIT for a direction that never was", ["R13.4-4", "R15.6-8"], flags: ["CrossedFrame"], section: "13.4"
        ) { try $0.peer(Wire.opening($0.peers(), credit: 0)).peer(Wire.credit(3, $0.peers(), 90_000)) }
    }

    /// Openings and offers come back.
    private func returns(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "openings come back once streams have ended and all is taken; raised when less than half is unused",
            ["R13.5-1", "R13.5-2"], section: "13.5"
        ) { script in
            // 25 are live; 7 have ended, whole, unread.
            for index in 0..<UInt64(17) { try script.peer(Wire.opening(script.peers(index), credit: 0)) }
            for index in 0..<UInt64(7) {
                try script.peer(
                    Wire.streamData(script.peers(index), "hello"), Wire.streamEnd(script.peers(index), 5))
            }
            for index in 0..<UInt64(7) { try script.stream("takeStream", script.peers(index), count: 5) }
            try script.peer(Wire.opening(script.peers(17), credit: 0))
        }
        try scripts.works(
            "an opening does not come back before both directions have ended", ["R13.5-1"], section: "13.5"
        ) { script in
            for index in 0..<UInt64(17) { try script.peer(Wire.opening(script.peers(index))) }
            try script.peer(Wire.streamEnd(script.peers(), 0)).stream("endStream", script.peers())
        }
        try scripts.works("offers come back with their files", ["R13.5-1", "R13.5-2"], section: "13.5") { script in
            for index in 0..<UInt64(17) { try script.peer(Wire.fileOffer(script.peers(index), size: 0)) }
            try script.peer(Wire.fileCancel(script.peers(0)))
            try script.accepts(script.peers(1))
                .peer(Wire.fileEnd(script.peers(1), digest: FileAccept.digestOfNothing))
                .file("confirmFile", script.peers(1))
            try script.file("refuseFile", script.peers(2), reason: 1).peer(Wire.fileCancel(script.peers(2), reason: 1))
        }
    }

    private func windows(_ scripts: AssociationWriter) throws {
        func section(
            _ comment: String, _ requirements: [String] = ["R13.5-1", "R13.5-2"],
            _ body: (AssociationScript) throws -> Void
        ) throws { try scripts.works(comment, requirements, section: "13.5") { try body($0) } }
        try section("messages: nothing is granted while half is unused, and all that was taken then") {
            for _ in 0..<2 { try peersMessage($0, using: 65_536) }
            try $0.takes(2)
            try $0.peer(Wire.message([]))
            try $0.takes(1)
        }
        try section("messages: what the app does not take is not granted", ["R13.3-2", "R13.5-1"]) {
            for _ in 0..<3 { try peersMessage($0, using: 65_536) }
            try $0.takes(1).takes(1)
            try peersMessage($0, using: 65_536)
            try $0.takes(2)
        }
        try section("a stream: CREDIT once less than half is unused") {
            let id = $0.peers()
            try $0.peer(Wire.opening(id)).peer(Wire.streamData(id, ""), fill: 16_384)
                .stream("takeStream", id, count: 16_384).peer(Wire.streamData(id, "x"))
                .stream("takeStream", id, count: 1)
        }
        try section("a stream that the receiver opened: its window is its credit") {
            let id = $0.own()
            try $0.opens(credit: 10).peer(Wire.streamData(id, "hello")).stream("takeStream", id, count: 5)
                .peer(Wire.streamData(id, "!")).stream("takeStream", id, count: 1)
        }
        try section("an app that takes nothing of one stream: the other one continues", ["R13.3-2"]) {
            let (slow, fast) = ($0.peers(0), $0.peers(1))
            try $0.peer(Wire.opening(slow), Wire.opening(fast)).peer(Wire.streamData(slow, ""), fill: 32_768)
                .peer(Wire.streamData(fast, ""), fill: 32_768).stream("takeStream", fast, count: 32_768)
                .peer(Wire.streamData(fast, "more")).sends("still here")
        }
        try section("a file: CREDIT once less than half is unused, and not beyond its size") {
            let id = $0.peers()
            try $0.peer(Wire.fileOffer(id, size: 60_000)).accepts(id, credit: 40_000)
                .peer(Wire.fileData(id, offset: 0, []), fill: 20_000).file("takeFile", id, count: 20_000)
                .peer(Wire.fileData(id, offset: 20_000, [1])).file("takeFile", id, count: 1)
        }
        try section("a file accepted with a credit of 0 is raised to the window") {
            try $0.peer(Wire.fileOffer($0.peers(), size: 100_000)).accepts($0.peers(), credit: 0)
        }
        try section("a file accepted with less than the window, and smaller than that") {
            try $0.peer(Wire.fileOffer($0.peers(), size: 100)).accepts($0.peers(), credit: 10)
        }
        try section("a file accepted without a credit: as much as is lacking, at most 1,048,576") {
            try $0.peer(Wire.fileOffer($0.peers(0), size: 5), Wire.fileOffer($0.peers(1), size: 5_000_000))
                .accepts($0.peers(0)).accepts($0.peers(1))
        }
        try section("a folder whose manifest the app looks at first", ["R13.5-2"]) {
            let id = $0.peers()
            try $0.peer(Wire.fileOffer(id, size: 100_000, type: 2, manifest: 40)).accepts(id, credit: 40, looks: true)
                .peer(Wire.fileData(id, offset: 0, []), fill: 40).file("takeFile", id, count: 40).clock(60_000)
                .app("consentFile", ["file": .wide(id)])
        }
    }
}
