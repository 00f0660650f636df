import MultipeerCore
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("The record with PROOF, SPEC §19")
struct FirstRecordTests {
    /// The lengths of the records after magic and hello.
    private static func lengths(_ stream: [UInt8]) throws -> [Int] {
        var assembler = RecordAssembler(expecting: .hello)
        var (lengths, offset): ([Int], Int) = ([], 0)
        while offset < stream.count {
            guard case .inInput(let header, let range) = try assembler.next(stream.span, from: &offset) else { break }
            if header.kind != .hello { lengths.append(range.count) }
            assembler.expectation = .protected
        }
        return lengths
    }

    @Test("An invitation with a long context does not lengthen the record with PROOF, R19-2", arguments: Suite.allCases)
    func longContext(suite: Suite) throws {
        let context = [UInt8](repeating: 7, count: 2_000)
        let pair = TestPair(
            try Peers.pair(
                suites: [suite],
                invitation: OutgoingInvitation(terms: SessionTerms(encryption: .optional), context: context),
                adjustInitiator: { $0.expectedPeer = try? Peers.key(2) }))
        pair.pair.run()
        #expect(pair.summaries.initiator != nil && pair.summaries.responder != nil)
        let lengths = try Self.lengths(pair.sent(by: .initiator))
        // PROOF and PEER_INFO; the early INVITE does not fit after them.
        #expect(try #require(lengths.first) == 1_024 && lengths.count > 1)
        #expect(lengths.dropFirst().contains { $0 > context.count })
        let contexts = pair.effects(of: .responder).compactMap { effect in
            if case .invited(_, let invitation) = effect { invitation.context } else { nil }
        }
        #expect(contexts == [context])
    }

    @Test("The record with PROOF has 1,024 bytes, however long an early INVITE is, R6.5-1, R19-2")
    func everyContext() throws {
        var counts: Set<Int> = []
        for length in 700..<900 {
            let context = [UInt8](repeating: 7, count: length)
            let pair = TestPair(
                try Peers.pair(
                    invitation: OutgoingInvitation(terms: SessionTerms(encryption: .optional), context: context),
                    adjustInitiator: { $0.expectedPeer = try? Peers.key(2) }))
            pair.pair.run()
            #expect(pair.summaries.responder != nil)
            let lengths = try Self.lengths(pair.sent(by: .initiator))
            #expect(lengths.first == 1_024 && lengths.allSatisfy { $0 % 1_024 == 0 }, "\(length): \(lengths)")
            counts.insert(lengths.count)
        }
        // With the shorter contexts INVITE goes into the first record, with the longer ones it does not.
        #expect(counts.count == 2)
    }
}
