import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Closing and truncation, SPEC §16")
struct ClosingTests {
    static let roles: [LinkRole] = [.initiator, .responder]
    static let closed = Close(code: .noError).encoded()

    @Test("The time of a stalled queue counts from when the app closes", arguments: roles)
    func standsStill(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try duel.honest.link.send([UInt8](repeating: 1, count: 200_000), at: duel.now)
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 70_000) { (output: inout OutputSpan<UInt8>) in
            duel.honest.link.transmit(into: &output, at: duel.now)
        }
        let closing = duel.now.advanced(by: .seconds(3))
        duel.honest.link.close(at: closing)
        #expect(duel.stage == .draining && !bytes.isEmpty)
        duel.honest.link.timeout(at: closing.advanced(by: .seconds(4)))
        #expect(duel.stage == .draining)
        duel.honest.link.timeout(at: closing.advanced(by: .seconds(5)))
        #expect(duel.stage == .closing)
    }

    @Test(
        "Either peer closes first, with messages that wait: all arrive", arguments: roles, EncryptionPreference.allCases
    )
    func drains(role: LinkRole, preference: EncryptionPreference) throws {
        let pair = TestPair(try Peers.openPair(encryption: preference))
        let messages = (0..<5).map { [UInt8](repeating: UInt8($0), count: 60_000) }
        for message in messages {
            if role == .initiator {
                try pair.pair.initiator.link.send(message, at: pair.pair.now)
            } else {
                try pair.pair.responder.link.send(message, at: pair.pair.now)
            }
        }
        if role == .initiator {
            pair.pair.initiator.link.close(at: pair.pair.now)
            pair.pair.initiator.link.close(at: pair.pair.now)
            #expect(throws: RequestError.wrongStage(.draining)) {
                try pair.pair.initiator.link.send([1], at: pair.pair.now)
            }
        } else {
            pair.pair.responder.link.close(at: pair.pair.now)
        }
        pair.pair.run()
        #expect(pair.messages(of: role.peer) == messages)
        #expect(pair.ends.initiator == .finished(unsentMessages: 0))
        #expect(pair.ends.responder == .finished(unsentMessages: 0))
        #expect(pair.stages == (.closed, .closed))
    }

    @Test(
        "Both close at once; messages that cross CLOSE are still delivered, R16.1-3",
        arguments: EncryptionPreference.allCases)
    func simultaneous(preference: EncryptionPreference) throws {
        let pair = TestPair(try Peers.openPair(encryption: preference))
        for index in 0..<3 {
            try pair.pair.initiator.link.send([UInt8](repeating: UInt8(index), count: 70_000), at: pair.pair.now)
            try pair.pair.responder.link.send([UInt8](repeating: UInt8(index), count: 70_000), at: pair.pair.now)
        }
        pair.pair.initiator.link.close(at: pair.pair.now)
        pair.pair.responder.link.close(at: pair.pair.now)
        pair.pair.run()
        #expect(pair.messages(of: .initiator).count == 3 && pair.messages(of: .responder).count == 3)
        #expect(pair.ends.initiator == .finished(unsentMessages: 0))
        #expect(pair.ends.responder == .finished(unsentMessages: 0))
    }

    @Test(
        "The peer's CLOSE is answered at once; waiting messages are counted, not sent, R16.1-1, R16.1-2",
        arguments: roles)
    func answersClose(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try duel.honest.link.send([1], at: duel.now)
        try duel.honest.link.send([2], at: duel.now)
        try duel.evil.send(Self.closed + WireBytes.message(total: 1, [9]) + WireBytes.frame(0x3E))
        duel.evil.sendRaw([0xFF])
        duel.honest.link.receive(duel.evil.flush().span, at: duel.now)
        try duel.exchange()
        #expect(duel.end == .finished(unsentMessages: 2) && duel.messages.isEmpty)
        #expect(duel.evil.payloads(of: .message).isEmpty && duel.evil.closeCode == .noError)
        #expect(duel.isFinished)
        expectSoundEnd(duel)
        // Nothing of what follows is looked at.
        duel.evil.sendRaw([UInt8](repeating: 0xAB, count: 5_000))
        let count = duel.effects.count
        try duel.exchange()
        try duel.cut()
        #expect(duel.effects.count == count && duel.isFinished)
    }

    @Test(
        "The peer's error code is the reason, in every stage, also while the local peer closes",
        arguments: roles, Duel.Place.allCases)
    func peerError(role: LinkRole, place: Duel.Place) throws {
        guard place != .hello, place != .closed, place != .closingFailed else { return }
        for code in [CloseCode.shuttingDown, .malformed, .certificateRejected, CloseCode(rawValue: 0x4242)] {
            let duel = try Duels.at(place, honest: role)
            let stage = duel.stage
            try Duels.poke(duel, Close(code: code).encoded())
            #expect(duel.failure == LinkFailure(stage: stage, cause: .peerClosed(code)))
            #expect(duel.evil.closeCode == .noError && duel.isFinished)
            expectSoundEnd(duel)
        }
    }

    @Test("A malformed CLOSE is an error as well")
    func malformedClose() throws {
        for (payload, cause) in [
            ([], malformed(.truncated, .closeCode)), ([0x40, 0x00], malformed(.nonMinimalInteger, .closeCode)),
            ([0, 0, 0], malformed(.trailingBytes, .framePayload)),
        ] as [([UInt8], LinkFailureCause)] {
            let duel = try Duels.at(.open, honest: .initiator)
            try Duels.poke(duel, WireBytes.frame(.close, payload))
            expectFailure(duel, cause, at: .open, told: .malformed)
        }
    }

    @Test(
        "A stream that ends without CLOSE is truncated, in every stage, R16.2-1", arguments: roles, Duel.Place.allCases)
    func truncation(role: LinkRole, place: Duel.Place) throws {
        let duel = try Duels.at(place, honest: role)
        let (stage, before) = (duel.stage, duel.failure)
        try duel.cut()
        switch place {
        case .closed: #expect(duel.end == .finished(unsentMessages: 0))
        case .closingFailed: #expect(duel.failure == before)
        default: #expect(duel.failure == LinkFailure(stage: stage, cause: .truncated))
        }
        #expect(duel.isFinished)
        expectSoundEnd(duel)
    }

    @Test("A stream that ends in the middle of a record, a message or a file delivers nothing of it")
    func truncatedPayload() throws {
        let duel = try Duels.at(.open, honest: .responder)
        try duel.evil.send(WireBytes.message(total: 5, [1, 2]))
        let rest = try duel.evil.seal(WireBytes.frame(.messagePart, [3, 4, 5]))
        duel.evil.sendRaw(Array(rest.dropLast()))
        try duel.cut()
        #expect(duel.messages.isEmpty && duel.failure == LinkFailure(stage: .open, cause: .truncated))
        let file = try FileTests.receiving(.initiator)
        try Duels.poke(file, FileTests.data(0, FileTests.content))
        try file.cut()
        #expect(file.failure == LinkFailure(stage: .open, cause: .truncated))
        #expect(!FileTests.incoming(file).contains { if case .complete = $0 { true } else { false } })
    }

    @Test(
        "The app closes in every stage: a typed end, CLOSE if there are keys, and silence after it",
        arguments: roles, Duel.Place.allCases)
    func closesEverywhere(role: LinkRole, place: Duel.Place) throws {
        for code in [nil, CloseCode.shuttingDown] {
            let duel = try Duels.at(place, honest: role)
            let (stage, before) = (duel.stage, duel.end)
            if let code { duel.honest.link.close(code, at: duel.now) } else { duel.honest.link.close(at: duel.now) }
            try duel.exchange()
            if place == .hello {
                #expect(duel.failure == LinkFailure(stage: .hello, cause: .invitation(.withdrawn)))
                #expect(duel.isFinished && duel.evil.frames.isEmpty)
                continue
            }
            if stage != .closed { try Duels.poke(duel, Self.closed) }
            Self.expectEnd(duel, stage: stage, place: place, before: before)
            let isNew = ![.closingSession, .closingFailed, .closed].contains(place)
            if isNew { #expect(duel.evil.closeCode == code ?? .noError, "\(place)") }
            if isNew, code == nil {
                #expect(duel.evil.sentTypes.contains(.cancel) == [.inviting, .invitingCrossed].contains(place))
                #expect(duel.evil.sentTypes.contains(.decline) == (place == .invited))
            }
            expectSoundEnd(duel)
        }
    }

    private static func expectEnd(_ duel: Duel, stage: LinkStage, place: Duel.Place, before: LinkEnd?) {
        switch place {
        case .closingFailed, .closed: #expect(duel.end == before)
        case .open, .closingSession: #expect(duel.end == .finished(unsentMessages: 0))
        default:
            guard case .invitation(let end) = duel.cause else {
                Issue.record("\(place): \(String(describing: duel.end))")
                return
            }
            #expect([.withdrawn, .declined].contains(end) && duel.failure?.stage == stage)
        }
    }

    @Test("CLOSE ends files; the current one is cancelled first, R16.1-5", arguments: roles)
    func filesEnd(role: LinkRole) throws {
        let duel = try FileTests.receiving(role)
        _ = try duel.honest.link.offerFile(name: "x", size: 5, at: duel.now)
        try duel.exchange()
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .fileCancel).sorted { $0[0] < $1[0] } == [[0, 12, 0], [1, 12, 0]])
        #expect(FileTests.incoming(duel).last == .ended(try FileTests.fileID(duel), .interrupted, byPeer: false))
        // Crossing frames are ignored, offers too.
        try Duels.poke(duel, FileTests.data(0, [1]) + FileOffer(id: 7, size: 1, name: [0x61]).encoded())
        try Duels.poke(duel, Self.closed)
        #expect(duel.end == .finished(unsentMessages: 0))
    }

    @Test("A stalled queue is given up; one that moves has time", arguments: roles)
    func slowDrain(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try Duels.poke(duel, Credit(kind: .messages, limit: 1 << 30).encoded())
        for index in 0..<6 { try duel.honest.link.send([UInt8](repeating: UInt8(index), count: 60_000), at: duel.now) }
        duel.honest.link.close(at: duel.now)
        var now = duel.now
        // One record every four seconds: slow, and alive.
        for _ in 0..<4 {
            now = now.advanced(by: .seconds(4))
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: 61_000) { (output: inout OutputSpan<UInt8>) in
                duel.honest.link.transmit(into: &output, at: now)
            }
            try duel.evil.receive(bytes)
            #expect(duel.stage == .draining && !bytes.isEmpty)
        }
        // And then nothing moves any more: five seconds after the last byte it is over.
        duel.honest.link.timeout(at: now.advanced(by: .milliseconds(4_999)))
        #expect(duel.stage == .draining && duel.deadline == now.advanced(by: .seconds(5)))
        duel.honest.link.timeout(at: now.advanced(by: .seconds(5)))
        #expect(duel.stage == .closing)
        try duel.exchange()
        try Duels.poke(duel, Self.closed)
        guard case .finished(let unsent) = duel.end else {
            Issue.record("\(String(describing: duel.end))")
            return
        }
        #expect((1...2).contains(unsent))
    }

    @Test(
        "A readable link counts as open after the app's CLOSE: protection is judged, R12.4-2, R16.3-1", arguments: roles
    )
    func protectionWhileClosing(role: LinkRole) throws {
        let faults: [([UInt8], RecordKind)] = [
            (WireBytes.message(total: 1, [1]), .encrypted), (WireBytes.frame(.ready), .authenticated),
            (Self.closed, .authenticated), (WireBytes.frame(.padding, [0]), .authenticated),
        ]
        for (frames, kind) in faults {
            let duel = try Duels.at(.closingSession, honest: role, preference: .none)
            try Duels.poke(duel, frames, as: kind)
            #expect(duel.failure == LinkFailure(stage: .closing, cause: .violation(.wrongProtection)))
            #expect(duel.messages.isEmpty && duel.isFinished)
            expectSoundEnd(duel)
        }
        // Unknown frames are then ignored, in either kind of record.
        let duel = try Duels.at(.closingSession, honest: role, preference: .none)
        try Duels.poke(duel, WireBytes.frame(0x3E), as: .authenticated)
        try Duels.poke(duel, WireBytes.message(total: 1, [1]), as: .authenticated)
        #expect(duel.failure == nil && duel.messages == [[1]])
    }

    @Test("Closing with no_error is an orderly close, R16.1-3", arguments: roles)
    func closesWithNoError(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try duel.honest.link.send([7], at: duel.now)
        duel.honest.link.close(.noError, at: duel.now)
        try duel.exchange()
        try duel.evil.send(WireBytes.message(total: 1, [1]) + Self.closed)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .message).count == 1 && duel.evil.closeCode == .noError)
        #expect(duel.messages == [[1]] && duel.end == .finished(unsentMessages: 0))
    }
}
