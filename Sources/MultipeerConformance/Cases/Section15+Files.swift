import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Files (SPEC §15.3 – §15.5).
extension Section15 {
    // MARK: Offers

    static let offers: [ConformanceCase] = [
        .poke("15.3-type-3", "An offer of an unknown type", "R15.3-8", at: .open, .unsupported) { play in
            WireBytes.fileOffer(play.number(0), size: 4, type: 3)
        },
        .poke("15.3-manifest-of-file", "A file with a manifest", "R15.3-8", at: .open, .malformed) { play in
            WireBytes.fileOffer(play.number(0), size: 4, manifest: 1)
        },
        .poke(
            "15.3-manifest-beyond", "A folder whose manifest is longer than all of it", "R15.3-8", at: .open, .malformed
        ) {
            play in
            WireBytes.fileOffer(play.number(0), size: 4, type: 2, manifest: 5)
        },
        .poke("15.3-manifest-too-long", "A manifest of 4,194,305 bytes", "R15.3-8", at: .open, .malformed) { play in
            WireBytes.fileOffer(play.number(0), size: 1 << 30, type: 2, manifest: 4_194_305)
        },
        .poke("15.3-tag-short", "An offer that ends within its tag", "R3.3-1", at: .open, .malformed) { play in
            WireBytes.frame(.fileOffer, WireBytes.varint(play.number(0)) + [4] + [UInt8](repeating: 1, count: 15))
        },
        .poke("15.3-name-too-long", "A file name of 256 bytes", "R3.3-1", at: .open, .malformed) { play in
            WireBytes.fileOffer(play.number(0), size: 4, name: [UInt8](repeating: 0x61, count: 256))
        },
        .poke(
            "15.3-bad-end-unoffered",
            "FILE_END of 31 bytes of hash, of a file that was never offered: its fields come first",
            "R3.3-1 R18-1", at: .open, .malformed
        ) { play in WireBytes.fileEnd(play.number(0), digest: [UInt8](repeating: 0, count: 31)) },
        .poke(
            "15.3-accept-unoffered", "FILE_ACCEPT of a file that the peer never offered", "R13.2-2", at: .open,
            .unexpectedFrame
        ) {
            play in WireBytes.fileAccept(play.peersNumber(500))
        },
        .poke(
            "15.3-done-unoffered", "FILE_DONE of a file that the peer never offered", "R13.2-2", at: .open,
            .unexpectedFrame
        ) {
            play in WireBytes.fileDone(play.peersNumber(500))
        },
        .poke(
            "15.3-accept-own", "FILE_ACCEPT with a number of the tester's own kind", "R13.2-2", at: .open,
            .unexpectedFrame
        ) {
            play in WireBytes.fileAccept(play.number(0))
        },
        .poke(
            "15.4-cancel-unreceived", "FILE_CANCEL of a file that the peer never offered", "R13.2-2 R15.4-1", at: .open,
            .unexpectedFrame
        ) {
            play in WireBytes.fileCancel(play.peersNumber(500))
        },
    ]

    // MARK: Transfers

    /// An accepted file of `size` bytes, and a fault.
    private static func transfer(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode, size: UInt64 = 8,
        control: @escaping @Sendable (Play) -> [UInt8] = { _ in [] },
        payload: @escaping @Sendable (Play) -> [UInt8] = { _ in [] }
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: size)
            let (payload, control) = (payload(play), control(play))
            if !payload.isEmpty { try play.sendPayload(payload) }
            if !control.isEmpty { try play.peer.send(control) }
            return try play.expectClose(code, forbidding: [.fileDone])
        }
    }

    static let transfers: [ConformanceCase] = [
        ConformanceCase(
            "15.3-transfer", "A file in two pieces, and an empty one behind it", "R15.3-1 R15.3-3 R15.3-4",
            expects: "FILE_ACCEPT and FILE_DONE, twice"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            try play.sendPayload(WireBytes.fileData(play.number(0), offset: 0, Array(content.prefix(7))))
            try play.sendPayload(WireBytes.fileData(play.number(0), offset: 7, Array(content.dropFirst(7))))
            try play.peer.send(WireBytes.fileEnd(play.number(0), digest: play.cryptography.sha256(content)))
            try play.wait(for: "FILE_DONE") { $0.files[play.number(0)]?.isDone ?? false }
            try play.offerFile(1, size: 0)
            _ = try play.completeFile(1, [])
            return Evidence("FILE_DONE of two files").and(try play.expectAlive())
        },
        ConformanceCase(
            "15.3-wrong-hash", "FILE_END with another hash", "R15.3-5 R15.3-6",
            expects: "FILE_CANCEL with reason 5, no FILE_DONE, and the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            try play.sendPayload(WireBytes.fileData(play.number(0), offset: 0, content))
            try play.peer.send(WireBytes.fileEnd(play.number(0), digest: [UInt8](repeating: 0, count: 32)))
            try play.waitForEnd(of: play.number(0), by: "FILE_CANCEL with reason 5")
            guard let file = play.ledger.files[play.number(0)], !file.isDone, file.cancelReason == .hashMismatch else {
                throw .failed("FILE_DONE or another FILE_CANCEL came in place of FILE_CANCEL with reason 5")
            }
            return Evidence("FILE_CANCEL hash_mismatch").and(try play.expectAlive())
        },
        ConformanceCase(
            "15.3-next-id", "The second file has the id of the first", "R15.3-1",
            expects: "CLOSE malformed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 0)
            _ = try play.completeFile(0, [])
            try play.peer.send(WireBytes.fileOffer(play.number(0), size: 1))
            return try play.expectClose(.malformed)
        },
        ConformanceCase(
            "15.3-data-before-accept", "FILE_OFFER and FILE_DATA in one record", "R15.3-3",
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            guard play.peer.behavior.outcome == .encrypted else { throw .skipped("the peer's payload is readable") }
            try play.peer.send(
                WireBytes.fileOffer(play.number(0), size: 8) + WireBytes.fileData(play.number(0), offset: 0, [1]))
            try play.peer.send(WireBytes.close())
            let frame = try play.nextFrame(awaiting: "CLOSE unexpected_frame")
            // A peer whose app answers at once has done so before it looks at the next frame.
            if frame.known == .fileAccept || frame.known == .fileCancel {
                throw .skipped("the peer's app answers offers within the record")
            }
            guard frame.known == .close, (try? Close(payload: frame.payload.span).code) == .unexpectedFrame else {
                throw .failed("\(frame.text) came in place of CLOSE unexpected_frame")
            }
            return try play.expectEnd(after: "CLOSE unexpected_frame")
        },
    ]

    // MARK: Cancellation

    static let cancellations: [ConformanceCase] = [
        ConformanceCase(
            "15.3-sender-cancels", "The sender cancels, and offers another file", "R15.3-7",
            expects: "the second file is answered, and the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 8)
            try play.sendPayload(WireBytes.fileData(play.number(0), offset: 0, [1, 2]))
            try play.peer.send(WireBytes.fileCancel(play.number(0), reason: 4))
            try play.offerFile(1, size: 0)
            return try play.expectAlive()
        },
        ConformanceCase(
            "15.3-unknown-reason", "FILE_CANCEL with an unknown reason", "R15.3-7",
            expects: "the next file is answered, and the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 8)
            try play.peer.send(WireBytes.fileCancel(play.number(0), reason: 99))
            try play.offerFile(1, size: 0)
            return try play.expectAlive()
        },
        ConformanceCase(
            "15.4-cancel-ended", "FILE_CANCEL of a file that has ended", "R13.2-3",
            expects: "it is ignored: the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 0)
            _ = try play.completeFile(0, [])
            try play.peer.send(WireBytes.fileCancel(play.number(0)))
            return try play.expectAlive()
        },
        ConformanceCase(
            "15.3-declined", "A file that the peer declines, and another one", "R15.3-7 R15.4-1",
            expects: "FILE_CANCEL, which the tester answers, and the next offer is answered"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for index in 0..<2 as Range<UInt64> {
                let id = play.number(index)
                try play.peer.send(WireBytes.fileOffer(id, size: 8))
                try play.wait(for: "FILE_ACCEPT or FILE_CANCEL") { $0.files[id]?.isAnswered ?? false }
                if play.ledger.files[id]?.accept != nil { throw .skipped("the peer takes files") }
            }
            return Evidence("FILE_CANCEL of both files").and(try play.expectAlive())
        },
        ConformanceCase(
            "15.3-declined-data", "FILE_DATA of a file that the peer has declined", "R15.3-3 R13.2-2",
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(WireBytes.fileOffer(id, size: 8))
            try play.wait(for: "FILE_ACCEPT or FILE_CANCEL") { $0.files[id]?.isAnswered ?? false }
            if play.ledger.files[id]?.accept != nil { throw .skipped("the peer takes files") }
            try play.sendPayload(WireBytes.fileData(id, offset: 0, [1]))
            return try play.expectClose(.unexpectedFrame)
        },
    ]
}
