import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Record protection.
enum Section12 {
    private static let places: [(stage: Play.Stage, topic: String, words: String)] = [
        (.channel, "early", "before PROOF"), (.identified, "identified", "after PEER_INFO"),
        (.open, "open", "on an open link"),
    ]

    /// Changes a record. The peer must find that it does not verify.
    private static func breaks(
        _ topic: String, _ title: String, _ requirements: String = "R12.4-1",
        _ body: @escaping @Sendable (Play) throws(Interruption) -> Void
    ) -> [ConformanceCase] {
        places.map { place in
            ConformanceCase(
                "12.4-\(topic)-\(place.topic)", "\(title), \(place.words)", requirements,
                expects: "CLOSE decrypt_failed, nothing of the record acted on, then the end of the stream"
            ) { (play: Play) throws(Interruption) -> Evidence in
                try play.reach(place.stage)
                try body(play)
                // Genuine, but nobody can read it any more. A peer that continues would answer it.
                return try play.expectClose(.decryptFailed)
            }
        }
    }

    /// A frame that is legal in the place: only the record's protection is wrong.
    private static func legalFrames(_ play: Play) throws(Interruption) -> [UInt8] {
        guard play.stage == .channel else { return WireBytes.padding(20) }
        if play.role == .initiator { _ = try play.take(.proof) }
        play.peer.behavior.sentProof = true
        return try play.peer.proof().encoded()
    }

    private static func sendFlipped(_ play: Play, _ offset: (Int) -> Int) throws(Interruption) {
        var record = try play.peer.seal(try legalFrames(play))
        record[offset(record.count)] ^= 0x10
        try play.peer.send(record: record, note: "ENCRYPTED with a flipped bit")
    }

    private static let tampering: [ConformanceCase] =
        breaks("flipped-tag", "A flipped bit of the tag") { (play) throws(Interruption) in
            try sendFlipped(play) { $0 - 1 }
        }
        + breaks("flipped-text", "A flipped bit of the ciphertext") { (play) throws(Interruption) in
            try sendFlipped(play) { _ in 5 }
        }
        + breaks("shortened", "A record that lost its last byte, with a header to match") {
            (play) throws(Interruption) in
            var record = try play.peer.seal(try legalFrames(play))
            record.removeLast()
            record.replaceSubrange(0..<3, with: WireBytes.header(0x10, record.count - 3))
            try play.peer.send(record: record, note: "ENCRYPTED, a byte shorter")
        }
        + breaks("unauthenticated-header", "A record sealed with another header") { (play) throws(Interruption) in
            let frames = try legalFrames(play)
            let other = WireBytes.header(RecordKind.authenticated.rawValue, frames.count + aeadTagLength)
            let record = try play.peer.seal(frames, authenticating: other)
            try play.peer.send(record: record, note: "ENCRYPTED, sealed for AUTHENTICATED's header")
        }
        + breaks("dropped", "A record is missing") { (play) throws(Interruption) in
            let frames = try legalFrames(play)
            _ = try play.peer.seal(frames)
            try play.peer.send(frames)
        }
        + breaks("reflected", "The peer's own record comes back") { (play) throws(Interruption) in
            if play.role == .responder, play.stage == .channel {
                throw .skipped("an initiator has sent no record yet")
            }
            if play.stage == .channel { _ = try play.take(.proof) }
            guard let record = play.peer.records.last(where: { $0[0] == 0x10 && $0.count <= 1_024 }) else {
                throw .inconclusive("the peer has sent no record")
            }
            try play.peer.send(record: record, note: "the peer's own ENCRYPTED record")
        }

    private static let order: [ConformanceCase] = [
        replay("identified", "after PEER_INFO", .identified), replay("open", "on an open link", .open),
        ConformanceCase(
            "12.4-reordered", "Two records change places", "R12.4-1",
            expects: "CLOSE decrypt_failed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let first = try play.peer.seal(WireBytes.padding(10))
            let second = try play.peer.seal(WireBytes.padding(11))
            try play.peer.send(record: second, note: "the second ENCRYPTED record")
            try play.peer.send(record: first, note: "the first ENCRYPTED record")
            return try play.expectClose(.decryptFailed)
        },
        ConformanceCase(
            "12.4-flipped-readable", "A flipped bit of readable payload", "R12.4-1",
            expects: "CLOSE decrypt_failed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reachReadable()
            var record = try play.peer.seal(WireBytes.message(Array("readable".utf8)), as: .authenticated)
            record[8] ^= 0x20
            try play.peer.send(record: record, note: "AUTHENTICATED with a flipped bit")
            return try play.expectClose(.decryptFailed)
        },
        wrongKind("early", "before PROOF", .channel), wrongKind("identified", "after PEER_INFO", .identified),
        wrongKind("certified", "after CERTIFICATES", .certified),
        ConformanceCase(
            "12.4-protection-before-tag", "An AUTHENTICATED record with a wrong tag on an encrypted link",
            "R12.4-2 R18-1", expects: "CLOSE wrong_protection: the kind is looked at before the tag"
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.preference = .required
            try play.reach(.open)
            try play.peer.send(
                record: WireBytes.header(0x11, 40) + [UInt8](repeating: 0xAA, count: 40),
                note: "AUTHENTICATED, not sealed")
            return try play.expectClose(.wrongProtection, probing: false)
        },
    ]

    private static func replay(_ topic: String, _ words: String, _ stage: Play.Stage) -> ConformanceCase {
        ConformanceCase(
            "12.4-replayed-\(topic)", "A record comes twice, \(words)", "R12.4-1",
            expects: "CLOSE decrypt_failed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            let record = try play.peer.seal(WireBytes.padding(10))
            try play.peer.send(record: record, note: "an ENCRYPTED record")
            try play.peer.send(record: record, note: "the same ENCRYPTED record")
            return try play.expectClose(.decryptFailed)
        }
    }

    private static func wrongKind(_ topic: String, _ words: String, _ stage: Play.Stage) -> ConformanceCase {
        ConformanceCase(
            "12.4-authenticated-\(topic)", "An AUTHENTICATED record \(words)", "R12.4-2",
            expects: "CLOSE wrong_protection, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.send(WireBytes.frame(.message, [1, 1]), as: .authenticated)
            return try play.expectClose(.wrongProtection)
        }
    }

    // MARK: Rekey

    private static let rekey: [ConformanceCase] = [
        ConformanceCase(
            "12.5-rekey", "65,536 records, and more under the next key", "R12.5-1",
            expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error", patienceFactor: 6
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.fillKey()
            try play.peer.send(WireBytes.padding())
            return try play.expectAlive()
        },
        ConformanceCase(
            "12.5-old-key", "65,536 records, and another under the same key", "R12.5-1",
            expects: "CLOSE decrypt_failed, then the end of the stream", patienceFactor: 6
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            play.peer.sending?.skipsRekey = true
            try play.fillKey()
            try play.peer.send(WireBytes.padding())
            return try play.expectClose(.decryptFailed)
        },
    ]

    // MARK: Rekey on request

    private static let onRequest: [ConformanceCase] = [
        ConformanceCase(
            "12.6-rekey", "REKEY twice, and records under the next keys", "R12.6-1",
            expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for _ in 0..<2 {
                try play.peer.send(WireBytes.rekey)
                try play.nextKey()
                try play.peer.send(WireBytes.padding())
            }
            return try play.expectAlive()
        },
        ConformanceCase(
            "12.6-old-key", "A record under the old key behind REKEY", "R12.6-1",
            expects: "CLOSE decrypt_failed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.peer.send(WireBytes.rekey)
            try play.peer.send(WireBytes.padding())
            return try play.expectClose(.decryptFailed)
        },
        rekeyFollowed("padding", "PADDING", WireBytes.padding()),
        rekeyFollowed("even-frame", "an unknown even frame", WireBytes.even),
        rekeyFollowed("rekey", "a second REKEY", WireBytes.rekey),
        .poke("12.6-even-field", "REKEY with an unknown field of even type", "R3.4-3", at: .open, .unsupported) { _ in
            WireBytes.frame(.rekey, WireBytes.vector(WireBytes.evenField))
        },
    ]

    /// A frame after REKEY. What the tester sends then is under the next key.
    private static func rekeyFollowed(_ topic: String, _ name: String, _ frame: [UInt8]) -> ConformanceCase {
        ConformanceCase(
            "12.6-\(topic)-behind", "\(name) behind REKEY in one record", "R12.6-2 R12.6-4",
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.peer.send(WireBytes.rekey + frame)
            try play.nextKey()
            return try play.expectClose(.unexpectedFrame)
        }
    }

    static let cases: [ConformanceCase] = tampering + order + rekey + onRequest
}

extension Play {
    /// Replaces the key of what the tester sends (SPEC §12.6).
    func nextKey() throws(Interruption) {
        guard var cipher = peer.sending else { return }
        try own { () throws(CryptoFailure) in try cipher.rekey() }
        peer.sending = cipher
    }

    /// Sends records until the key has protected 65,536 of them.
    func fillKey() throws(Interruption) {
        let frame = WireBytes.padding(0)
        var batch: [UInt8] = []
        var count = 0
        while let counter = peer.sending?.counter, counter < 65_536 {
            batch += try peer.seal(frame)
            count += 1
            if batch.count > 60_000 {
                try peer.send(record: batch, note: "\(count) ENCRYPTED records: PADDING")
                (batch, count) = ([], 0)
            }
        }
        if !batch.isEmpty { try peer.send(record: batch, note: "\(count) ENCRYPTED records: PADDING") }
    }
}
