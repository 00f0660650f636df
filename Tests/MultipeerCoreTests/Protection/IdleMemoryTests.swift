import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Memory of idle links, DESIGN §6")
struct IdleMemoryTests {
    /// What an idle link may keep of a burst.
    private static let idle = 4_096

    @Test("A link frees the memory of a burst when nothing is under way, and not before")
    func burst() throws {
        var pair = try Peers.openPair()
        let before = pair.responder.link.keptCapacity()
        #expect(before <= Self.idle)
        // The first records of a message that needs more: a burst is under way.
        try pair.initiator.link.send([UInt8](repeating: 1, count: 200_000), at: pair.now)
        var burst: [UInt8] = []
        burst.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
            pair.initiator.link.transmit(into: &output, at: pair.now)
        }
        pair.responder.link.receive(burst.span, at: pair.now)
        let during = pair.responder.link.keptCapacity()
        #expect(during > 60_000)
        let fellSilent = pair.run()
        #expect(fellSilent)
        let messages = pair.responder.messages.map(\.count)
        #expect(messages == [200_000])
        let after = pair.responder.link.keptCapacity()
        #expect(after <= Self.idle)
    }

    @Test(
        "A stranger's bytes make a link hold at most 4,131 bytes, R19-4",
        arguments: [1, 9, 600, 1_448, 1_538, 4_106])
    func stranger(cut: Int) throws {
        // The longest hello but its last byte, and then the longest record before PROOF but its last byte. Benchmarks/ weighs
        // whole links, keys and state included (docs/benchmarks.md).
        let responder = try Duels.make(honest: .responder)
        let hello = Magic.bytes + [0x01, 0x10, 0x00] + [UInt8](repeating: 0, count: 4_095)
        responder.honest.link.receive(Array(hello[..<cut]).span, at: responder.now)
        responder.honest.link.receive(Array(hello[cut...]).span, at: responder.now)
        #expect(responder.stage == .hello)
        let held = responder.honest.link.receivedCapacity
        #expect(held > 0 && held <= 4_099 + 32)
        for role in [LinkRole.initiator, .responder] {
            let duel = try Duels.at(.proof, honest: role)
            let part: [UInt8] = [0x10, 0x03, 0xFD] + [UInt8](repeating: 0, count: 1_020)
            duel.honest.link.receive(part.span, at: duel.now)
            #expect(duel.stage == .proof)
            let kept = duel.honest.link.receivedCapacity
            #expect(kept > 0 && kept <= 1_024 + 32)
            #expect(duel.honest.link.keptCapacity() == 0)
        }
    }

    @Test("Small messages keep their memory; they are no burst")
    func smallMessages() throws {
        var pair = try Peers.openPair()
        try pair.initiator.link.send([UInt8](repeating: 1, count: 1_000), at: pair.now)
        pair.run()
        let kept = pair.responder.link.keptCapacity()
        #expect(kept >= 1_000 && kept <= Self.idle)
    }
}

extension Link {
    /// The room that its assembler has for a record whose end is missing.
    fileprivate var receivedCapacity: Int {
        let partial = Mirror(reflecting: assembler).children.first { $0.label == "partial" }?.value as? [UInt8]
        return partial?.capacity ?? 0
    }

    fileprivate mutating func keptCapacity() -> Int { state.receiving?.opener.keptCapacity ?? 0 }
}
