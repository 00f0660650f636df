import MultipeerCore
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Busy responders, SPEC §7.5")
struct BusyTests {
    @Test("A busy responder answers every hello with REFUSAL busy, and closes")
    func refuses() throws {
        // No suite in common: a busy responder looks at neither versions nor suites.
        var pair = try Peers.pair(
            adjustInitiator: { $0.suites = [.aesGCM] },
            adjustResponder: { responder in
                responder.suites = [.chaChaPoly]
                responder.refusesAsBusy = true
            })
        pair.run()
        let failures = (pair.initiator.failure, pair.responder.failure)
        let expected = LinkFailure(stage: .hello, cause: .incompatible(.refused(.busy)))
        #expect(failures.0 == expected)
        #expect(failures.1 == expected)
        #expect(pair.fromResponder == Magic.bytes + [0x02, 0x00, 0x03, 0x03, 0x00, 0x00])
        let finished = (pair.initiator.link.isFinished, pair.responder.link.isFinished)
        #expect(finished.0 && finished.1)
    }

    @Test("A busy responder answers nothing before a whole hello")
    func waitsForHello() throws {
        var pair = try Peers.pair(adjustResponder: { $0.refusesAsBusy = true })
        pair.tamperWithInitiator = { $0.removeLast() }
        pair.run()
        #expect(pair.fromResponder.isEmpty)
        pair.advance(by: .seconds(10))
        #expect(pair.fromResponder.isEmpty)
        #expect(pair.responder.failure == LinkFailure(stage: .hello, cause: .timedOut))
    }
}
