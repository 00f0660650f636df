import MultipeerScriptedPeer
import MultipeerWire

/// Files that continue over another link (SPEC §15.7). A peer that holds nothing begins anew, which every case bears.
extension Section15 {
    private static let tag: [UInt8] = Array(1...16)
    private static let long = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    private static var size: UInt64 { UInt64(long.count) }
    /// How much of it the first link carries.
    private static let first = 100_000

    /// Sends the beginning of a file over one link, which is cut, and opens another one.
    private static func cut(
        _ play: Play, tag: [UInt8] = Section15.tag, asOther: Bool = false
    ) throws(Interruption) {
        try play.offerFile(0, size: size, tag: tag)
        try play.sendFile(0, long, upTo: first)
        try play.roundTrip()
        let identity = play.peer.identity
        play.peer.endSending()
        _ = try play.expectTruncatedEnd()
        try play.reconnect()
        if !asOther { play.peer.identity = identity }
        try play.reach(.open)
    }

    /// What FILE_ACCEPT says, whose hash must be that of the beginning.
    private static func held(_ play: Play, _ index: UInt64 = 0) throws(Interruption) -> Int {
        guard let accept = play.ledger.files[play.number(index)]?.accept else {
            throw .inconclusive("there is no FILE_ACCEPT")
        }
        let beginning = Array(long.prefix(Int(accept.offset)))
        guard accept.digest == play.cryptography.sha256(beginning) else {
            throw .failed("R15.7-2: the hash of FILE_ACCEPT is not that of the first \(accept.offset) bytes")
        }
        return beginning.count
    }

    private static func begun(_ play: Play, _ index: UInt64 = 0) throws(Interruption) -> Evidence {
        let count = try held(play, index)
        guard count == 0 else { throw .failed("FILE_ACCEPT has offset \(count) in place of 0") }
        return Evidence("offset 0")
    }

    private static func resumes(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(
            "15.7-\(topic)", title, requirements, expects: expectation, patienceFactor: 2, script)
    }

    static let resuming: [ConformanceCase] = [
        resumes(
            "resumed", "A file that continues over a second link", "R15.7-2 R15.7-4 R15.3-3 R15.3-5",
            expects: "FILE_ACCEPT with what is held and its hash, and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play)
            try play.offerFile(0, size: size, tag: tag)
            let count = try held(play)
            let done = try play.completeFile(0, long)
            return Evidence("the peer held \(count) bytes").and(done).and(try play.expectAlive())
        },
        resumes(
            "no-tag", "A file without a tag, over a second link", "R15.7-2 R15.7-4",
            expects: "FILE_ACCEPT with offset 0, and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play, tag: FileOffer.noTag)
            try play.offerFile(0, size: size)
            return try begun(play).and(try play.completeFile(0, long)).and(try play.expectAlive())
        },
        resumes(
            "other-size", "Another size under the same tag", "R15.7-2 R15.7-4", expects: "FILE_ACCEPT with offset 0"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play)
            try play.offerFile(0, size: size + 1, tag: tag)
            return try begun(play).and(try play.completeFile(0, long + [1])).and(try play.expectAlive())
        },
        resumes(
            "other-identity", "The same offer from another identity", "R15.7-2 R15.7-4",
            expects: "FILE_ACCEPT with offset 0"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play, asOther: true)
            try play.offerFile(0, size: size, tag: tag)
            return try begun(play).and(try play.completeFile(0, long)).and(try play.expectAlive())
        },
        resumes(
            "live-twice", "Two live offers of one tag", "R15.7-2", expects: "FILE_ACCEPT with offset 0 for one of them"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play)
            try play.offerFile(0, size: size, tag: tag)
            try play.offerFile(1, size: size, tag: tag)
            let counts = [try held(play, 0), try held(play, 1)]
            guard counts.contains(0) else { throw .failed("both FILE_ACCEPTs have an offset") }
            return Evidence("offsets \(counts[0]) and \(counts[1])").and(try play.expectAlive())
        },
        resumes(
            "beginning-differs", "The tester's own beginning differs: FILE_CANCEL with reason 7, and the offer again",
            "R15.7-3 R15.3-7", expects: "FILE_ACCEPT with offset 0 for the new offer"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play)
            try play.offerFile(0, size: size, tag: tag)
            guard try held(play) > 0 else { throw .skipped("the peer holds no beginnings") }
            try play.peer.send(WireBytes.fileCancel(play.number(0), reason: 7))
            try play.offerFile(1, size: size, tag: tag)
            return try begun(play, 1).and(try play.completeFile(1, long)).and(try play.expectAlive())
        },
        resumes(
            "hash-of-all", "FILE_END hashes another beginning than the one that the peer holds", "R15.3-5",
            expects: "FILE_CANCEL with reason 5, no FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try cut(play)
            try play.offerFile(0, size: size, tag: tag)
            guard try held(play) > 0 else { throw .skipped("the peer holds no beginnings") }
            try play.sendFile(0, long)
            let id = play.number(0)
            let other = [long[0] ^ 1] + long.dropFirst()
            try play.peer.send(WireBytes.fileEnd(id, digest: play.cryptography.sha256(other)))
            try play.waitForEnd(of: id, by: "FILE_CANCEL")
            guard play.ledger.files[id]?.cancelReason == .hashMismatch else {
                throw .failed("FILE_DONE, or FILE_CANCEL of another reason, came in place of FILE_CANCEL with reason 5")
            }
            return Evidence("FILE_CANCEL hash_mismatch").and(try play.expectAlive())
        },
        resumes(
            "again", "A file that is stored already is offered again over a second link", "R15.7-2 R15.3-4",
            expects: "FILE_ACCEPT with what is held and its hash, and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: size, tag: tag)
            _ = try play.completeFile(0, long)
            let identity = play.peer.identity
            _ = try play.expectAlive()
            try play.reconnect()
            play.peer.identity = identity
            try play.offerFile(0, size: size, tag: tag)
            let count = try held(play)
            let done = try play.completeFile(0, long)
            return Evidence("the peer held \(count) bytes").and(done).and(try play.expectAlive())
        },
    ]
}
