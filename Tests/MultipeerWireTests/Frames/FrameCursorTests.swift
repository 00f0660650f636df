import MultipeerWire
import Testing

/// A frame, copied out of a cursor.
struct CopiedFrame: Equatable {
    let type: UInt64
    let payload: [UInt8]
    let encoded: [UInt8]

    init(type: UInt64, payload: [UInt8], encoded: [UInt8]) {
        self.type = type
        self.payload = payload
        self.encoded = encoded
    }

    /// What a cursor should make of a frame.
    init(_ type: UInt64, _ payload: [UInt8]) {
        self.init(type: type, payload: payload, encoded: frame(type, payload))
    }
}

/// The frames of `plaintext` up to its end or the first fault.
func frames(_ plaintext: [UInt8]) -> (frames: [CopiedFrame], fault: WireError?) {
    var frames: [CopiedFrame] = []
    var cursor = FrameCursor(plaintext.span)
    do throws(WireError) {
        while let frame = try cursor.next() {
            frames.append(
                CopiedFrame(
                    type: frame.rawType, payload: [UInt8](copying: frame.payload),
                    encoded: [UInt8](copying: frame.encoded)))
        }
        return (frames, nil)
    } catch {
        return (frames, error)
    }
}

@Suite("Frames, SPEC §6.3")
struct FrameCursorTests {
    /// The tables of SPEC §6.3, §25.6 and §26.2.
    static let table: [(type: UInt64, frame: FrameType, isPayload: Bool)] = [
        (0x00, .close, false), (0x01, .padding, false), (0x02, .proof, false), (0x04, .peerInfo, false),
        (0x06, .invite, false), (0x08, .accept, false), (0x0A, .decline, false), (0x0C, .cancel, false),
        (0x0E, .certificates, false), (0x10, .ready, false), (0x12, .rekey, false),
        (0x14, .ping, false), (0x16, .pong, false), (0x18, .credit, false), (0x1A, .ack, false), (0x1C, .admit, false),
        (0x1E, .roster, false), (0x20, .digest, false), (0x22, .summary, false), (0x24, .want, false),
        (0x26, .resume, false), (0x28, .resumed, false),
        (0x2A, .unite, false), (0x2C, .enter, false), (0x40, .message, true),
        (0x42, .messagePart, true), (0x46, .datagrams, false),
        (0x50, .fileOffer, false), (0x52, .fileAccept, false), (0x54, .fileCancel, false), (0x56, .fileData, true),
        (0x58, .fileEnd, false), (0x5A, .fileDone, false),
        (0x60, .streamOpen, false), (0x62, .streamData, true), (0x64, .streamEnd, false), (0x66, .streamReset, false),
        (0x68, .streamStop, false),
        (0x70, .stringAsk, false), (0x72, .stringCommit, false), (0x74, .stringNonce, false),
        (0x76, .stringReveal, false), (0x78, .codeBegin, false), (0x7A, .codeAnswer, false),
        (0x7C, .codeConfirm, false),
    ]

    @Test("Types and classes")
    func registry() {
        #expect(FrameType.allCases.map(\.rawValue) == Self.table.map(\.type))
        for (type, frame, isPayload) in Self.table {
            #expect(FrameType(rawValue: type) == frame)
            #expect(frame.isPayload == isPayload)
            #expect((frame.feature == .verification) == (type >= 0x70))
        }
        #expect(FrameType.maximumPayloadLength == 65_511)
    }

    @Test("The counted frames, SPEC §13.6")
    func counted() {
        let counted: Set<FrameType> = [
            .message, .messagePart, .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop, .fileOffer,
            .fileAccept, .fileCancel, .fileDone, .admit, .unite, .enter,
        ]
        #expect(Set(FrameType.allCases.filter(\.isCounted)) == counted)
    }

    @Test("Frames come in order, with type, payload and themselves")
    func order() {
        let sent = [
            CopiedFrame(0x40, [1, 9]), CopiedFrame(0x10, []), CopiedFrame(0x01, counting(63)),
            CopiedFrame(0x4001, counting(64)), CopiedFrame(VarInt.maximum, counting(20_000)), CopiedFrame(0x00, [0]),
        ]
        let result = frames(sent.flatMap(\.encoded))
        #expect(result.frames == sent)
        #expect(result.fault == nil)
        #expect(frames([]).frames.isEmpty)
        #expect(frames([]).fault == nil)
    }

    @Test("Odd types are ignorable, even ones are not, known or not (SPEC §6.4)")
    func parity() throws {
        for type in (0..<UInt64(300)) + [0x3FFF, 0x4000, VarInt.maximum - 1, VarInt.maximum] {
            let bytes = frame(type, [1])
            var cursor = FrameCursor(bytes.span)
            guard let frame = try cursor.next() else {
                Issue.record("no frame")
                continue
            }
            let isIgnorable = frame.isIgnorable
            let known = frame.type
            #expect(isIgnorable == (type % 2 == 1))
            #expect(known == Self.table.first { $0.type == type }?.frame)
        }
    }

    @Test("Every prefix gives the complete frames, then malformed, unless it ends between two (R6.3-1, R6.3-2)")
    func prefixes() {
        let sent = [
            CopiedFrame(0x40, counting(5)), CopiedFrame(0x10, []), CopiedFrame(0x42, counting(70)),
            CopiedFrame(0x99, [7]),
        ]
        let plaintext = sent.flatMap(\.encoded)
        for count in 0...plaintext.count {
            let result = frames([UInt8](plaintext[..<count]))
            var whole = 0
            var end = 0
            while whole < sent.count, end + sent[whole].encoded.count <= count {
                end += sent[whole].encoded.count
                whole += 1
            }
            #expect(result.frames == [CopiedFrame](sent[..<whole]))
            #expect((result.fault == nil) == (end == count))
            if let fault = result.fault { #expect(fault.closeCode == .malformed) }
        }
    }

    @Test("A frame that claims one byte more than is left (R6.3-1)", arguments: [0, 1, 63, 64, 1_000, 65_510])
    func tooLong(count: Int) {
        let bytes = varint(0x42) + varint(UInt64(count + 1)) + counting(count)
        #expect(frames(bytes).fault == WireError(.lengthOutOfRange, in: .framePayload))
    }

    @Test("A payload has at most 65,511 bytes, which fill a record, even if there were more room")
    func longest() {
        let longest = frame(0x01, counting(65_511))
        #expect(longest.count == RecordHeader.maximumPlaintextLength)
        #expect(frames(longest).frames == [CopiedFrame(0x01, counting(65_511))])
        #expect(frames(longest).fault == nil)
        #expect(frames(frame(0x01, counting(65_512))).fault == WireError(.lengthOutOfRange, in: .framePayload))
        let absurd = varint(0x42) + varint(VarInt.maximum) + counting(100)
        #expect(frames(absurd).fault == WireError(.lengthOutOfRange, in: .framePayload))
    }

    @Test("Types and lengths in longer forms (R3.2-1)", arguments: [2, 4, 8])
    func nonMinimal(length: Int) {
        #expect(frames(varint(0x10, length: length) + [0]).fault == WireError(.nonMinimalInteger, in: .frameType))
        #expect(frames([0x10] + varint(0, length: length)).fault == WireError(.nonMinimalInteger, in: .framePayload))
    }

    @Test("A fault is found again by every further call")
    func faultStays() {
        let plaintext = frame(0x10, []) + [0x42]
        var cursor = FrameCursor(plaintext.span)
        var outcomes: [Bool] = []
        for _ in 0..<4 {
            do throws(WireError) {
                outcomes.append(try cursor.next() != nil)
            } catch {
                #expect(error == WireError(.truncated, in: .frameType))
            }
        }
        #expect(outcomes == [true])
    }

    @Test("The end is found again by every further call")
    func endStays() throws {
        let plaintext = frame(0x10, [])
        var cursor = FrameCursor(plaintext.span)
        var found = 0
        for _ in 0..<4 where try cursor.next() != nil { found += 1 }
        #expect(found == 1)
    }
}
