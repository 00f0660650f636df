import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Sessions end to end, SPEC §5")
struct SessionTests {
    @Test("Two peers open a session, exchange messages and a file, and close", arguments: Peers.crypto.availableSuites)
    func wholeSession(suite: Suite) throws {
        var pair = try Peers.openPair(suites: [suite])
        let summaries = (pair.initiator.summary, pair.responder.summary)
        #expect(summaries.0?.handshakeHash == summaries.1?.handshakeHash)
        #expect(summaries.0?.encryption == .encrypted)
        #expect(summaries.0?.peer.displayName?.description == "Ben")
        #expect(summaries.1?.peer.displayName?.description == "Anna")
        #expect(summaries.0?.suite == suite)
        #expect(summaries.0?.trust.isVerified == false)

        try pair.initiator.link.send(Array("hello".utf8), at: pair.now)
        try pair.responder.link.send([], at: pair.now)
        let long = [UInt8](repeating: 7, count: 200_000)
        try pair.initiator.link.send(long, at: pair.now)
        pair.initiator.script.file = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try pair.initiator.link.offerFile(name: "report.pdf", size: 300_000, at: pair.now)
        let fellSilent = pair.run()
        #expect(fellSilent)
        let received = (pair.responder.messages, pair.initiator.messages, pair.responder.files)
        #expect(received.0 == [Array("hello".utf8), long])
        #expect(received.1 == [[]])
        #expect(received.2 == [pair.initiator.script.file])

        pair.initiator.link.close(at: pair.now)
        pair.run()
        let ends = (pair.initiator.end, pair.responder.end)
        #expect(ends.0 == .finished(unsentMessages: 0))
        #expect(ends.1 == .finished(unsentMessages: 0))
        let misuses = (pair.initiator.misuses, pair.responder.misuses)
        #expect(misuses.0.isEmpty && misuses.1.isEmpty)
        let finished = (pair.initiator.link.isFinished, pair.responder.link.isFinished)
        #expect(finished.0 && finished.1)
    }
}
