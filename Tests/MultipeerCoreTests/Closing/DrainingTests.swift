import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Draining, and frames that count after the local CLOSE, SPEC §16")
struct DrainingTests {
    static let closed = Close(code: .noError).encoded()

    /// An open link whose app has closed it while a message waits for credit.
    static func draining() throws -> Duel {
        let duel = try Duels.at(.open, honest: .responder)
        try duel.honest.link.send([UInt8](repeating: 1, count: 300_000), at: duel.now)
        try duel.exchange()
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.stage == .draining)
        return duel
    }

    @Test("A draining link is fully open: it reads, acknowledges, answers and grants (SPEC §16.4)")
    func isOpen() throws {
        let duel = try Self.draining()
        for index in 0..<64 { try Duels.poke(duel, WireBytes.message(total: 1, [UInt8(index)])) }
        #expect(duel.messages.count == 64 && MessageLinkTests.acks(duel) == [64])
        try Duels.poke(duel, Ping(data: Array(1...8)).encoded())
        #expect(duel.evil.payloads(of: .pong) == [Array(1...8)])
        let large = [UInt8](repeating: 1, count: 60_000)
        for _ in 0..<3 { try Duels.poke(duel, WireBytes.message(total: 60_000, large)) }
        #expect(MessageLinkTests.credits(duel).count == 1)
        try Duels.poke(duel, StreamTests.open() + StreamTests.data([1]))
        #expect(StreamTests.events(duel).count == 2 && duel.stage == .draining)
        #expect(throws: RequestError.wrongStage(.draining)) {
            try duel.honest.link.openStream(named: "s", at: duel.now)
        }
        // An error is one as before.
        try Duels.poke(duel, WireBytes.frame(.accept, [0]))
        #expect(duel.failure?.cause == unexpected(.accept) && duel.evil.closeCode == .unexpectedFrame)
    }

    @Test(
        "It closes 5 s after the last byte of a message, whatever else moves, and after 60 s in any case (SPEC §16.4, §19)"
    )
    func deadlines() throws {
        let still = try Self.draining()
        for _ in 0..<4 {
            try still.advance(by: .seconds(1))
            try Duels.poke(still, Ping(data: Array(1...8)).encoded())
        }
        #expect(still.stage == .draining)
        try still.advance(by: .milliseconds(999))
        #expect(still.stage == .draining)
        try still.advance(by: .milliseconds(1))
        #expect(still.evil.sentTypes.last == .close)

        let moving = try Self.draining()
        for second in 1..<60 as Range<UInt64> {
            try moving.advance(by: .seconds(1))
            try Duels.poke(moving, Credit(kind: .messages, limit: 262_144 + second).encoded())
            #expect(moving.stage == .draining, "\(second)")
        }
        try moving.advance(by: .seconds(1))
        #expect(moving.stage == .closing && moving.evil.closeCode == .noError)
        try Duels.poke(moving, Self.closed)
        #expect(moving.end == .finished(unsentMessages: 1))
    }

    @Test("CLOSE of the peer is answered at once, with ACK before it (R13.6-1, R16.1-2)")
    func peerCloses() throws {
        let duel = try Self.draining()
        try Duels.poke(duel, WireBytes.message(total: 1, [1]) + Self.closed)
        #expect(duel.evil.sentTypes.suffix(2) == [.ack, .close] && duel.end == .finished(unsentMessages: 1))
        #expect(MessageLinkTests.results(duel) == ["1-1 notSent"])
    }

    @Test("Streams and files continue until all messages are sent, and are then given up (R16.1-5)")
    func streamsAndFiles() throws {
        let duel = try Duels.at(.open, honest: .responder)
        let stream = try duel.honest.link.openStream(named: "s", at: duel.now)
        let file = try duel.honest.link.offerFile(name: "f", size: 10, at: duel.now)
        try duel.honest.link.send([UInt8](repeating: 1, count: 300_000), at: duel.now)
        try duel.honest.link.write([UInt8](repeating: 2, count: 40_000), to: stream, at: duel.now)
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileCancel).isEmpty && duel.evil.payloads(of: .streamReset).isEmpty)
        try Duels.poke(duel, FileAccept(id: 2).encoded() + Credit(kind: .stream, id: 0, limit: 40_000).encoded())
        try duel.honest.link.supply(FileTests.content, to: file, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileEnd).count == 1)
        #expect(duel.evil.payloads(of: .streamData).map { $0.count - 1 }.reduce(0, +) == 40_000)
        try Duels.poke(duel, Credit(kind: .messages, limit: 1 << 30).encoded())
        // FILE_END is sent: no FILE_CANCEL goes for that file.
        #expect(duel.evil.payloads(of: .fileCancel).isEmpty)
        #expect(duel.evil.sentTypes.suffix(4) == [.streamStop, .streamReset, .ack, .close])
        try Duels.poke(duel, FileDone(id: 2).encoded() + Self.closed)
        #expect(
            FileTests.outgoing(duel).last == .delivered(file, try Digest(rawBytes: FileTests.sha256(FileTests.content)))
        )
        #expect(duel.end == .finished(unsentMessages: 0))
    }

    @Test("FILE_DONE after the local CLOSE counts for a file that was sent whole, and for no other (R16.1-3)")
    func fileDone() throws {
        for (isSent, payload, isFault) in [
            (true, [0, 0], false), (false, [0, 0], false), (true, [2, 0], false), (true, [1, 0], false),
            (true, [0], true), (false, [9, 0, 0], true),
        ] as [(Bool, [UInt8], Bool)] {
            let (duel, file) = try OutgoingFileTests.offering(.responder)
            if isSent {
                try Duels.poke(duel, FileAccept(id: 0).encoded())
                try duel.honest.link.supply(FileTests.content, to: file, at: duel.now)
                try duel.exchange()
            }
            duel.honest.link.close(at: duel.now)
            try duel.exchange()
            #expect(duel.evil.payloads(of: .fileCancel) == (isSent ? [] : [[0, 12, 0]]))
            try Duels.poke(duel, WireBytes.frame(.fileDone, payload))
            let isDelivered = FileTests.outgoing(duel).contains { if case .delivered = $0 { true } else { false } }
            #expect(isDelivered == (isSent && payload == [0, 0]), "\(payload)")
            #expect((duel.failure != nil) == isFault, "\(payload)")
            if !isFault {
                try Duels.poke(duel, WireBytes.frame(.fileDone, payload) + Self.closed)
                #expect(duel.end == .finished(unsentMessages: 0))
            }
        }
    }

    @Test("CLOSE of either peer does not cancel a file that is being stored (R16.1-5)")
    func storing() throws {
        for isOwn in [true, false] {
            let duel = try FileTests.receiving(.responder)
            let file = try FileTests.fileID(duel)
            try Duels.poke(duel, FileTests.data(0, FileTests.content) + FileTests.end)
            if isOwn { duel.honest.link.close(at: duel.now) } else { try Duels.poke(duel, Self.closed) }
            try duel.exchange()
            #expect(duel.evil.payloads(of: .fileCancel).isEmpty && duel.evil.closeCode == .noError)
            let isEnded = FileTests.incoming(duel).contains { if case .ended = $0 { true } else { false } }
            #expect(!isEnded)
            #expect(throws: RequestError.wrongStage(duel.stage)) {
                try duel.honest.link.confirmFile(file, at: duel.now)
            }
        }
        // FILE_DONE that waits goes out before the CLOSE that answers (R16.1-2).
        let duel = try FileTests.receiving(.responder)
        try Duels.poke(duel, FileTests.data(0, FileTests.content) + FileTests.end)
        try duel.honest.link.confirmFile(try FileTests.fileID(duel), at: duel.now)
        try duel.evil.send(Close(code: .noError))
        duel.honest.link.receive(duel.evil.flush().span, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.suffix(3) == [.fileDone, .ack, .close])
        // A link that drains still sends it.
        let draining = try FileTests.receiving(.responder)
        try Duels.poke(draining, FileTests.data(0, FileTests.content) + FileTests.end)
        try draining.honest.link.send([UInt8](repeating: 1, count: 300_000), at: draining.now)
        draining.honest.link.close(at: draining.now)
        try draining.honest.link.confirmFile(try FileTests.fileID(draining), at: draining.now)
        try draining.exchange()
        #expect(draining.evil.payloads(of: .fileDone) == [[1, 0]] && draining.stage == .draining)
    }

    @Test("After the local CLOSE, message credit and ACK are judged, and nothing is granted (R16.1-3, SPEC §16.3)")
    func judgedWhileClosing() throws {
        func closing() throws -> Duel {
            let duel = try Duels.at(.open, honest: .responder)
            try duel.honest.link.send([1], at: duel.now)
            duel.honest.link.close(at: duel.now)
            try duel.exchange()
            return duel
        }
        let large = WireBytes.message(total: 60_000, [UInt8](repeating: 1, count: 60_000))
        let overdraft = try closing()
        for _ in 0..<4 { try Duels.poke(overdraft, large) }
        #expect(overdraft.messages.count == 4 && overdraft.failure == nil)
        try Duels.poke(overdraft, large)
        #expect(overdraft.failure == LinkFailure(stage: .closing, cause: .violation(.creditExceeded)))
        #expect(overdraft.evil.sentTypes.last == .close && overdraft.isFinished)

        let faults: [([UInt8], LinkFailureCause)] = [
            (Ack(count: 2).encoded(), malformed(.valueOutOfRange, .acknowledgedCount)),
            (WireBytes.frame(.messagePart, [1]), unexpected(.messagePart)),
            (WireBytes.frame(.ack, []), malformed(.truncated, .acknowledgedCount)),
        ]
        for (frame, cause) in faults {
            let duel = try closing()
            try Duels.poke(duel, frame)
            #expect(duel.failure == LinkFailure(stage: .closing, cause: cause))
        }
        // Everything else is ignored, however wrong it is.
        let ignored = try closing()
        try Duels.poke(
            ignored,
            WireBytes.frame(.credit, [9]) + WireBytes.frame(.streamOpen, [1]) + WireBytes.frame(.fileAccept, []))
        try Duels.poke(ignored, Ack(count: 1).encoded() + Self.closed)
        #expect(ignored.end == .finished(unsentMessages: 0) && MessageLinkTests.results(ignored) == ["1-1 delivered"])
    }

    @Test("Messages that the app no longer takes return their credit, and are not acknowledged (SPEC §16.4)")
    func dropped() throws {
        let duel = try Duels.at(.open, honest: .responder)
        duel.honest.script.takesMessages = false
        try Duels.poke(duel, WireBytes.message(total: 1, [1]))
        duel.honest.link.dropMessages(at: duel.now)
        let large = WireBytes.message(total: 60_000, [UInt8](repeating: 1, count: 60_000))
        for _ in 0..<10 { try Duels.poke(duel, large) }
        #expect(duel.stage == .open && duel.messages == [[1]])
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(MessageLinkTests.acks(duel) == [1] && duel.evil.sentTypes.suffix(2) == [.ack, .close])
    }
}
