import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Memory of idle links, DESIGN §6")
struct IdleMemoryTests {
    /// What an idle link may keep of a burst.
    private static let idle = 4_096

    @Test("A link gives the memory of a burst back when nothing is under way, and not before")
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

    @Test("A stranger makes a link hold at most 8,192 bytes, R19-4", arguments: [LinkRole.initiator, .responder])
    func stranger(role: LinkRole) throws {
        let duel = try Duels.at(.proof, honest: role)
        let part: [UInt8] = [0x10, 0x03, 0xFD] + [UInt8](repeating: 0, count: 1_000)
        duel.honest.link.receive(part.span, at: duel.now)
        #expect(duel.stage == .proof)
        #expect(duel.honest.link.keptCapacity() + MemoryLayout<Link>.size <= 8_192)
    }

    @Test("Small messages keep their memory: they are no burst")
    func smallMessages() throws {
        var pair = try Peers.openPair()
        try pair.initiator.link.send([UInt8](repeating: 1, count: 1_000), at: pair.now)
        pair.run()
        let kept = pair.responder.link.keptCapacity()
        #expect(kept >= 1_000 && kept <= Self.idle)
    }
}

extension Link {
    fileprivate mutating func keptCapacity() -> Int { state.receiving?.opener.keptCapacity ?? 0 }
}
