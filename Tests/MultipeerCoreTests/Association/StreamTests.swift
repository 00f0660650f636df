import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// The honest peer has the lesser key, so its streams are 0, 2, 4 … and the peer's 1, 3, 5 …
@Suite("Streams, SPEC §15.6, §13.4, §13.5")
struct StreamTests {
    static func data(_ bytes: [UInt8], on id: UInt64 = 1) -> [UInt8] {
        WireBytes.frame(.streamData, WireBytes.varint(id) + bytes)
    }

    static func open(_ id: UInt64 = 1, credit: UInt64 = 1_000, name: String = "s") -> [UInt8] {
        StreamOpen(id: id, credit: credit, name: Array(name.utf8)).encoded()
    }

    static func end(_ size: UInt64, _ id: UInt64 = 1) -> [UInt8] { StreamEnd(id: id, size: size).encoded() }
    static func reset(_ code: UInt64 = 0, _ id: UInt64 = 1) -> [UInt8] { StreamReset(id: id, code: code).encoded() }
    static func stop(_ code: UInt64 = 0, _ id: UInt64 = 1) -> [UInt8] { StreamStop(id: id, code: code).encoded() }
    static func credit(_ limit: UInt64, _ id: UInt64 = 1) -> [UInt8] {
        Credit(kind: .stream, id: id, limit: limit).encoded()
    }

    static func events(_ duel: Duel) -> [StreamEvent] {
        duel.effects.compactMap { if case .stream(let event) = $0 { event } else { nil } }
    }

    static func stream(_ duel: Duel) throws -> StreamID {
        for case .opened(let stream, _) in events(duel).reversed() { return stream }
        throw ScriptedPeerError.malformedFrames
    }

    /// The honest peer's frames of a type, decoded.
    static func sent<Frame: ControlFrame>(_ type: Frame.Type, _ duel: Duel) -> [Frame] {
        duel.evil.payloads(of: Frame.type).compactMap { try? Frame(payload: $0.span) }
    }

    /// A link on which the peer has opened stream 1.
    static func opened(credit: UInt64 = 1_000, takes: Bool = true) throws -> Duel {
        let duel = try Duels.at(.open, honest: .responder)
        duel.honest.script.takesStreams = takes
        try Duels.poke(duel, open(credit: credit))
        return duel
    }

    @Test("Bytes both ways, half-close, and the end after the last byte (R15.6-7)")
    func whole() throws {
        let duel = try Self.opened()
        let stream = try Self.stream(duel)
        #expect(Self.events(duel) == [.opened(stream, name: "s")])
        try Duels.poke(duel, Self.data([1, 2]) + Self.data([3]) + Self.end(3))
        #expect(
            Array(Self.events(duel).dropFirst()) == [
                .data(stream, [1, 2]), .data(stream, [3]), .ended(stream, .complete),
            ])
        try duel.honest.link.write([7, 8], to: stream, at: duel.now)
        try duel.honest.link.finishStream(stream, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .streamData) == [[1, 7, 8]])
        #expect(Self.sent(StreamEnd.self, duel) == [StreamEnd(id: 1, size: 2)])
        #expect(duel.evil.sentTypes.suffix(2) == [.streamData, .streamEnd])
        #expect(throws: RequestError.unknownStream) { try duel.honest.link.write([1], to: stream, at: duel.now) }
        #expect(duel.stage == .open)
    }

    @Test("Frames that a receiver accepts in each state, one by one (SPEC §15.6, R15.6-3, R15.6-4, R15.6-6)")
    func receiverTable() throws {
        enum State: CaseIterable { case receiving, stopping, ended }
        let frames: [(name: String, bytes: [UInt8], fault: LinkFailureCause?)] = [
            ("data", Self.data([9]), nil), ("right end", Self.end(2), nil), ("reset", Self.reset(5), nil),
            ("wrong end", Self.end(1), malformed(.valueOutOfRange, .streamSize)),
            ("empty data", Self.data([]), malformed(.lengthOutOfRange, .streamData)),
            ("too much", Self.data([UInt8](repeating: 1, count: 32_767)), .violation(.creditExceeded)),
        ]
        for state in State.allCases {
            for (name, bytes, fault) in frames {
                let duel = try Self.opened(takes: false)
                let stream = try Self.stream(duel)
                try Duels.poke(duel, Self.data([1, 2]))
                if state == .stopping { try duel.honest.link.stopStream(stream, code: 64, at: duel.now) }
                if state == .ended { try Duels.poke(duel, Self.end(2)) }
                let before = Self.events(duel).count
                try Duels.poke(duel, bytes)
                let label = Comment(rawValue: "\(state) \(name)")
                // The end of a link that fails ends the local direction, which is no news of the peer's.
                let news = Self.events(duel).dropFirst(before).count { if case .stopped = $0 { false } else { true } }
                if state == .ended, name != "empty data" {
                    let isUnexpected = [FrameType.streamData, .streamEnd, .streamReset].contains {
                        duel.cause == unexpected($0)
                    }
                    #expect(isUnexpected && news == 0, label)
                } else if let fault {
                    #expect(duel.cause == fault, label)
                } else {
                    #expect(duel.stage == .open && news == (state == .receiving ? 1 : 0), label)
                }
            }
        }
    }

    @Test("Actions of a sender in each state (SPEC §15.6, R15.6-5, R13.4-4)")
    func senderTable() throws {
        enum State: CaseIterable { case sending, blocked, ended }
        for state in State.allCases {
            for input in ["credit", "stop", "finish", "reset", "write"] {
                let duel = try Self.opened(credit: 4)
                let stream = try Self.stream(duel)
                if state == .blocked { try duel.honest.link.write([1, 2, 3, 4, 5, 6], to: stream, at: duel.now) }
                if state == .ended { try duel.honest.link.resetStream(stream, code: 70, at: duel.now) }
                try duel.exchange()
                let before = duel.evil.sentTypes.count
                var refusal: RequestError?
                do throws(RequestError) {
                    switch input {
                    case "finish": try duel.honest.link.finishStream(stream, at: duel.now)
                    case "reset": try duel.honest.link.resetStream(stream, code: 65, at: duel.now)
                    case "write": try duel.honest.link.write([7], to: stream, at: duel.now)
                    default: break
                    }
                } catch {
                    refusal = error
                }
                if input == "credit" { try Duels.poke(duel, Self.credit(100)) }
                if input == "stop" { try Duels.poke(duel, Self.stop(77)) }
                try duel.exchange()
                let answer = Array(duel.evil.sentTypes.dropFirst(before))
                let expected: [FrameType] =
                    switch (state, input) {
                    case (.ended, _): []
                    case (.blocked, "credit"): [.streamData]
                    case (.sending, "finish"): [.streamEnd]
                    case (.sending, "write"): [.streamData]
                    case (_, "stop"), (_, "reset"): [.streamReset]
                    default: []
                    }
                let label = Comment(rawValue: "\(state) \(input)")
                #expect(answer == expected && duel.stage == .open, label)
                #expect((refusal != nil) == (state == .ended && !["credit", "stop"].contains(input)), label)
                if answer == [.streamReset] {
                    #expect(Self.sent(StreamReset.self, duel).last?.code == (input == "stop" ? 77 : 65), label)
                    #expect(duel.honest.link.queuedByteCount(of: stream) == 0, label)
                }
            }
        }
    }

    @Test("Faults of CREDIT for streams; frames that cross an end are ignored (R13.2-3, R13.4-2 to R13.4-4)")
    func credits() throws {
        let faults: [([UInt8], LinkFailureCause)] = [
            (Self.credit(1_000), malformed(.valueOutOfRange, .creditLimit)),
            (Self.credit(999), malformed(.valueOutOfRange, .creditLimit)),
            (Self.credit(2_000, 3), unexpected(.credit)), (Self.credit(2_000, 0), unexpected(.credit)),
            (Credit(kind: .file, id: 1, limit: 9).encoded(), unexpected(.credit)),
            (Self.stop(0, 3), unexpected(.streamStop)), (Self.end(0, 0), unexpected(.streamEnd)),
            (FileCancel(id: 1, reason: .cancelled).encoded(), unexpected(.fileCancel)),
            (WireBytes.fileData(1, offset: 0, [1]), unexpected(.fileData)),
        ]
        for (frames, fault) in faults {
            let duel = try Self.opened()
            try Duels.poke(duel, frames)
            #expect(duel.cause == fault)
        }
        let duel = try Self.opened()
        let stream = try Self.stream(duel)
        try duel.honest.link.finishStream(stream, at: duel.now)
        try duel.exchange()
        // The direction has ended, and the number lives.
        try Duels.poke(duel, Self.credit(1) + Self.stop(3))
        try Duels.poke(duel, Self.end(0))
        // Now the number has ended as well.
        try Duels.poke(duel, Self.credit(1) + Self.stop(3) + FileCancel(id: 1, reason: .cancelled).encoded())
        #expect(duel.stage == .open)
        try Duels.poke(duel, Self.data([1]))
        expectFailure(duel, unexpected(.streamData), at: .open, told: .unexpectedFrame)
    }

    @Test("Streams and files share numbers, and openings use credit after the number (R13.2-1, R15.6-1)")
    func numbers() throws {
        let duel = try Duels.at(.open, honest: .responder)
        try Duels.poke(duel, Self.open(1) + FileOffer(id: 3, size: 1, name: [0x61]).encoded() + Self.open(5))
        #expect(duel.stage == .open)
        let (one, file) = (
            try duel.honest.link.openStream(named: "a", at: duel.now),
            try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
        )
        let two = try duel.honest.link.openStream(named: "b", at: duel.now)
        #expect([one.rawValue, file.rawValue, two.rawValue] == [0, 2, 4])
        try Duels.poke(duel, Self.open(5))
        expectFailure(duel, malformed(.valueOutOfRange, .streamID), at: .open, told: .malformed)

        for excess in [false, true] {
            let duel = try Duels.at(.open, honest: .responder)
            for index in 0..<32 as Range<UInt64> { try Duels.poke(duel, Self.open(1 + 2 * index)) }
            #expect(duel.stage == .open)
            try Duels.poke(duel, excess ? Self.open(65) : Self.open(67))
            #expect(duel.cause == (excess ? .violation(.creditExceeded) : malformed(.valueOutOfRange, .streamID)))
        }
    }

    @Test("An opening is returned once both directions have ended and the app has taken all of it (R13.5-1)")
    func openings() throws {
        func openings(_ duel: Duel) -> [UInt64] {
            Self.sent(Credit.self, duel).filter { $0.kind == .openings }.map(\.limit)
        }
        let duel = try Duels.at(.open, honest: .responder)
        duel.honest.script.takesStreams = false
        for index in 0..<17 as Range<UInt64> {
            let id = 1 + 2 * index
            try Duels.poke(duel, Self.open(id, credit: 0) + Self.data([1], on: id) + Self.end(1, id))
        }
        #expect(openings(duel).isEmpty)
        let streams = Self.events(duel).compactMap { if case .opened(let stream, _) = $0 { stream } else { nil } }
        for (index, stream) in streams.enumerated() {
            duel.honest.link.releaseCredit(1, of: stream, at: duel.now)
            try duel.exchange()
            // 15 of 32 are unused: each that comes back is granted, until half is.
            #expect(openings(duel) == (index == 0 ? [] : [33]))
            duel.honest.link.tookEnd(of: stream, at: duel.now)
            try duel.exchange()
            #expect(openings(duel) == [33])
        }
        try Duels.poke(duel, Self.open(35))
        #expect(openings(duel) == [33, 49])
    }

    @Test("A stream with credit 0 is one-way: the other direction is ended from the start (R15.6-8)")
    func oneWay() throws {
        // The peer opened it.
        let duel = try Self.opened(credit: 0)
        let stream = try Self.stream(duel)
        #expect(throws: RequestError.unknownStream) { try duel.honest.link.write([1], to: stream, at: duel.now) }
        #expect(throws: RequestError.unknownStream) { try duel.honest.link.finishStream(stream, at: duel.now) }
        #expect(throws: RequestError.unknownStream) { try duel.honest.link.resetStream(stream, code: 0, at: duel.now) }
        try Duels.poke(duel, Self.credit(1) + Self.stop(7) + Self.data([5]) + Self.end(1))
        #expect(
            Self.events(duel) == [.opened(stream, name: "s"), .data(stream, [5]), .ended(stream, .complete)])
        #expect(
            duel.stage == .open && Self.sent(StreamEnd.self, duel).isEmpty && Self.sent(StreamReset.self, duel).isEmpty)
        // Both directions have ended, and so has the number.
        try Duels.poke(duel, Self.end(1))
        expectFailure(duel, unexpected(.streamEnd), at: .open, told: .unexpectedFrame)

        // The honest peer opened it.
        for frames in [Self.data([1], on: 0), Self.end(0, 0), Self.reset(0, 0)] {
            let duel = try Duels.at(.open, honest: .responder)
            let own = try duel.honest.link.openStream(named: "x", credit: 0, at: duel.now)
            try duel.exchange()
            #expect(throws: RequestError.unknownStream) {
                try duel.honest.link.stopStream(own, code: 0, at: duel.now)
            }
            #expect(Self.events(duel).isEmpty)
            try Duels.poke(duel, frames)
            #expect(duel.evil.closeCode == .unexpectedFrame)
        }
        let own = try Duels.at(.open, honest: .responder)
        let sender = try own.honest.link.openStream(named: "x", credit: 0, at: own.now)
        try own.honest.link.write([1, 2], to: sender, at: own.now)
        try own.honest.link.finishStream(sender, at: own.now)
        try own.exchange()
        #expect(Self.sent(StreamEnd.self, own) == [StreamEnd(id: 0, size: 2)])
        // The number has ended: what names it is late.
        try Duels.poke(own, Self.credit(99_999, 0) + Self.stop(1, 0))
        #expect(own.stage == .open)
    }

    @Test("10,000 streams in turn hold no memory, and never use up the credit")
    func inTurn() throws {
        let pair = TestPair(try Peers.openPair())
        for index in 0..<10_000 {
            let stream = try pair.pair.initiator.link.openStream(named: "", credit: 0, at: pair.pair.now)
            try pair.pair.initiator.link.write([UInt8(index & 255)], to: stream, at: pair.pair.now)
            try pair.pair.initiator.link.finishStream(stream, at: pair.pair.now)
            if index % 16 == 15 { pair.pair.run() }
        }
        pair.pair.run()
        let ends = pair.effects(of: .responder).filter {
            if case .stream(.ended(_, .complete)) = $0 { true } else { false }
        }
        #expect(ends.count == 10_000)
        #expect(pair.stages.initiator == .open && pair.stages.responder == .open)
    }

    @Test("Only the stream that nobody reads stops; the others and messages continue (R13.3-2)")
    func alone() throws {
        let pair = TestPair(try Peers.openPair())
        pair.pair.responder.script.takesStreams = false
        let now = pair.pair.now
        let one = try pair.pair.initiator.link.openStream(named: "one", at: now)
        let two = try pair.pair.initiator.link.openStream(named: "two", at: now)
        try pair.pair.initiator.link.write([UInt8](repeating: 1, count: 100_000), to: one, at: now)
        pair.pair.run()
        #expect(pair.pair.initiator.link.queuedByteCount(of: one) == 100_000 - 32_768)
        try pair.pair.initiator.link.write([UInt8](repeating: 2, count: 30_000), to: two, at: now)
        try pair.pair.initiator.link.send([3], at: now)
        pair.pair.run()
        #expect(pair.pair.initiator.link.queuedByteCount(of: two) == 0 && pair.messages(of: .responder) == [[3]])
        // The app takes it after all.
        for case .stream(.data(let stream, let bytes)) in pair.effects(of: .responder) {
            pair.pair.responder.link.releaseCredit(bytes.count, of: stream, at: now)
        }
        pair.pair.responder.script.takesStreams = true
        pair.pair.run()
        #expect(pair.pair.initiator.link.queuedByteCount(of: one) == 0)
        let told = pair.effects(of: .initiator).contains {
            if case .stream(.writable(one)) = $0 { true } else { false }
        }
        #expect(told)
    }

    @Test("The end of a link ends live directions as incomplete, and no others (R15.6-7, R16.1-5)")
    func linkEnd() throws {
        let duel = try Self.opened()
        let stream = try Self.stream(duel)
        try Duels.poke(duel, Self.data([1]) + Self.end(1) + Self.open(3))
        let second = try Self.stream(duel)
        let before = Self.events(duel).count
        try duel.cut()
        #expect(
            Array(Self.events(duel).dropFirst(before)) == [
                .stopped(stream, code: nil), .ended(second, .linkEnded), .stopped(second, code: nil),
            ])
        // The app closes: the peer is notified before CLOSE.
        let closing = try Self.opened()
        closing.honest.link.close(at: closing.now)
        try closing.exchange()
        #expect(closing.evil.sentTypes.suffix(4) == [.streamStop, .streamReset, .ack, .close])
    }
}
