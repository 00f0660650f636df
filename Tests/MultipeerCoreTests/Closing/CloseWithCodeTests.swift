import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Closing with the code of success, SPEC §16.1 and §17")
struct CloseWithCodeTests {
    @Test("`no_error` means success: waiting messages are sent, and crossing ones are delivered, R16.1-3")
    func crossing() throws {
        let pair = TestPair(try Peers.openPair())
        try pair.pair.initiator.link.send([1], at: pair.pair.now)
        try pair.pair.responder.link.send([2], at: pair.pair.now)
        pair.pair.initiator.link.close(.noError, at: pair.pair.now)
        pair.pair.run()
        #expect(pair.messages(of: .responder) == [[1]] && pair.messages(of: .initiator) == [[2]])
        #expect(pair.ends == (.finished(unsentMessages: 0), .finished(unsentMessages: 0)))
    }

    @Test(
        "In *inviting* CANCEL comes before it, in *invited* DECLINE, R8.5-1, R8.4-3",
        arguments: [(Duel.Place.inviting, FrameType.cancel), (.invited, .decline)])
    func invitation(place: Duel.Place, frame: FrameType) throws {
        let duel = try Duels.at(place, honest: .initiator)
        duel.honest.link.close(.noError, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.sentTypes.suffix(2) == [frame, .close] && duel.evil.closeCode == .noError)
    }
}
