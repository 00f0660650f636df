import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Associations that continue over another link (SPEC §13.9), with a peer that keeps them.
extension Section13 {
    private static func continues(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        tester: StreamRole? = nil,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(
            "13.9-\(topic)", title, requirements, expects: expectation, tester: tester, isForResuming: true,
            patienceFactor: 3
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            try play.sendMessage(Array("before".utf8))
            return try script(play)
        }
    }

    /// A link on which an association has continued carries messages, and PING.
    private static func expectContinued(_ play: Play) throws(Interruption) -> Evidence {
        try play.sendMessage(Array("after".utf8))
        try play.roundTrip()
        return Evidence("RESUMED, and messages go on").and(try play.expectAlive())
    }

    // MARK: Both ways

    private static let content = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 29 ^ $0 >> 7) }

    static let continuing: [ConformanceCase] = [
        continues(
            "file", "A file whose link is lost in the middle", "R13.9-5 R13.9-9 R15.3-5",
            expects: "its position in RESUME or RESUMED, and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            try play.sendFile(0, content, upTo: 100_000)
            let files = try play.continueAssociation(try play.lose())
            guard files == [FilePosition(id: play.number(0), offset: 100_000)] else {
                throw .failed("R13.9-5: the peer states \(files), and has processed 100,000 bytes of the file")
            }
            return try play.completeFile(0, content).and(try expectContinued(play))
        },
        continues(
            "repeats", "The tester has processed none of the peer's counted frames", "R13.9-8",
            expects: "the same frames again, in order, before any other frame"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let id = play.number(0)
            try play.peer.send(WireBytes.fileOffer(id, size: 10))
            try play.wait(for: "an answer to FILE_OFFER") { $0.files[id]?.isAnswered ?? false }
            let kept = try play.lose()
            guard kept.continuation.ledger.receivedAcknowledged == 0, !kept.counted.isEmpty else {
                throw .inconclusive("there is nothing to repeat")
            }
            try play.continueAssociation(kept.unprocessed)
            try play.roundTrip()
            guard play.peer.behavior.continuation?.repeats.isEmpty ?? false else {
                throw .failed("R13.9-8: PONG came, and not all frames that the tester has not processed")
            }
            return Evidence("\(kept.counted.count) frames again").and(try expectContinued(play))
        },
    ]

    // MARK: The tester resumes

    /// A RESUME that must fail, and leaves the association as it was: an honest one on the next link is answered.
    private static func refused(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        _ script: @escaping @Sendable (Play, KeptAssociation) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        continues(
            topic, title, requirements, expects: "\(expectation), and RESUMED on the next link", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let kept = try play.lose()
            let evidence = try script(play, kept)
            try play.beginAnother(for: kept)
            try play.continueAssociation(kept)
            return evidence.and(try expectContinued(play))
        }
    }

    private static func declined(_ play: Play, _ resume: Resume) throws(Interruption) -> Evidence {
        try play.peer.send(resume.encoded())
        _ = try play.expectDecline(6)
        return Evidence("DECLINE with reason 6, CLOSE no_error")
    }

    private static func closed(
        _ code: CloseCode, _ play: Play, _ resume: Resume
    ) throws(Interruption) -> Evidence {
        try play.peer.send(resume.encoded())
        return try play.expectClose(code, forbidding: [.resumed])
    }

    static let answering: [ConformanceCase] = [
        continues(
            "resumed", "RESUME after a loss, twice", "R13.9-4 R13.9-5 R13.9-6",
            expects: "RESUMED with a right proof and count, and a link that continues", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            var kept = try play.lose()
            try play.continueAssociation(kept)
            try play.sendMessage(Array("between".utf8))
            try play.lose(&kept)
            try play.continueAssociation(kept)
            return try expectContinued(play)
        },
        continues(
            "moved", "RESUME while the link before is still open", "R13.9-4",
            expects: "RESUMED on the new link, CLOSE moved on the other one", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let kept = try play.keepAssociation()
            let before = play.peer
            try play.beginAnother(for: kept)
            try play.continueAssociation(kept)
            let next = play.peer
            play.go(back: before, at: .open)
            let evidence = try play.expectClose(.moved)
            play.go(back: next, at: .open)
            return evidence.and(try expectContinued(play))
        },
        continues(
            "after-close", "RESUME after CLOSE", "R13.9-3 R13.9-5", expects: "DECLINE with reason 6, CLOSE no_error",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let kept = try play.keepAssociation()
            let evidence = try play.expectClose(.noError)
            try play.beginAnother(for: kept)
            return evidence.and(try declined(play, try play.resume(kept)))
        },
        refused(
            "forged", "RESUME with a wrong proof", "R13.9-5", expects: "DECLINE with reason 6, CLOSE no_error"
        ) { (play, kept) throws(Interruption) in
            var resume = try play.resume(kept)
            resume.proof[0] ^= 1
            return try declined(play, resume)
        },
        refused(
            "other-link", "RESUME with the proof of another link", "R13.9-5",
            expects: "DECLINE with reason 6, CLOSE no_error"
        ) { (play, kept) throws(Interruption) in
            let resume = try play.resume(kept)
            try play.beginAnother(for: kept)
            return try declined(play, resume)
        },
        refused(
            "other-identity", "RESUME of another identity that has the secret", "R13.9-5",
            expects: "DECLINE with reason 6, CLOSE no_error"
        ) { (play, kept) throws(Interruption) in
            let identity = play.peer.identity
            try play.connectAgain()
            play.peer.identity = try own { () throws(CryptoFailure) in try play.cryptography.makeIdentity() }
            try play.reach(.identified)
            let evidence = try declined(play, try play.resume(kept))
            play.peer.identity = identity
            return evidence
        },
        refused(
            "epoch-ahead", "RESUME of an epoch that the peer cannot have seen", "R13.9-5", expects: "CLOSE malformed"
        ) { (play, kept) throws(Interruption) in
            try closed(.malformed, play, try play.resume(kept, epoch: kept.epoch + 2))
        },
        refused(
            "count-ahead", "RESUME that counts more frames than were sent", "R13.6-2 R13.9-5",
            expects: "CLOSE malformed"
        ) { (play, kept) throws(Interruption) in
            try closed(.malformed, play, try play.resume(kept, received: kept.continuation.ledger.received + 1))
        },
        continues(
            "outdated", "RESUME of an epoch before the one that the tester has shown", "R13.9-5",
            expects: "CLOSE duplicate_link", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            var kept = try play.lose()
            try play.continueAssociation(kept)
            try play.lose(&kept)
            return try closed(.duplicateLink, play, try play.resume(kept, epoch: 0))
        },
    ]

    // MARK: The peer resumes

    /// A case in which the peer's RESUME has come, and waits for its answer.
    private static func asked(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        _ script: @escaping @Sendable (Play, KeptAssociation) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        continues("peer-\(topic)", title, requirements, expects: expectation, tester: .responder) {
            (play: Play) throws(Interruption) -> Evidence in
            let kept = try play.lose()
            try play.awaitResume(kept)
            return try script(play, kept)
        }
    }

    static let asking: [ConformanceCase] = [
        asked(
            "resumes", "The peer continues after a loss", "R13.9-4 R13.9-6",
            expects: "RESUME with the right association, epoch, count and proof, and a link that continues"
        ) { (play, kept) throws(Interruption) in
            try play.send(resumed: try play.resumed(kept))
            return try expectContinued(play)
        },
        asked(
            "again", "RESUME gets no answer before the link is lost", "R13.9-4 R13.9-6",
            expects: "RESUME again, with the same epoch"
        ) { (play, kept) throws(Interruption) in
            play.peer.endSending()
            try play.beginAnother(for: kept)
            try play.continueAssociation(kept)
            return try expectContinued(play)
        },
        asked("forged", "RESUMED with a wrong proof", "R13.9-6", expects: "CLOSE proof_invalid") {
            (play, kept) throws(Interruption) in
            var resumed = try play.resumed(kept)
            resumed.proof[31] ^= 1
            try play.peer.send(resumed.encoded())
            return try play.expectClose(.proofInvalid)
        },
        asked(
            "count-ahead", "RESUMED that counts more frames than were sent", "R13.6-2 R13.9-6",
            expects: "CLOSE malformed"
        ) { (play, kept) throws(Interruption) in
            let count = kept.continuation.ledger.received + 1
            try play.peer.send(try play.resumed(kept, received: count).encoded())
            return try play.expectClose(.malformed)
        },
        asked(
            "crossed", "INVITE and CANCEL that cross RESUME", "R13.9-7", expects: "nothing, and RESUMED counts"
        ) { (play, kept) throws(Interruption) in
            try play.peer.send(play.invite() + WireBytes.cancel(1))
            try play.send(resumed: try play.resumed(kept))
            return try expectContinued(play)
        },
        asked("declined", "DECLINE answers RESUME", "R13.9-6", expects: "CLOSE no_error") {
            (play, _) throws(Interruption) in
            try play.peer.send(WireBytes.decline(6))
            return try play.expectClose(.noError)
        },
    ]
}
