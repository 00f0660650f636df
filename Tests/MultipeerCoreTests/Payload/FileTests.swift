import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

/// The honest peer has the lesser key, so its files are 0, 2, 4 … and the peer's 1, 3, 5 …
@Suite("Files, SPEC §15.3 and §15.4")
struct FileTests {
    static let roles: [LinkRole] = [.initiator, .responder]
    static let content = Array("0123456789".utf8)

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Peers.crypto.hashing.hash(bytes.span, [UInt8]().span).rawBytes
    }

    static func incoming(_ duel: Duel) -> [IncomingFileEvent] {
        duel.effects.compactMap { if case .incomingFile(let event) = $0 { event } else { nil } }
    }

    static func outgoing(_ duel: Duel) -> [OutgoingFileEvent] {
        duel.effects.compactMap { if case .outgoingFile(let event) = $0 { event } else { nil } }
    }

    static func fileID(_ duel: Duel) throws -> FileID {
        for case .offered(let offer) in Self.incoming(duel).reversed() { return offer.file }
        throw ScriptedPeerError.malformedFrames
    }

    /// A link to which a file of ten bytes was offered, and that accepted it.
    static func receiving(_ role: LinkRole, accepts: Bool = true) throws -> Duel {
        let duel = try Duels.at(.open, honest: role)
        try Duels.poke(duel, FileOffer(id: 1, size: 10, name: Array("../a".utf8)).encoded())
        if accepts { try duel.honest.link.acceptFile(try fileID(duel), at: duel.now) }
        try duel.exchange()
        return duel
    }

    static let offer = FileOffer(id: 1, size: 10, name: [0x61]).encoded()
    static let end = FileEnd(id: 1, digest: sha256(content)).encoded()
    static func data(_ offset: UInt64, _ bytes: [UInt8], id: UInt64 = 1) -> [UInt8] {
        WireBytes.fileData(id, offset: offset, bytes)
    }

    @Test("A file is transferred, and its end is reported", arguments: roles)
    func wholeFile(role: LinkRole) throws {
        let duel = try Self.receiving(role)
        let file = try Self.fileID(duel)
        try Duels.poke(
            duel, Self.data(0, Array(Self.content.prefix(4))) + Self.data(4, Array(Self.content.dropFirst(4))))
        #expect(throws: RequestError.unknownFile) { try duel.honest.link.confirmFile(file, at: duel.now) }
        try Duels.poke(duel, Self.end)
        let digest = try Digest(rawBytes: Self.sha256(Self.content))
        guard case .offered(let offered) = Self.incoming(duel).first else { throw ScriptedPeerError.malformedFrames }
        #expect(offered.name == "../a" && offered.localName == "a" && offered.size == 10 && offered.kind == .file)
        #expect(
            Array(Self.incoming(duel).dropFirst()) == [
                .data(file, Array(Self.content.prefix(4))),
                .data(file, Array(Self.content.dropFirst(4))), .complete(file, digest),
            ])
        #expect(duel.evil.payloads(of: .fileDone).isEmpty, "not before the app has stored it (R15.3-6)")
        try duel.honest.link.confirmFile(file, at: duel.now)
        #expect(throws: RequestError.unknownFile) { try duel.honest.link.confirmFile(file, at: duel.now) }
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileDone) == [[1, 0]])
    }

    @Test("Faults of a sender, R15.3-1 to R15.3-4, R15.3-7, R15.3-8", arguments: roles)
    func senderFaults(role: LinkRole) throws {
        let done = Self.data(0, Self.content)
        let cancel = FileCancel(id: 1, reason: .cancelled).encoded()
        // Frames after an offer that was accepted.
        let accepted: [([UInt8], LinkFailureCause)] = [
            (Self.data(1, [1]), malformed(.valueOutOfRange, .fileOffset)),
            (Self.data(0, []), malformed(.lengthOutOfRange, .fileData)),
            (Self.data(0, Self.content + [1]), malformed(.lengthOutOfRange, .fileData)),
            (done + Self.data(10, [1]), malformed(.lengthOutOfRange, .fileData)),
            (Self.data(0, [1]) + Self.data(0, [1]), malformed(.valueOutOfRange, .fileOffset)),
            (Self.data(1 << 62 - 1, [1]), malformed(.valueOutOfRange, .fileOffset)),
            (Self.data(0, [1], id: 3), unexpected(.fileData)), (Self.end, unexpected(.fileEnd)),
            (Self.data(0, [1]) + Self.end, unexpected(.fileEnd)),
            (FileEnd(id: 3, digest: Self.sha256([])).encoded(), unexpected(.fileEnd)),
            (FileOffer(id: 5, size: 0, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileID)),
            (done + Self.end + FileOffer(id: 1, size: 0, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileID)),
            (done + Self.end + Self.end, unexpected(.fileEnd)),
            (WireBytes.frame(.fileEnd, [1] + [UInt8](repeating: 0, count: 31)), malformed(.truncated, .fileDigest)),
            (cancel + Self.data(0, [1]), unexpected(.fileData)), (cancel + Self.end, unexpected(.fileEnd)),
            (FileCancel(id: 3, reason: .cancelled).encoded(), unexpected(.fileCancel)),
        ]
        for (index, (frames, cause)) in accepted.enumerated() {
            let duel = try Self.receiving(role)
            try Duels.poke(duel, frames)
            #expect(duel.failure == LinkFailure(stage: .open, cause: cause), "case \(index)")
            expectSoundEnd(duel)
            let isComplete = Self.incoming(duel).contains { if case .complete = $0 { true } else { false } }
            #expect(isComplete == (index == 11 || index == 12), "case \(index)")
        }
        // Before FILE_ACCEPT.
        for (frames, cause) in [(done, unexpected(.fileData)), (Self.end, unexpected(.fileEnd))] {
            let duel = try Self.receiving(role, accepts: false)
            try Duels.poke(duel, frames)
            expectFailure(duel, cause, at: .open, told: .unexpectedFrame)
        }
    }

    @Test("Offers out of order or range, R15.3-1, R15.3-8, R15.5-1", arguments: roles)
    func wrongOffers(role: LinkRole) throws {
        let largest: UInt64 = 1 << 53 - 1
        let cases: [([UInt8], LinkFailureCause)] = [
            (FileOffer(id: 3, size: 1, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileID)),
            (FileOffer(id: 0, size: 1, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileID)),
            (FileOffer(id: 2, size: 1, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileID)),
            (FileOffer(id: 1, size: largest + 1, name: [0x61]).encoded(), malformed(.valueOutOfRange, .fileSize)),
            (FileOffer(id: 1, size: 1, name: []).encoded(), malformed(.lengthOutOfRange, .fileName)),
            (
                FileOffer(id: 1, size: 1, name: [UInt8](repeating: 0x61, count: 256)).encoded(),
                malformed(.lengthOutOfRange, .fileName)
            ),
            (FileOffer(id: 1, size: 1, name: [0xFF]).encoded(), malformed(.illFormedText, .fileName)),
            (FileOffer(id: 1, size: 1, name: [0xED, 0xA0, 0x80]).encoded(), malformed(.illFormedText, .fileName)),
        ]
        for (frames, cause) in cases {
            let duel = try Duels.at(.open, honest: role)
            try Duels.poke(duel, frames)
            expectFailure(duel, cause, at: .open, told: .malformed)
        }
        for (size, name) in [(largest, [UInt8](repeating: 0x61, count: 255)), (0, [0x00])] {
            let duel = try Duels.at(.open, honest: role)
            try Duels.poke(duel, FileOffer(id: 1, size: size, name: name).encoded())
            #expect(duel.stage == .open && Self.incoming(duel).count == 1)
        }
    }

    @Test("A receiver's app refuses at every point; frames on the way are ignored, R15.3-7", arguments: roles)
    func receiverCancels(role: LinkRole) throws {
        for point in 0..<4 {
            let duel = try Self.receiving(role, accepts: point > 0)
            let file = try Self.fileID(duel)
            if point > 1 { try Duels.poke(duel, Self.data(0, Array(Self.content.prefix(6)))) }
            if point > 2 { try Duels.poke(duel, Self.data(6, Array(Self.content.dropFirst(6))) + Self.end) }
            try duel.honest.link.refuseFile(file, reason: .storageFailed, at: duel.now)
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.refuseFile(file, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.acceptFile(file, at: duel.now) }
            // On the way: judged as before, and dropped. The sender's own cancel crosses too.
            let rest = [[], Self.data(0, Self.content) + Self.end, Self.data(6, Array(repeating: 9, count: 4)), []][
                point]
            try Duels.poke(duel, rest + FileCancel(id: 1, reason: .sourceFailed).encoded())
            #expect(duel.stage == .open, "point \(point): \(String(describing: duel.failure))")
            #expect(duel.evil.payloads(of: .fileCancel) == [[1, 3, 0]])
            #expect(Self.incoming(duel).last == .ended(file, .storageFailed, byPeer: false))
            #expect(
                Self.incoming(duel).filter { if case .data = $0 { true } else { false } }.count == max(point - 1, 0))
            // The next file is number 3. The last one has ended.
            try Duels.poke(duel, FileOffer(id: 3, size: 1, name: [0x62]).encoded())
            #expect(duel.stage == .open)
            try Duels.poke(duel, Self.data(0, [1]))
            expectFailure(duel, unexpected(.fileData), at: .open, told: .unexpectedFrame)
        }
        // Wrong still, also for a file that was cancelled.
        let wrong: [([UInt8], LinkFailureCause)] = [
            (Self.data(0, []), malformed(.lengthOutOfRange, .fileData)),
            (Self.data(1, [1]), malformed(.valueOutOfRange, .fileOffset)),
            (Self.data(0, Self.content + [1]), malformed(.lengthOutOfRange, .fileData)),
            (Self.end, unexpected(.fileEnd)),
            (Self.data(0, Self.content) + Self.end + Self.end, unexpected(.fileEnd)),
        ]
        for (frames, cause) in wrong {
            let duel = try Self.receiving(role)
            try duel.honest.link.refuseFile(try Self.fileID(duel), at: duel.now)
            try Duels.poke(duel, frames)
            #expect(duel.cause == cause)
        }
        let declined = try Self.receiving(role, accepts: false)
        try declined.honest.link.refuseFile(try Self.fileID(declined), at: declined.now)
        try Duels.poke(declined, Self.data(0, [1]))
        expectFailure(declined, unexpected(.fileData), at: .open, told: .unexpectedFrame)
    }

    @Test("The peer cancels its file at every point", arguments: roles)
    func senderCancels(role: LinkRole) throws {
        let reasons: [(UInt8, FileCancel.Reason)] = [
            (1, .declined), (2, .cancelled), (3, .storageFailed), (4, .sourceFailed), (5, .hashMismatch),
            (6, .tooLarge),
            (0, .cancelled), (0x82, .cancelled), (255, .cancelled),
        ]
        for (byte, reason) in reasons {
            for point in 0..<3 {
                let duel = try Self.receiving(role, accepts: point > 0)
                let file = try Self.fileID(duel)
                if point > 1 { try Duels.poke(duel, Self.data(0, Self.content) + Self.end) }
                try Duels.poke(duel, WireBytes.frame(.fileCancel, [1, byte, 0]))
                #expect(duel.stage == .open)
                #expect(Self.incoming(duel).last == .ended(file, reason, byPeer: true))
                #expect(throws: RequestError.unknownFile) { try duel.honest.link.confirmFile(file, at: duel.now) }
                // Twice is late, not wrong.
                try Duels.poke(duel, WireBytes.frame(.fileCancel, [1, byte, 0]))
                #expect(duel.stage == .open && duel.evil.payloads(of: .fileDone).isEmpty)
            }
        }
    }

    @Test("Another hash: FILE_CANCEL of reason 5, and no byte is delivered, R15.3-5", arguments: roles)
    func hashMismatch(role: LinkRole) throws {
        for bit in 0..<256 {
            let duel = try Self.receiving(role)
            var digest = Self.sha256(Self.content)
            digest[bit / 8] ^= 1 << (bit % 8)
            try Duels.poke(duel, Self.data(0, Self.content) + FileEnd(id: 1, digest: digest).encoded())
            #expect(duel.evil.payloads(of: .fileCancel) == [[1, 5, 0]])
            #expect(Self.incoming(duel).last == .ended(try Self.fileID(duel), .hashMismatch, byPeer: false))
            #expect(
                duel.stage == .open && !Self.incoming(duel).contains { if case .complete = $0 { true } else { false } })
        }
    }

    @Test(
        "The peer with the lesser key has the even numbers, in both orders of keys and roles, R15.3-1", arguments: roles
    )
    func numbers(role: LinkRole) throws {
        let (lesser, greater) = try Peers.seedsByKey()
        for honest in [lesser, greater] {
            let duel = try Duels.make(honest: role, honestSeed: honest, evilSeed: honest == lesser ? greater : lesser)
            try duel.reach(.open)
            let own: UInt64 = honest == lesser ? 0 : 1
            for index in 0..<3 as Range<UInt64> {
                let file = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
                #expect(file.rawValue == 2 * index + own)
                try duel.honest.link.cancelFile(file, at: duel.now)
                let theirs = 2 * index + 1 - own
                try Duels.poke(
                    duel,
                    FileOffer(id: theirs, size: 1, name: [0x61]).encoded()
                        + FileCancel(id: theirs, reason: .cancelled).encoded())
            }
            #expect(duel.stage == .open && Self.incoming(duel).count == 6)
            // A number of the wrong kind was never offered, however small it is (SPEC §15.4).
            for frame in [FileAccept(id: 3 - own).encoded(), FileDone(id: 1 - own).encoded()] {
                let duel = try Duels.make(
                    honest: role, honestSeed: honest, evilSeed: honest == lesser ? greater : lesser)
                try duel.reach(.open)
                for _ in 0..<3 {
                    let file = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
                    try duel.honest.link.cancelFile(file, at: duel.now)
                }
                try Duels.poke(duel, frame)
                #expect(duel.evil.closeCode == .unexpectedFrame)
            }
        }
    }
}
