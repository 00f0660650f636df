import Foundation
import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Messages and records, SPEC §12.5, §15.1, §15.2")
struct MessageTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test(
        "Messages of every length around the limits of records arrive whole", arguments: EncryptionPreference.allCases)
    func lengths(preference: EncryptionPreference) throws {
        let pair = TestPair(try Peers.openPair(suites: [.aesGCM], encryption: preference))
        let edges = [65_500, 65_516, 131_020, 196_536].flatMap { edge in (edge - 12...edge + 4).map { $0 } }
        let lengths = [0, 1, 2, 62, 63, 64, 65, 16_380, 16_383, 16_384, 16_385, 1_000_000] + edges
        var expected: [[UInt8]] = []
        for length in lengths {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            expected.append(message)
            try pair.pair.initiator.link.send(message, at: pair.pair.now)
            try pair.pair.responder.link.send(message, at: pair.pair.now)
        }
        #expect(pair.pair.initiator.link.queuedByteCount == lengths.reduce(0, +))
        pair.pair.run()
        let (one, two) = (pair.messages(of: .initiator), pair.messages(of: .responder))
        #expect(one == expected && two == expected)
        let left = pair.pair.initiator.link.queuedByteCount
        #expect(left == 0)
        for part in WirePart.parts(of: pair.sent(by: .initiator)) where part.kind != nil {
            #expect(part.end - part.start <= 65_535)
        }
    }

    @Test("Messages fit any room that the transport gives")
    func smallOutputs() throws {
        for room in [4_200, 5_000, 16_384, 65_535, 200_000] {
            let pair = TestPair(try Peers.openPair())
            let message = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            try pair.pair.initiator.link.send(message, at: pair.pair.now)
            try pair.pair.initiator.link.send([1], at: pair.pair.now)
            while pair.pair.initiator.link.hasOutput {
                var bytes: [UInt8] = []
                bytes.append(addingCapacity: room) { (output: inout OutputSpan<UInt8>) in
                    pair.pair.initiator.link.transmit(into: &output, at: pair.pair.now)
                }
                try #require(!bytes.isEmpty && bytes.count <= room)
                pair.pair.responder.link.receive(bytes.span, at: pair.pair.now)
            }
            pair.pair.responder.drain(at: pair.pair.now)
            #expect(pair.messages(of: .responder) == [message, [1]])
        }
    }

    @Test("The receiver's maximum holds for both peers, R15.1-3")
    func maximum() throws {
        for maximum: UInt32 in [0, 1, 1_000] {
            let pair = TestPair(try Peers.pair(adjustResponder: { $0.maximumMessage = maximum }))
            pair.pair.run()
            let most = Int(max(maximum, 1))
            #expect(pair.summaries.initiator?.peerMaximumMessage == UInt64(most))
            #expect(throws: RequestError.messageTooLong(maximum: UInt64(most))) {
                try pair.pair.initiator.link.send([UInt8](repeating: 0, count: most + 1), at: pair.pair.now)
            }
            try pair.pair.initiator.link.send([UInt8](repeating: 1, count: most), at: pair.pair.now)
            pair.pair.run()
            #expect(pair.messages(of: .responder) == [[UInt8](repeating: 1, count: most)])
        }
        // Fields in their order (R18-1): what is too long is that, whatever its data.
        let tooMuch = [UInt8](repeating: 1, count: 1_002)
        let cases: [(UInt64, [UInt8], Bool)] = [
            (1_000, [1], false), (1_001, [1], true), (1 << 62 - 1, [1], true), (1_001, [], true),
            (1_001, tooMuch, true),
        ]
        for (total, data, isTooLong) in cases {
            let duel = try Duels.at(.open, honest: .responder) { $0.maximumMessage = 1_000 }
            try Duels.poke(duel, WireBytes.message(total: total, data))
            if isTooLong {
                expectFailure(duel, .violation(.limitExceeded), at: .open, told: .limitExceeded)
            } else {
                #expect(duel.stage == .open)
            }
        }
    }

    @Test("Faults of MESSAGE and MESSAGE_PART, R15.1-1, R15.1-2", arguments: roles)
    func faults(role: LinkRole) throws {
        let part = WireBytes.frame(.messagePart, [1])
        let lengthFault = malformed(.lengthOutOfRange, .messageData)
        let cases: [([UInt8], LinkFailureCause)] = [
            (WireBytes.message(total: 1, []), lengthFault), (WireBytes.message(total: 1, [1, 2]), lengthFault),
            (WireBytes.message(total: 0, [1]), lengthFault),
            (WireBytes.frame(.message, []), malformed(.truncated, .messageTotal)),
            (WireBytes.frame(.message, [0x40, 0x01, 1]), malformed(.nonMinimalInteger, .messageTotal)),
            (part, unexpected(.messagePart)), (WireBytes.frame(.messagePart), lengthFault),
            (WireBytes.message(total: 3, [1]) + WireBytes.frame(.messagePart, []), lengthFault),
            (WireBytes.message(total: 3, [1]) + WireBytes.frame(.messagePart, [1, 2, 3]), lengthFault),
            (WireBytes.message(total: 3, [1]) + WireBytes.message(total: 1, [1]), unexpected(.message)),
            (WireBytes.message(total: 3, [1]) + WireBytes.message(total: 0, []), unexpected(.message)),
            // Fields first, what came before it after them (R18-1).
            (WireBytes.message(total: 3, [1]) + WireBytes.message(total: 1, []), lengthFault),
            (WireBytes.message(total: 2, [1]) + part + part, unexpected(.messagePart)),
        ]
        for (index, (frames, cause)) in cases.enumerated() {
            let duel = try Duels.at(.open, honest: role)
            try Duels.poke(duel, frames)
            expectFailure(
                duel, cause, at: .open,
                told: cause == lengthFault || index < 7 && index != 5 ? .malformed : .unexpectedFrame)
            #expect(duel.messages == (index == cases.count - 1 ? [[1, 1]] : []))
        }
    }

    @Test("Other frames may come between the parts of a message")
    func interleaved() throws {
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, WireBytes.message(total: 3, [1]) + WireBytes.frame(.padding, [0]))
        try Duels.poke(duel, FileOffer(id: 1, size: 1, name: [0x61]).encoded() + WireBytes.frame(.messagePart, [2]))
        try Duels.poke(duel, WireBytes.frame(0x3F) + WireBytes.frame(.messagePart, [3]))
        #expect(duel.messages == [[1, 2, 3]])
    }

    @Test("Memory follows received bytes, not announced ones, R15.1-4")
    func memoryByArrival() throws {
        // A link that reserved 4 GiB for each of these would not survive them.
        let duel = try Duels.at(.open, honest: .responder) { $0.maximumMessage = .max }
        try Duels.poke(duel, WireBytes.message(total: UInt64(UInt32.max), [1]))
        let before = residentBytes()
        for _ in 0..<64 { try Duels.poke(duel, WireBytes.frame(.messagePart, [2])) }
        #expect(residentBytes() - before < 64 << 20)
        #expect(duel.stage == .open && duel.messages.isEmpty)
        try duel.cut()
        #expect(duel.failure == LinkFailure(stage: .open, cause: .truncated) && duel.messages.isEmpty)
    }

    @Test("Control frames overtake messages, which share the link with file data, §15.2")
    func priorities() throws {
        let duel = try Duels.at(.open, honest: .responder)
        let file = try duel.honest.link.offerFile(name: "f", size: 3, at: duel.now)
        try duel.exchange()
        try Duels.poke(duel, FileAccept(id: 0).encoded())
        try duel.honest.link.supply([1, 2, 3], to: file, at: duel.now)
        try duel.honest.link.send([UInt8](repeating: 1, count: 200_000), at: duel.now)
        try duel.evil.send(FileOffer(id: 1, size: 9, name: [0x61]))
        duel.honest.link.receive(duel.evil.flush().span, at: duel.now)
        duel.honest.drain(at: duel.now)
        try duel.honest.link.acceptFile(try #require(Self.offered(duel)), at: duel.now)
        try duel.exchange()
        let order = duel.evil.sentTypes.drop { $0 != .fileOffer }.dropFirst()
        // Messages first, and the file in its turn: FILE_END after its data, wherever the records end.
        #expect(order.prefix(2) == [.fileAccept, .message])
        let data = try #require(order.firstIndex(of: .fileData))
        #expect(data < (order.lastIndex(of: .messagePart) ?? 0) && data < (order.firstIndex(of: .fileEnd) ?? 0))
    }

    private static func offered(_ duel: Duel) -> FileID? {
        for case .incomingFile(.offered(let offer)) in duel.effects { return offer.file }
        return nil
    }

    @Test("The key of a direction changes after 65,536 records, R12.5-1", arguments: Suite.classical, [true, false])
    func rekey(suite: Suite, isReadable: Bool) throws {
        let duel = try Duels.make(honest: .responder)
        try duel.shakeHands(suite: suite)
        try duel.evil.send(try duel.evil.proof().encoded() + duel.evil.peerInfo().encoded())
        try duel.evil.send(invite: duel.evil.invitation(isReadable ? .none : .required))
        try duel.exchange()
        let terms = SessionTerms(encryption: isReadable ? .none : .required)
        try duel.honest.link.accept(try #require(duel.invitationToken), with: terms, at: duel.now)
        try duel.evil.send(Certificates.none)
        try duel.exchange()
        try duel.evil.send(Ready())
        try duel.honest.link.submitVerdict(.accepted(.unverified), for: try #require(duel.judgementToken), at: duel.now)
        try duel.exchange()
        let kind: RecordKind = isReadable ? .authenticated : .encrypted
        // Credit for all messages of both peers.
        try duel.evil.send(Credit(kind: .messages, limit: 1 << 40))
        try duel.exchange()
        duel.honest.script.takesMessages = true
        // The evil peer's direction: 5 records so far, then up to and past the first change of keys.
        for index in 5..<65_540 {
            duel.evil.sendRaw(try duel.evil.seal(WireBytes.message(total: 1, [UInt8(index & 0xFF)]), as: kind))
            if index % 1_000 == 0 { try duel.exchange() }
        }
        try duel.exchange()
        #expect(duel.stage == .open && duel.messages.count == 65_535)
        // The honest peer's: what the evil peer can read was sealed as SPEC §12.5 says.
        let before = duel.evil.payloads(of: .message).count
        for index in 0..<65_540 {
            try duel.honest.link.send([UInt8(index & 0xFF)], at: duel.now)
            try duel.evil.receive(duel.honest.transmit(at: duel.now))
        }
        #expect(duel.evil.payloads(of: .message).count - before == 65_540)
        #expect(duel.evil.records.count > 65_540)
    }
}

/// What this process holds in memory, in bytes.
func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * 4_096
}
