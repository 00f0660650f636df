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
                invitation: OutgoingInvitation(terms: SessionTerms(encryption: .optional), context: context)))
        pair.pair.run()
        #expect(pair.summaries.initiator != nil && pair.summaries.responder != nil)
        let lengths = try Self.lengths(pair.sent(by: .initiator))
        // PROOF and PEER_INFO; INVITE does not fit behind them.
        #expect(try #require(lengths.first) <= 1_024 && lengths.count > 1)
        #expect(lengths.dropFirst().contains { $0 > context.count })
        let contexts = pair.effects(of: .responder).compactMap { effect in
            if case .invited(_, let invitation) = effect { invitation.context } else { nil }
        }
        #expect(contexts == [context])
    }
}
