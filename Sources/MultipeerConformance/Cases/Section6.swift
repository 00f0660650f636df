import MultipeerScriptedPeer
import MultipeerWire

/// Records and framing.
enum Section6 {
    static let cases: [ConformanceCase] = magic + firstRecords + laterRecords + frames

    // MARK: Magic

    private static func badMagic(_ topic: String, _ title: String, _ bytes: [UInt8]) -> ConformanceCase {
        ConformanceCase(
            "6.1-magic-\(topic)", title, "R6.1-1 R6.2-3 R7.5-5",
            expects: "the end of the stream without an answer, at that byte"
        ) { (play: Play) throws(Interruption) -> Evidence in
            if play.role == .responder { _ = try play.awaitHello() }
            try play.peer.sendRaw(bytes, note: "\(bytes.count) bytes")
            return try play.expectSilentEnd()
        }
    }

    private static let magic: [ConformanceCase] = [
        badMagic("http", "A web browser's request in place of magic", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
        badMagic("first-byte", "A wrong first byte, and no other", [0x4E]),
        badMagic("fifth-byte", "Four right bytes of magic and a wrong one", Array(Magic.bytes.prefix(4)) + [0x53]),
        badMagic("line-ends", "Magic whose line end was translated", Array(Magic.bytes.prefix(5)) + [0x0A]),
        badMagic("last-byte", "Seven right bytes of magic and a wrong one", Array(Magic.bytes.prefix(7)) + [0x01]),
    ]

    // MARK: The first record

    private static func badFirst(
        _ id: String, _ title: String, _ requirements: String, tester: StreamRole? = nil, _ bytes: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "the end of the stream without an answer, at that byte", tester: tester
        ) { (play: Play) throws(Interruption) -> Evidence in
            if play.role == .responder { _ = try play.awaitHello() }
            try play.peer.sendRaw(Magic.bytes + bytes, note: "magic, and \(bytes.count) bytes of a record")
            return try play.expectSilentEnd()
        }
    }

    private static let firstRecords: [ConformanceCase] = [
        badFirst("6.2-first-unknown-kind", "A first record of an unknown kind", "R6.2-1", [0x7F]),
        badFirst("6.2-first-encrypted", "ENCRYPTED as the first record", "R6.2-2", [0x10]),
        badFirst("6.2-first-authenticated", "AUTHENTICATED as the first record", "R6.2-2", [0x11]),
        badFirst("6.2-first-refusal", "REFUSAL from an initiator", "R6.2-2", tester: .initiator, [0x02]),
        badFirst("6.2-hello-too-short", "The header of a HELLO of 38 bytes", "R6.2-1", WireBytes.header(0x01, 38)),
        badFirst("6.2-hello-too-long", "The header of a HELLO of 4,097 bytes", "R6.2-1", WireBytes.header(0x01, 4_097)),
        badFirst(
            "6.2-refusal-too-long", "The header of a REFUSAL of 257 bytes", "R6.2-1", tester: .responder,
            WireBytes.header(0x02, 257)),
    ]

    // MARK: Later records

    private static let laterRecords: [ConformanceCase] = [
        .pokeRaw("6.2-unknown-kind", "A record of an unknown kind", "R6.2-1", at: .identified, .malformed, [0x12]),
        .pokeRaw(
            "6.2-unknown-kind-early", "A record of an unknown kind before PROOF", "R6.2-1", at: .channel, .malformed,
            [0x00]),
        .pokeRaw("6.2-second-hello", "A second HELLO", "R6.2-2", at: .channel, .unexpectedRecord, [0x01]),
        .pokeRaw("6.2-late-hello", "HELLO on an open link", "R6.2-2", at: .open, .unexpectedRecord, [0x01]),
        .pokeRaw("6.2-late-refusal", "REFUSAL after HELLO", "R6.2-2", at: .channel, .unexpectedRecord, [0x02]),
        .pokeRaw(
            "6.2-record-too-short", "The header of an ENCRYPTED record of 17 bytes", "R6.2-1", at: .identified,
            .malformed, WireBytes.header(0x10, 17)),
        .pokeRaw(
            "6.2-record-too-long", "The header of an ENCRYPTED record of 65,533 bytes", "R6.2-1", at: .open, .malformed,
            WireBytes.header(0x10, 65_533)),
        .pokeRaw(
            "6.2-length-before-limit",
            "The header of a record of 65,533 bytes before PROOF: length comes before limits",
            "R6.2-1 R18-1", at: .channel, .malformed, WireBytes.header(0x10, 65_533)),
        ConformanceCase(
            "6.2-longest-record", "A record of 65,535 bytes on an open link", "R6.2-1",
            expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.peer.send(WireBytes.padding(65_511))
            return try play.expectAlive()
        },
    ]

    // MARK: Frames

    private static let frames: [ConformanceCase] = [
        .poke(
            "6.3-frame-too-long", "A frame that claims more than its record holds", "R6.3-1", at: .identified,
            .malformed, WireBytes.varint(WireBytes.unknownOdd) + [0x20, 1, 2, 3]),
        ConformanceCase(
            "6.3-frame-spans", "A frame cut into two records", "R6.3-1",
            expects: "CLOSE malformed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.proved)
            let frame = WireBytes.peerInfo()
            try play.peer.send(Array(frame.prefix(9)))
            try play.peer.send(Array(frame.dropFirst(9)))
            return try play.expectClose(.malformed)
        },
        .poke(
            "6.3-order", "An unknown even frame behind PROOF in one record: PROOF counts first", "R6.3-2 R6.4-2",
            at: .channel, .unsupported
        ) { (play: Play) throws(Interruption) -> [UInt8] in
            if play.role == .initiator { _ = try play.take(.proof) }
            play.peer.behavior.sentProof = true
            let proof = try play.peer.proof()
            return proof.encoded() + WireBytes.even
        },
        ConformanceCase(
            "6.3-one-record", "PROOF, PEER_INFO and ignorable frames in one record", "R6.3-2 R6.4-1",
            expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            if play.role == .initiator { _ = try play.take(.proof) }
            play.peer.behavior.sentProof = true
            let proof = try play.peer.proof()
            try play.peer.send(
                proof.encoded() + WireBytes.padding() + WireBytes.odd + WireBytes.peerInfo() + WireBytes.odd)
            if play.role == .responder { _ = try play.take(.proof) }
            _ = try play.take(.peerInfo)
            play.stage = .identified
            return try play.mustReach(.open).and(try play.expectAlive())
        },
        .poke(
            "6.4-odd-before-proof", "An unknown odd frame before PROOF", "R6.4-3", at: .channel, .unexpectedFrame,
            WireBytes.odd),
        .poke(
            "6.4-even-before-proof", "An unknown even frame before PROOF", "R6.4-3", at: .channel, .unexpectedFrame,
            WireBytes.even),
        ConformanceCase(
            "6.4-odd-everywhere", "Unknown odd frames, GREASE and PADDING between all frames", "R6.4-1",
            expects: "a session opens, and CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.proved)
            for stage in [Play.Stage.identified, .agreed, .certified, .open] {
                try play.peer.send(WireBytes.odd + WireBytes.frame(WireBytes.greaseType, [0]) + WireBytes.padding(0))
                try play.advance(to: stage)
            }
            try play.peer.send(WireBytes.frame(WireBytes.unknownOdd, [UInt8](repeating: 1, count: 40_000)))
            return try play.expectAlive()
        },
        ConformanceCase(
            "6.5-padding", "Every record is padded, by any content", "R6.4-1",
            expects: "a session opens, and CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.proved)
            try play.peer.send(
                WireBytes.padding(1_000) + WireBytes.peerInfo() + WireBytes.frame(.padding, [0, 0x3F, 0xFF]))
            play.stage = .identified
            return try play.mustReach(.open).and(try play.expectAlive())
        },
    ]
}
