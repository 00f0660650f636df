import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Frames that wait to be sent, SPEC §19")
struct ControlOutputTests {
    @Test("A peer that reads no answers loses the link at 4 MiB, and not before (R19-5)")
    func outputBound() throws {
        let duel = try StreamTests.opened()
        try Duels.poke(duel, Credit(kind: .openings, id: 0, limit: 100_000).encoded())
        let name = String(repeating: "n", count: 250)
        // STREAM_OPEN with a name of 250 bytes has some 260 bytes.
        for _ in 0..<15_000 { _ = try duel.honest.link.openStream(named: name, at: duel.now) }
        try duel.evil.send(WireBytes.frame(.ping, [UInt8](repeating: 7, count: 8)))
        var bytes = duel.evil.flush()
        duel.honest.link.receive(bytes.span, at: duel.now)
        #expect(duel.stage == .open)
        for _ in 0..<2_000 { _ = try duel.honest.link.openStream(named: name, at: duel.now) }
        try duel.evil.send(WireBytes.frame(.ping, [UInt8](repeating: 7, count: 8)))
        bytes = duel.evil.flush()
        duel.honest.link.receive(bytes.span, at: duel.now)
        duel.honest.drain(at: duel.now)
        #expect(duel.cause == .limit(.outputWaits))
    }
}
