import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Local files that are sent, SPEC §15.3 and §15.4")
struct OutgoingFileTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// A link that offered a file of ten bytes. The app supplies nothing by itself.
    static func offering(_ role: LinkRole, size: UInt64 = 10) throws -> (Duel, FileID) {
        let duel = try Duels.at(.open, honest: role)
        let file = try duel.honest.link.offerFile(name: "f", size: size, at: duel.now)
        try duel.exchange()
        return (duel, file)
    }

    @Test("Offers out of range are misuse", arguments: roles)
    func localMisuse(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        #expect(throws: RequestError.invalidFile) {
            _ = try duel.honest.link.offerFile(name: "", size: 1, at: duel.now)
        }
        let long = String(repeating: "a", count: 256)
        #expect(throws: RequestError.invalidFile) {
            _ = try duel.honest.link.offerFile(name: long, size: 1, at: duel.now)
        }
        #expect(throws: RequestError.invalidFile) {
            _ = try duel.honest.link.offerFile(name: "a", size: 1 << 53, at: duel.now)
        }
        let file = try duel.honest.link.offerFile(name: "a", size: 1 << 53 - 1, at: duel.now)
        for _ in 1..<32 { _ = try duel.honest.link.offerFile(name: "b", size: 1, at: duel.now) }
        #expect(throws: RequestError.tooManyFiles) {
            _ = try duel.honest.link.offerFile(name: "c", size: 1, at: duel.now)
        }
        #expect(throws: RequestError.unknownFile) { try duel.honest.link.supply([1], to: file, at: duel.now) }
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileOffer).count == 32)
    }

    @Test("Only requested bytes are accepted, and sent in order", arguments: roles)
    func supplies(role: LinkRole) throws {
        let (duel, file) = try Self.offering(role, size: 70_000)
        try Duels.poke(duel, FileAccept(id: 0).encoded())
        #expect(FileTests.outgoing(duel) == [.accepted(file), .wanted(file, offset: 0, maximum: 65_280)])
        for count in [0, 65_281] {
            #expect(throws: RequestError.wrongChunkLength) {
                try duel.honest.link.supply([UInt8](repeating: 0, count: count), to: file, at: duel.now)
            }
        }
        try duel.honest.link.supply([1, 2], to: file, at: duel.now)
        #expect(throws: RequestError.unknownFile) { try duel.honest.link.supply([3], to: file, at: duel.now) }
        try duel.exchange()
        #expect(FileTests.outgoing(duel).last == .wanted(file, offset: 2, maximum: 65_280))
        try duel.honest.link.supply([UInt8](repeating: 4, count: 65_280), to: file, at: duel.now)
        try duel.exchange()
        #expect(FileTests.outgoing(duel).last == .wanted(file, offset: 65_282, maximum: 4_718))
        #expect(throws: RequestError.wrongChunkLength) {
            try duel.honest.link.supply([UInt8](repeating: 4, count: 4_719), to: file, at: duel.now)
        }
        try duel.honest.link.supply([UInt8](repeating: 5, count: 4_718), to: file, at: duel.now)
        try duel.exchange()
        let whole = [1, 2] + [UInt8](repeating: 4, count: 65_280) + [UInt8](repeating: 5, count: 4_718)
        #expect(duel.evil.payloads(of: .fileEnd) == [[0] + FileTests.sha256(whole) + [0]])
        #expect(Self.carried(duel) == whole)
        try Duels.poke(duel, FileDone(id: 0).encoded())
        #expect(FileTests.outgoing(duel).last == .delivered(file, try Digest(rawBytes: FileTests.sha256(whole))))
    }

    /// The bytes of FILE_DATA, whose offsets must follow each other.
    private static func carried(_ duel: Duel) -> [UInt8] {
        var bytes: [UInt8] = []
        for payload in duel.evil.payloads(of: .fileData) {
            guard let (offset, data) = parse(payload), offset == UInt64(bytes.count) else { return [] }
            bytes += data
        }
        return bytes
    }

    private static func parse(_ payload: [UInt8]) -> (UInt64, [UInt8])? {
        guard let frame = try? FileDataFrame(payload: payload.span) else { return nil }
        return (frame.offset, Array(copying: frame.data))
    }

    @Test("Faults of a receiver, R15.3-6, R15.4-1", arguments: roles)
    func receiverFaults(role: LinkRole) throws {
        let accept = FileAccept(id: 0).encoded()
        let cancelled = FileCancel(id: 2, reason: .declined).encoded()
        let cases: [([UInt8], FrameType)] = [
            (accept + accept, .fileAccept), (FileDone(id: 0).encoded(), .fileDone),
            (accept + FileDone(id: 0).encoded(), .fileDone), (FileAccept(id: 2).encoded(), .fileAccept),
            (FileDone(id: 2).encoded(), .fileDone), (FileAccept(id: 1).encoded(), .fileAccept),
            (FileDone(id: 1).encoded(), .fileDone), (cancelled, .fileCancel),
        ]
        for (frames, type) in cases {
            let (duel, _) = try Self.offering(role)
            try Duels.poke(duel, frames)
            expectFailure(duel, unexpected(type), at: .open, told: .unexpectedFrame)
        }
        // Never offered at all.
        for (frames, type) in [
            (accept, FrameType.fileAccept), (FileDone(id: 0).encoded(), .fileDone),
            (FileCancel(id: 0, reason: .declined).encoded(), .fileCancel),
        ] {
            let duel = try Duels.at(.open, honest: role)
            try Duels.poke(duel, frames)
            expectFailure(duel, unexpected(type), at: .open, told: .unexpectedFrame)
        }
    }

    @Test("The app cancels at every point; answers that cross it are ignored", arguments: roles)
    func appCancels(role: LinkRole) throws {
        for point in 0..<4 {
            let (duel, file) = try Self.offering(role)
            if point > 0 { try Duels.poke(duel, FileAccept(id: 0).encoded()) }
            if point > 1 {
                try duel.honest.link.supply([UInt8](repeating: 1, count: point == 2 ? 5 : 10), to: file, at: duel.now)
            }
            try duel.exchange()
            try duel.honest.link.cancelFile(file, reason: .sourceFailed, at: duel.now)
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.cancelFile(file, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.supply([1], to: file, at: duel.now) }
            try Duels.poke(
                duel,
                FileAccept(id: 0).encoded() + FileDone(id: 0).encoded()
                    + FileCancel(id: 0, reason: .declined).encoded())
            #expect(duel.stage == .open && duel.evil.payloads(of: .fileCancel) == [[0, 4, 0]])
            #expect(FileTests.outgoing(duel).last == .ended(file, .sourceFailed, byPeer: false))
            let next = try duel.honest.link.offerFile(name: "g", size: 0, at: duel.now)
            #expect(next.rawValue == 2)
        }
    }

    @Test("The peer cancels at every point", arguments: roles)
    func peerCancels(role: LinkRole) throws {
        for point in 0..<4 {
            let (duel, file) = try Self.offering(role)
            if point > 0 { try Duels.poke(duel, FileAccept(id: 0).encoded()) }
            if point > 1 {
                try duel.honest.link.supply([UInt8](repeating: 1, count: point == 2 ? 5 : 10), to: file, at: duel.now)
            }
            try duel.exchange()
            let cancel = FileCancel(id: 0, reason: .tooLarge).encoded()
            try Duels.poke(duel, cancel + cancel)
            #expect(duel.stage == .open)
            #expect(FileTests.outgoing(duel).last == .ended(file, .tooLarge, byPeer: true))
            // The sender confirms it, once (R15.3-7).
            #expect(duel.evil.payloads(of: .fileCancel) == [[0, 6, 0]])
            #expect(duel.evil.payloads(of: .fileEnd).count == (point == 3 ? 1 : 0))
        }
    }

    @Test("Files both ways, empty ones too, one after the other", arguments: EncryptionPreference.allCases)
    func manyFiles(preference: EncryptionPreference) throws {
        let pair = TestPair(try Peers.openPair(encryption: preference))
        var expected: [[UInt8]] = []
        for index in 0..<40 {
            let size = [0, 1, 65_280, 65_281, 65_279, 130_560, 200_000, index][index % 8]
            let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ index) }
            expected.append(content)
            pair.pair.initiator.script.file = content
            pair.pair.responder.script.file = content
            _ = try pair.pair.initiator.link.offerFile(name: "f\(index)", size: UInt64(size), at: pair.pair.now)
            _ = try pair.pair.responder.link.offerFile(name: "g\(index)", size: UInt64(size), at: pair.pair.now)
            pair.pair.run()
        }
        let received = (pair.pair.initiator.files, pair.pair.responder.files)
        #expect(received.0 == expected && received.1 == expected)
        let delivered = pair.effects(of: .initiator).filter { effect in
            if case .outgoingFile(.delivered) = effect { true } else { false }
        }
        #expect(delivered.count == 40)
    }
}
