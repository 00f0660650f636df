import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("The lengths of records before open, SPEC §6.5")
struct PaddedRecordTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// The lengths of the records, with the frames of each.
    private static func records(_ duel: Duel) -> [(length: Int, types: [FrameType])] {
        var records: [(length: Int, types: [FrameType])] = []
        for (index, frame) in duel.evil.frames.enumerated() {
            let isNew = index == 0 || duel.evil.frames[index - 1].record != frame.record
            if isNew { records.append((frame.recordLength, [])) }
            if let type = frame.known { records[records.count - 1].types.append(type) }
        }
        return records
    }

    @Test("Multiples of 1,024 and 4,096 up to READY, and no longer, R6.5-1", arguments: roles)
    func lengths(role: LinkRole) throws {
        for place in [Duel.Place.open, .certificatesAccepted, .inviting, .identified] {
            let duel = try Duels.at(place, honest: role)
            let records = Self.records(duel)
            #expect(records.first?.length == 1_024 && records.first?.types.contains(.proof) == true)
            for record in records {
                let unit = record.types.contains(.certificates) ? 4_096 : 1_024
                #expect(record.length % unit == 0, "\(record.types)")
            }
        }
        let duel = try Duels.at(.open, honest: role)
        let before = Self.records(duel).count
        try duel.honest.link.send([1], at: duel.now)
        _ = try duel.honest.link.offerFile(name: "f", size: 1, at: duel.now)
        try duel.exchange()
        #expect(Self.records(duel).dropFirst(before).allSatisfy { $0.length < 100 })
    }

    @Test("A record that holds CLOSE is not padded, R6.5-1", arguments: roles)
    func close(role: LinkRole) throws {
        for place in [Duel.Place.proof, .info, .identified, .invited, .inviting, .certificatesAsked] {
            let duel = try Duels.at(place, honest: role)
            duel.honest.link.close(at: duel.now)
            try duel.exchange()
            let last = try #require(Self.records(duel).last)
            #expect(last.types.last == .close && !last.types.contains(.padding) && last.length < 100)
        }
    }

    @Test("Every length of context gives whole records, also if one byte is lacking, R6.5-1")
    func everyLength() throws {
        for count in stride(from: 0, through: 2_200, by: 1)
        where count < 40 || count % 7 == 0 || (860...1_000).contains(count) {
            let duel = try Duels.at(.identified, honest: .responder)
            try duel.honest.link.invite(
                OutgoingInvitation(
                    terms: SessionTerms(encryption: .optional), context: [UInt8](repeating: 1, count: count)),
                at: duel.now)
            try duel.exchange()
            let record = try #require(Self.records(duel).last)
            #expect(record.types.first == .invite && record.length % 1_024 == 0, "\(count)")
        }
    }

    @Test("Records of any length are accepted, with PADDING at any place after PROOF, R6.5-2", arguments: roles)
    func receiver(role: LinkRole) throws {
        let duel = try Duels.make(honest: role)
        try duel.shakeHands()
        try Duels.poke(duel, try duel.evil.proof().encoded() + WireBytes.padding(0) + WireBytes.padding(66))
        try Duels.poke(duel, WireBytes.padding(5) + duel.evil.peerInfo().encoded() + WireBytes.padding(1_000))
        try Duels.poke(duel, WireBytes.padding(0))
        #expect(duel.stage == .identified)
        let early = try Duels.make(honest: role)
        try early.shakeHands()
        try Duels.poke(early, WireBytes.padding(3) + (try early.evil.proof().encoded()))
        #expect(early.evil.closeCode == .unexpectedFrame)
    }
}
