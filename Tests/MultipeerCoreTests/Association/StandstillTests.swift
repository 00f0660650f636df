import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("A local standstill, SPEC §13.7, R18-2")
struct StandstillTests {
    private static let ping = WireBytes.frame(.ping, [UInt8](repeating: 7, count: 8))

    @Test("Bytes that have come in the meantime are read before silence is judged")
    func reading() throws {
        let duel = try Duels.at(.open, honest: .responder) { $0.timeouts.keepAlive = KeepAliveTimes() }
        duel.standStill(for: .seconds(20))
        try Duels.poke(duel, MessageLinkTests.message([1]) + Self.ping)
        #expect(duel.messages == [[1]], "\(String(describing: duel.failure))")
        duel.honest.link.timeout(at: duel.now)
        try duel.exchange()
        #expect(duel.cause == nil)
    }

    @Test("If nothing has come, the peer was silent; earlier requests of the app do not change that")
    func silence() throws {
        let duel = try Duels.at(.open, honest: .responder) { $0.timeouts.keepAlive = KeepAliveTimes() }
        duel.standStill(for: .seconds(20))
        _ = try duel.honest.link.send([1], at: duel.now)
        #expect(duel.stage == .open)
        duel.honest.link.timeout(at: duel.now)
        try duel.exchange()
        #expect(duel.cause == .silent)
    }

    @Test("A record that does not verify shows no life")
    func forged() throws {
        let duel = try Duels.at(.open, honest: .responder) { $0.timeouts.keepAlive = KeepAliveTimes() }
        duel.standStill(for: .seconds(20))
        let forged: [UInt8] = [RecordKind.encrypted.rawValue, 0, 32] + [UInt8](repeating: 0, count: 32)
        duel.honest.link.receive(forged.span, at: duel.now)
        try duel.exchange()
        #expect(duel.cause == .violation(.decryptFailed))
    }

    @Test("Each of a node's links is read before any of them fails")
    func several() throws {
        let duel = try NodeDuel { $0.link.timeouts.keepAlive = KeepAliveTimes() }
        let (one, first, _) = try duel.joined(2)
        let (two, second, _) = try duel.joined(3)
        let (three, _, _) = try duel.joined(4)
        duel.standStill(for: .seconds(20))
        for (link, peer) in [(one, first), (two, second)] {
            try peer.send(Self.ping)
            let bytes = peer.flush()
            duel.node.receive(bytes.span, on: link, at: duel.now)
        }
        duel.node.timeout(at: duel.now)
        try duel.exchange()
        let ends = duel.effects.compactMap { if case .closed(let link, let end) = $0 { (link, end) } else { nil } }
        #expect(ends.map(\.0) == [three])
        #expect(first.sentTypes.last == .pong && second.sentTypes.last == .pong)
    }

    @Test("A timer that goes off before the sockets are read: a peer that has sent something was not silent")
    func unread() throws {
        let duel = try NodeDuel { $0.link.timeouts.keepAlive = KeepAliveTimes() }
        let (one, first, _) = try duel.joined(2)
        let (two, _, _) = try duel.joined(3)
        duel.standStill(for: .seconds(20))
        try first.send(Self.ping)
        let bytes = first.flush()
        duel.node.timeout(at: duel.now) { $0 == one }
        try duel.exchange()
        let ends = duel.effects.compactMap { if case .closed(let link, _) = $0 { link } else { nil } }
        #expect(ends == [two])
        duel.node.receive(bytes.span, on: one, at: duel.now)
        try duel.exchange()
        #expect(first.sentTypes.last == .pong)
        // It is counted once: what waits is to be read.
        try duel.advance(by: .seconds(20))
        #expect(first.closeCode != nil || duel.node.stage(of: one) == .closed)
    }
}
