import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// The honest peer has the lesser key, so its files are 0, 2, 4 … and the peer's 1, 3, 5 …
@Suite("Several files, credit and resuming, SPEC §15.3, §15.7, §13.3")
struct SeveralFilesTests {
    static func credits(_ duel: Duel, _ kind: CreditKind) -> [Credit] {
        duel.evil.payloads(of: .credit).compactMap { try? Credit(payload: $0.span) }.filter { $0.kind == kind }
    }

    static func accepts(_ duel: Duel) -> [FileAccept] {
        duel.evil.payloads(of: .fileAccept).compactMap { try? FileAccept(payload: $0.span) }
    }

    static func held(_ bytes: [UInt8]) throws -> HeldBeginning {
        let digester = try Peers.crypto.bulkDigest.makeDigester()
        digester.update(bytes.span)
        return HeldBeginning(
            length: UInt64(bytes.count), digest: try Digest(rawBytes: FileTests.sha256(bytes)), digester: digester)
    }

    @Test("Two files of the peer at once, frame by frame in turns")
    func interleaved() throws {
        let duel = try Duels.at(.open, honest: .responder)
        let contents: [UInt64: [UInt8]] = [1: Array(0..<100), 3: Array(100..<200)]
        for id in [1, 3] as [UInt64] {
            try Duels.poke(duel, FileOffer(id: id, size: 100, name: [0x61]).encoded())
            try duel.honest.link.acceptFile(try FileTests.fileID(duel), at: duel.now)
        }
        try duel.exchange()
        for offset in stride(from: 0, to: 100, by: 25) {
            for id in [3, 1] as [UInt64] {
                let part = Array((contents[id] ?? [])[offset..<offset + 25])
                try Duels.poke(duel, WireBytes.fileData(id, offset: UInt64(offset), part))
            }
        }
        for id in [1, 3] as [UInt64] {
            try Duels.poke(duel, FileEnd(id: id, digest: FileTests.sha256(contents[id] ?? [])).encoded())
        }
        let complete = FileTests.incoming(duel).compactMap {
            if case .complete(let file, _) = $0 { file.rawValue } else { nil }
        }
        #expect(complete == [1, 3] && duel.stage == .open)
    }

    @Test("FILE_DATA beyond the credit is credit_exceeded; credit comes as the app takes (R13.3-1, R15.3-3)")
    func credit() throws {
        for excess in [0, 1] {
            let duel = try Duels.at(.open, honest: .responder) { $0.fileWindow = 40_000 }
            try Duels.poke(duel, FileOffer(id: 1, size: 100_000, name: [0x61]).encoded())
            let file = try FileTests.fileID(duel)
            try duel.honest.link.acceptFile(file, at: duel.now)
            try duel.exchange()
            #expect(Self.accepts(duel).map(\.credit) == [40_000])
            try Duels.poke(duel, WireBytes.fileData(1, offset: 0, [UInt8](repeating: 1, count: 20_000)))
            // The simulated app has taken it. Half of the window is unused.
            #expect(Self.credits(duel, .file).isEmpty)
            try Duels.poke(duel, WireBytes.fileData(1, offset: 20_000, [1]))
            #expect(Self.credits(duel, .file) == [Credit(kind: .file, id: 1, limit: 60_001)])
            duel.honest.script.takesFileBytes = false
            let rest = [UInt8](repeating: 1, count: 40_000 + excess)
            try Duels.poke(duel, WireBytes.fileData(1, offset: 20_001, rest))
            if excess == 1 {
                expectFailure(duel, .violation(.creditExceeded), at: .open, told: .creditExceeded)
            } else {
                #expect(duel.stage == .open && Self.credits(duel, .file).count == 1)
                duel.honest.link.releaseCredit(40_000, of: file, at: duel.now)
                try duel.exchange()
                // Not more than the file has.
                #expect(Self.credits(duel, .file).last?.limit == 100_000)
            }
        }
    }

    @Test(
        "A receiver grants its window in the end, whatever FILE_ACCEPT said; and no more while it checks (R13.5-1, R13.5-2)"
    )
    func consent() throws {
        for credit in [0, 1, 16_383] as [UInt64] {
            let duel = try Duels.at(.open, honest: .responder)
            try Duels.poke(duel, FileOffer(id: 1, size: 100_000, name: [0x61]).encoded())
            try duel.honest.link.acceptFile(try FileTests.fileID(duel), credit: credit, at: duel.now)
            try duel.exchange()
            #expect(Self.accepts(duel).map(\.credit) == [credit])
            #expect(Self.credits(duel, .file) == [Credit(kind: .file, id: 1, limit: 32_768)])
        }
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, FileOffer(id: 1, size: 50_000, kind: .folder, manifest: 40, name: [0x61]).encoded())
        let file = try FileTests.fileID(duel)
        #expect(throws: RequestError.unknownFile) { try duel.honest.link.consentToFile(file, at: duel.now) }
        try duel.honest.link.acceptFile(file, credit: 40, looks: true, at: duel.now)
        try duel.exchange()
        try Duels.poke(duel, WireBytes.fileData(1, offset: 0, [UInt8](repeating: 1, count: 40)))
        #expect(duel.stage == .open && Self.credits(duel, .file).isEmpty)
        try duel.honest.link.consentToFile(file, at: duel.now)
        try duel.exchange()
        #expect(Self.credits(duel, .file) == [Credit(kind: .file, id: 1, limit: 32_808)])
    }

    @Test("A sender obeys the credit, and CREDIT at a wrong time or place is a fault (R13.4-2, R13.4-3)")
    func sending() throws {
        let (duel, file) = try OutgoingFileTests.offering(.responder, size: 100)
        try Duels.poke(duel, FileAccept(id: 0, credit: 10).encoded())
        try duel.honest.link.supply([UInt8](repeating: 7, count: 100), to: file, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileData).map(\.count) == [12])
        try Duels.poke(duel, Credit(kind: .file, id: 0, limit: 60).encoded())
        #expect(duel.evil.payloads(of: .fileData).map(\.count) == [12, 52])
        try Duels.poke(duel, Credit(kind: .file, id: 0, limit: 100).encoded())
        #expect(duel.evil.payloads(of: .fileEnd).count == 1)
        try Duels.poke(duel, Credit(kind: .file, id: 0, limit: 100).encoded())
        expectFailure(duel, malformed(.valueOutOfRange, .creditLimit), at: .open, told: .malformed)

        for (before, frame) in [
            ([], Credit(kind: .file, id: 0, limit: 60)), ([], Credit(kind: .stream, id: 0, limit: 60)),
            (FileOffer(id: 1, size: 5, name: [0x61]).encoded(), Credit(kind: .file, id: 1, limit: 60)),
        ] as [([UInt8], Credit)] {
            let (duel, _) = try OutgoingFileTests.offering(.responder, size: 100)
            try Duels.poke(duel, before + frame.encoded())
            expectFailure(duel, unexpected(.credit), at: .open, told: .unexpectedFrame)
        }
    }

    @Test(
        "Credit for offers returns once files have ended and the app knows, at the latest with half unused (R13.5-1, R15.3-2)"
    )
    func offers() throws {
        let duel = try Duels.at(.open, honest: .responder)
        for index in 0..<17 as Range<UInt64> {
            let id = 1 + 2 * index
            try Duels.poke(duel, FileOffer(id: id, size: 1, name: [0x61]).encoded())
            try duel.honest.link.refuseFile(try FileTests.fileID(duel), at: duel.now)
            try duel.exchange()
            // The number lives until the sender has confirmed (R15.3-7). 16 of 32 unused are half.
            #expect(Self.credits(duel, .offers).map(\.limit) == (index < 16 ? [] : [48]))
            try Duels.poke(duel, FileCancel(id: id, reason: .declined).encoded())
            #expect(Self.credits(duel, .offers).map(\.limit) == (index < 16 ? [] : [48]))
        }
        let full = try Duels.at(.open, honest: .responder)
        for index in 0..<33 as Range<UInt64> {
            try Duels.poke(full, FileOffer(id: 1 + 2 * index, size: 1, name: [0x61]).encoded())
        }
        expectFailure(full, .violation(.creditExceeded), at: .open, told: .creditExceeded)
    }

    @Test("A receiver that holds a beginning gets the rest, and the hash covers all (SPEC §15.7)")
    func resumedReceiver() throws {
        let content = Array(0..<200) as [UInt8]
        for length in [0, 1, 150, 200] {
            let duel = try Duels.at(.open, honest: .responder)
            try Duels.poke(duel, FileOffer(id: 1, size: 200, tag: Array(1...16), name: [0x61]).encoded())
            let file = try FileTests.fileID(duel)
            try duel.honest.link.acceptFile(file, holding: try Self.held(Array(content.prefix(length))), at: duel.now)
            try duel.exchange()
            let accept = try #require(Self.accepts(duel).first)
            #expect(accept.offset == UInt64(length) && accept.digest == FileTests.sha256(Array(content.prefix(length))))
            #expect(accept.credit == UInt64(200 - length))
            if length < 200 {
                try Duels.poke(duel, WireBytes.fileData(1, offset: UInt64(length), Array(content.dropFirst(length))))
            }
            try Duels.poke(duel, FileEnd(id: 1, digest: FileTests.sha256(content)).encoded())
            #expect(FileTests.incoming(duel).last == .complete(file, try Digest(rawBytes: FileTests.sha256(content))))
        }
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, FileOffer(id: 1, size: 5, name: [0x61]).encoded())
        #expect(throws: RequestError.unknownFile) {
            try duel.honest.link.acceptFile(
                try FileTests.fileID(duel), holding: try Self.held([1, 2, 3, 4, 5, 6]), at: duel.now)
        }
    }

    /// A link that offered ten bytes under a tag.
    private static func offering(tag: [UInt8] = Array(1...16)) throws -> (Duel, FileID) {
        let duel = try Duels.at(.open, honest: .responder)
        let file = try duel.honest.link.offerFile(OutgoingOffer(name: "f", size: 10, tag: tag), at: duel.now)
        try duel.exchange()
        return (duel, file)
    }

    @Test("A sender compares the beginning, and continues after it, or ends the file with reason 7 (R15.3-10)")
    func resumedSender() throws {
        for isEqual in [true, false] {
            let (duel, file) = try Self.offering()
            let beginning = Array(FileTests.content.prefix(4))
            let claimed = isEqual ? beginning : [9, 9, 9, 9]
            try Duels.poke(duel, FileAccept(id: 0, offset: 4, digest: FileTests.sha256(claimed), credit: 1).encoded())
            #expect(FileTests.outgoing(duel) == [.beginningWanted(file, length: 4)])
            // CREDIT may come while the app hashes.
            try Duels.poke(duel, Credit(kind: .file, id: 0, limit: 10).encoded())
            #expect(throws: RequestError.unknownFile) {
                try duel.honest.link.submitBeginning(try Self.held([1]), of: file, at: duel.now)
            }
            try duel.honest.link.submitBeginning(try Self.held(beginning), of: file, at: duel.now)
            try duel.exchange()
            guard isEqual else {
                #expect(FileTests.outgoing(duel).last == .ended(file, .beginningDiffers, byPeer: false))
                #expect(duel.evil.payloads(of: .fileCancel) == [[0, 7, 0]])
                continue
            }
            #expect(FileTests.outgoing(duel).suffix(2) == [.accepted(file), .wanted(file, offset: 4, maximum: 6)])
            try duel.honest.link.supply(Array(FileTests.content.dropFirst(4)), to: file, at: duel.now)
            try duel.exchange()
            #expect(duel.evil.payloads(of: .fileData) == [[0, 4] + FileTests.content.dropFirst(4)])
            #expect(duel.evil.payloads(of: .fileEnd) == [[0] + FileTests.sha256(FileTests.content) + [0]])
        }
    }

    @Test(
        "While a beginning is checked: CREDIT is kept, FILE_ACCEPT and FILE_DONE are faults, FILE_CANCEL ends the file (R15.3-6)"
    )
    func checking() throws {
        let accept = FileAccept(id: 0, offset: 4, digest: FileTests.sha256([9]), credit: 1).encoded()
        let faults: [([UInt8], FrameType)] = [(accept, .fileAccept), (FileDone(id: 0).encoded(), .fileDone)]
        for (frame, type) in faults {
            let (duel, _) = try Self.offering()
            try Duels.poke(duel, accept + frame)
            expectFailure(duel, unexpected(type), at: .open, told: .unexpectedFrame)
        }
        let (low, _) = try Self.offering()
        try Duels.poke(low, accept + Credit(kind: .file, id: 0, limit: 5).encoded())
        expectFailure(low, malformed(.valueOutOfRange, .creditLimit), at: .open, told: .malformed)

        let (duel, file) = try Self.offering()
        try Duels.poke(duel, accept + FileCancel(id: 0, reason: .noSpace).encoded())
        #expect(duel.evil.payloads(of: .fileCancel) == [[0, 9, 0]])
        #expect(FileTests.outgoing(duel).last == .ended(file, .noSpace, byPeer: true))
        #expect(throws: RequestError.unknownFile) {
            try duel.honest.link.submitBeginning(try Self.held([9]), of: file, at: duel.now)
        }
    }

    @Test("Impossible acceptances: beyond the size, twice, of nothing with another hash, of no tag (R15.3-9, R15.3-10)")
    func wrongAcceptances() throws {
        let (beyond, _) = try Self.offering()
        try Duels.poke(beyond, FileAccept(id: 0, offset: 11, digest: FileTests.sha256([]), credit: 0).encoded())
        expectFailure(beyond, malformed(.valueOutOfRange, .fileOffset), at: .open, told: .malformed)

        let (twice, _) = try Self.offering()
        let accept = FileAccept(id: 0, offset: 4, digest: FileTests.sha256([]), credit: 0).encoded()
        try Duels.poke(twice, accept + FileAccept(id: 0, offset: 99, digest: FileTests.sha256([]), credit: 0).encoded())
        expectFailure(twice, unexpected(.fileAccept), at: .open, told: .unexpectedFrame)

        for (tag, offset, digest) in [
            (Array(1...16), 0, FileTests.sha256([1])), (FileOffer.noTag, 4, FileTests.sha256([1])),
        ] as [([UInt8], UInt64, [UInt8])] {
            let (duel, file) = try Self.offering(tag: tag)
            try Duels.poke(duel, FileAccept(id: 0, offset: offset, digest: digest, credit: 9).encoded())
            #expect(FileTests.outgoing(duel) == [.ended(file, .beginningDiffers, byPeer: false)])
            #expect(duel.evil.payloads(of: .fileCancel) == [[0, 7, 0]] && duel.stage == .open)
        }
    }

    @Test("Beyond 4 GiB: offsets and sizes of 64 bits, by a held beginning")
    func large() throws {
        let size: UInt64 = 5 << 30
        let duel = try Duels.at(.open, honest: .responder)
        let file = try duel.honest.link.offerFile(
            OutgoingOffer(name: "f", size: size, tag: Array(1...16)), at: duel.now)
        try duel.exchange()
        let digest = try Digest(rawBytes: [UInt8](repeating: 3, count: 32))
        try Duels.poke(duel, FileAccept(id: 0, offset: size - 3, digest: digest.rawBytes, credit: 3).encoded())
        #expect(FileTests.outgoing(duel) == [.beginningWanted(file, length: size - 3)])
        let digester = try Peers.crypto.bulkDigest.makeDigester()
        try duel.honest.link.submitBeginning(
            HeldBeginning(length: size - 3, digest: digest, digester: digester), of: file, at: duel.now)
        #expect(FileTests.outgoing(duel).isEmpty == false)
        duel.honest.drain(at: duel.now)
        #expect(FileTests.outgoing(duel).last == .wanted(file, offset: size - 3, maximum: 3))
        try duel.honest.link.supply([1, 2, 3], to: file, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileData) == [WireBytes.varint(0) + WireBytes.varint(size - 3) + [1, 2, 3]])
    }

    @Test("A message is sent between two files within a few records (SPEC §15.2)")
    func latency() throws {
        let pair = TestPair(try Peers.openPair())
        pair.pair.initiator.script.file = [UInt8](repeating: 1, count: 2_000_000)
        for name in ["a", "b"] {
            _ = try pair.pair.initiator.link.offerFile(name: name, size: 2_000_000, at: pair.pair.now)
        }
        pair.pair.run(rounds: 4)
        #expect(pair.messages(of: .responder).isEmpty && pair.pair.responder.files.isEmpty)
        try pair.pair.initiator.link.send([7], at: pair.pair.now)
        var bytes: [UInt8] = []
        // Whatever was begun before: the message is in one of the next three records.
        for _ in 0..<3 {
            pair.pair.initiator.drain(at: pair.pair.now)
            bytes.append(addingCapacity: 65_535) { (output: inout OutputSpan<UInt8>) in
                pair.pair.initiator.link.transmit(into: &output, at: pair.pair.now)
            }
        }
        pair.pair.responder.link.receive(bytes.span, at: pair.pair.now)
        pair.pair.responder.drain(at: pair.pair.now)
        #expect(pair.messages(of: .responder) == [[7]])
        pair.pair.run()
        #expect(pair.pair.responder.files.map(\.count) == [2_000_000, 2_000_000])
    }
}
