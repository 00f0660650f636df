import MultipeerScriptedPeer
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("What no ACK counts is kept, SPEC §13.6")
struct KeptFramesTests {
    private static func frame(_ number: UInt64, _ count: Int = 1, ends: Bool = true) -> KeptFrame {
        let source = [UInt8](repeating: 1, count: ends ? count : count + 1)
        return KeptFrame(.message, source, at: 0, count: count, number: number)
    }

    private static func acknowledge(_ kept: inout KeptFrames, _ count: UInt64) -> [String] {
        do throws(LinkFailureCause) {
            return try kept.receive(Ack(count: count)).map { "\($0.first.number)-\($0.last.number)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test("The ring keeps the order while it grows, wraps and is emptied (R13.6-2)")
    func order() throws {
        var kept = KeptFrames()
        var dice = SplitMix(seed: 4)
        var (sent, delivered): (UInt64, [UInt64]) = (0, [])
        for _ in 0..<2_000 {
            for _ in 0..<dice.below(12) where kept.count < 40 {
                sent += 1
                kept.append(Self.frame(sent, 1 + dice.below(9)))
            }
            guard kept.count > 0, dice.below(3) == 0 else { continue }
            let count = kept.acknowledged + 1 + UInt64(dice.below(kept.count))
            for range in try kept.receive(Ack(count: count)) {
                delivered += range.first.number...range.last.number
            }
            #expect(kept.sent == sent)
        }
        #expect(delivered.count > 1_000 && delivered == Array(1...UInt64(delivered.count)))
        // Every byte that was kept is free again with the last ACK.
        if kept.count > 0 { _ = try kept.receive(Ack(count: sent)) }
        #expect(kept.byteCount == 0 && kept.count == 0 && kept.acknowledged == sent)
    }

    @Test("A message is delivered with its last frame; tags that were taken back leave a gap (R13.6-3)")
    func messages() {
        var kept = KeptFrames()
        for (number, ends) in [(1, false), (1, true), (2, true), (4, false), (4, true)] as [(UInt64, Bool)] {
            kept.append(Self.frame(number, ends: ends))
        }
        kept.append(KeptFrame(whole: [9, 9, 9]))
        #expect(Self.acknowledge(&kept, 1) == [])
        #expect(Self.acknowledge(&kept, 4) == ["1-2"])
        #expect(kept.takeMessages().map(\.first.number) == [4])
    }

    @Test("An ACK that does not grow, or counts what was not sent, is malformed (R13.6-2)")
    func malformedAcks() {
        var kept = KeptFrames()
        let wrong = "\(malformed(.valueOutOfRange, .acknowledgedCount))"
        #expect(Self.acknowledge(&kept, 0) == [wrong] && Self.acknowledge(&kept, 1) == [wrong])
        for number in 1...3 as ClosedRange<UInt64> { kept.append(Self.frame(number)) }
        #expect(Self.acknowledge(&kept, 4) == [wrong] && Self.acknowledge(&kept, 2) == ["1-2"])
        #expect(Self.acknowledge(&kept, 2) == [wrong] && Self.acknowledge(&kept, 1) == [wrong])
        #expect(Self.acknowledge(&kept, 3) == ["3-3"])
    }

    @Test("There is room up to 4,096 frames, and up to 1,048,576 bytes of payloads (R13.9-2)")
    func bounds() {
        var kept = KeptFrames()
        for number in 1...4_096 as ClosedRange<UInt64> {
            #expect(kept.hasRoom)
            kept.append(Self.frame(number))
        }
        #expect(!kept.hasRoom && kept.room == 0)
        #expect(Self.acknowledge(&kept, 1) == ["1-1"] && kept.hasRoom)

        var long = KeptFrames()
        while long.hasRoom { long.append(Self.frame(1, min(60_000, long.room - 4))) }
        #expect(long.byteCount <= KeptFrames.mostBytes && long.byteCount > KeptFrames.mostBytes - KeptFrames.reserve)
        #expect(long.room == 0)
    }

    @Test("Where nothing is kept the messages are known all the same, at no cost for each frame (R13.6-3)")
    func runs() throws {
        var (kept, runs) = (KeptFrames(), KeptFrames(keeps: false))
        var dice = SplitMix(seed: 9)
        var tag: UInt64 = 0
        for _ in 0..<5_000 {
            switch dice.below(10) {
            case 0..<6:
                tag += dice.below(9) == 0 ? 2 : 1
                let frame = Self.frame(tag, ends: dice.below(5) > 0)
                kept.append(frame)
                runs.append(frame)
            case 6:
                kept.append(KeptFrame(whole: [1, 2, 3]))
                runs.append(KeptFrame(whole: [1, 2, 3]))
            default:
                guard kept.count > 0 else { continue }
                let count = kept.acknowledged + 1 + UInt64(dice.below(kept.count))
                let (one, other) = (Self.acknowledge(&kept, count), Self.acknowledge(&runs, count))
                #expect(one == other)
            }
            #expect(kept.sent == runs.sent && runs.hasRoom && runs.byteCount == 0)
        }
        let wrong = "\(malformed(.valueOutOfRange, .acknowledgedCount))"
        #expect(
            Self.acknowledge(&runs, runs.sent + 1) == [wrong] && Self.acknowledge(&runs, runs.acknowledged) == [wrong])
        let (one, other) = (kept.takeMessages(), runs.takeMessages())
        #expect(one == other)
    }
}
