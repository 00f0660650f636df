import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Handshake and records, SPEC §6.2, §9, §12.4, §19")
struct ChannelTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// Public keys whose X25519 result is zero whatever the scalar, with and without the ignored highest bit.
    static let lowOrder: [String] = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    @Test(
        "Low-order ephemerals fail the handshake, and nothing more is sent, R9.4-1", arguments: lowOrder,
        Suite.classical
    )
    func lowOrderEphemeral(hex: String, suite: Suite) throws {
        let key = try #require(Hexadecimal.decode(hex))
        let responder = try Duels.make(honest: .responder)
        let hello = InitiatorHello(versions: [0xFF04], suites: [suite.rawValue], extensions: [], ephemeral: key)
        responder.evil.sendOpening(.hello, body: hello.body())
        try responder.exchange()
        #expect(responder.failure == LinkFailure(stage: .hello, cause: .violation(.handshakeFailed)))
        #expect(responder.sent.isEmpty && responder.isFinished)

        let initiator = try Duels.make(honest: .initiator)
        try initiator.exchange()
        let before = initiator.sent
        let reply = ResponderHello(
            version: 0xFF04, suite: suite.rawValue, extensions: [], ephemeral: key,
            confirmation: [UInt8](repeating: 0, count: 16))
        initiator.evil.sendOpening(.hello, body: reply.body())
        try initiator.exchange()
        #expect(initiator.failure == LinkFailure(stage: .hello, cause: .violation(.handshakeFailed)))
        #expect(initiator.sent == before && initiator.isFinished)
    }

    @Test("A wrong confirmation is handshake_failed, R9.3-1; an early answer also stops the hello")
    func wrongConfirmation() throws {
        let duel = try Duels.make(honest: .initiator)
        let key = try Peers.crypto.agreement.publicKey(
            of: Peers.crypto.agreement.makePrivateKey(rawBytes: [UInt8](repeating: 5, count: 32).span))
        let reply = ResponderHello(
            version: 0xFF04, suite: 1, extensions: [], ephemeral: key.rawBytes,
            confirmation: [UInt8](repeating: 0, count: 16))
        duel.evil.sendOpening(.hello, body: reply.body())
        // Before the hello has even been taken by the transport.
        duel.honest.link.receive(duel.evil.flush().span, at: duel.now)
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .violation(.handshakeFailed)))
        #expect(duel.sent.isEmpty && duel.isFinished)
    }

    @Test("A peer gets its own messages back: hello and records", arguments: roles)
    func reflection(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        let records = duel.evil.records.dropFirst()
        for record in records {
            let victim = try Duels.at(.open, honest: role)
            victim.evil.sendRaw(record)
            try victim.exchange()
            expectFailure(victim, .violation(.decryptFailed), at: .open, told: .decryptFailed)
        }
        let mirror = try Duels.make(honest: .initiator)
        try mirror.exchange()
        mirror.evil.sendRaw(mirror.sent)
        try mirror.exchange()
        #expect(mirror.failure?.stage == .hello && mirror.isFinished)
    }

    @Test("Replayed, reordered, dropped and cut records do not verify, R12.4-1", arguments: roles)
    func recordOrder(role: LinkRole) throws {
        let tricks: [([UInt8], [UInt8]) -> [UInt8]] = [
            { first, _ in first + first }, { first, second in second + first }, { _, second in second },
            { first, second in Array(first.dropLast()) + second },
        ]
        for (index, trick) in tricks.enumerated() {
            let duel = try Duels.at(.open, honest: role)
            let first = try duel.evil.seal(WireBytes.message(total: 1, [1]))
            let second = try duel.evil.seal(WireBytes.message(total: 1, [2]))
            duel.evil.sendRaw(trick(first, second))
            try duel.exchange()
            #expect(duel.messages == (index == 0 ? [[1]] : []))
            expectFailure(duel, .violation(.decryptFailed), at: .open, told: .decryptFailed)
        }
    }

    @Test("A tampered record releases nothing, and later bytes are ignored, R12.4-1, §16.3", arguments: Suite.classical)
    func tamperedRecord(suite: Suite) throws {
        let duel = try Duels.make(honest: .responder, script: .init())
        try duel.shakeHands(suite: suite)
        try duel.evil.send(try duel.evil.proof().encoded() + duel.evil.peerInfo().encoded())
        try duel.evil.send(invite: duel.evil.invitation())
        try duel.exchange()
        try duel.evil.send(Certificates.none)
        try duel.evil.send(Ready())
        try duel.exchange()
        try #require(duel.stage == .open)
        var record = try duel.evil.seal(WireBytes.message(total: 3, [1, 2, 3]))
        let genuine = try duel.evil.seal(WireBytes.message(total: 1, [4]))
        record[5] ^= 0x40
        duel.evil.sendRaw(record + genuine + [0xFF, 0xFF, 0xFF])
        try duel.exchange()
        #expect(duel.messages.isEmpty)
        expectFailure(duel, .violation(.decryptFailed), at: .open, told: .decryptFailed)
        // It waits, so that its CLOSE arrives, and ends with the stream.
        #expect(duel.stage == .closing && duel.isOutputFinished)
        try duel.cut()
        #expect(duel.isFinished)
    }

    @Test("Faults of the record stream: kind, order, length, R6.2-1, R6.2-2")
    func recordFaults() throws {
        let open: [([UInt8], LinkFailureCause, CloseCode)] = [
            ([0x00], malformed(.valueOutOfRange, .recordKind), .malformed),
            ([0x12], malformed(.valueOutOfRange, .recordKind), .malformed),
            ([0xFF], malformed(.valueOutOfRange, .recordKind), .malformed),
            ([0x01], .violation(.unexpectedRecord(.hello)), .unexpectedRecord),
            ([0x02], .violation(.unexpectedRecord(.refusal)), .unexpectedRecord),
            ([0x10, 0x00, 0x11], malformed(.lengthOutOfRange, .recordLength), .malformed),
            ([0x10, 0x00, 0x00], malformed(.lengthOutOfRange, .recordLength), .malformed),
            ([0x10, 0xFF, 0xFD], malformed(.lengthOutOfRange, .recordLength), .malformed),
            ([0x11, 0xFF, 0xFF], malformed(.lengthOutOfRange, .recordLength), .malformed),
        ]
        for place in [Duel.Place.proof, .invited, .open] {
            for (bytes, cause, code) in open {
                let duel = try Duels.at(place, honest: .responder)
                let stage = duel.stage
                duel.evil.sendRaw(bytes)
                try duel.exchange()
                expectFailure(duel, cause, at: stage, told: code)
                #expect(duel.stage == .closing, "it waits for the remote end (§16.3)")
            }
        }
        let first: [(LinkRole, [UInt8], LinkFailureCause)] = [
            (.responder, [0x10], .violation(.unexpectedRecord(.encrypted))),
            (.initiator, [0x11], .violation(.unexpectedRecord(.authenticated))),
            (.responder, [0x01, 0x00, 0x26], malformed(.lengthOutOfRange, .recordLength)),
            (.initiator, [0x01, 0x10, 0x01], malformed(.lengthOutOfRange, .recordLength)),
            (.initiator, [0x02, 0x00, 0x02], malformed(.lengthOutOfRange, .recordLength)),
            (.initiator, [0x02, 0x01, 0x01], malformed(.lengthOutOfRange, .recordLength)),
        ]
        for (role, bytes, cause) in first {
            let duel = try Duels.make(honest: role)
            duel.evil.sendRaw(Magic.bytes + bytes)
            try duel.exchange()
            #expect(duel.failure == LinkFailure(stage: .hello, cause: cause))
            #expect(duel.isFinished && duel.evil.closeCode == nil)
        }
    }

    @Test("Before PROOF a record has at most 1,024 bytes, R19-2", arguments: roles)
    func longRecordBeforeProof(role: LinkRole) throws {
        let padding = 1_024 - 3 - 16 - 99 - 3
        for (excess, cause) in [(0, unexpected(.padding)), (1, LinkFailureCause.violation(.limitExceeded))] {
            let duel = try Duels.at(.proof, honest: role)
            let proof = try duel.evil.proof().encoded()
            let frames = WireBytes.frame(.padding, [UInt8](repeating: 0, count: padding + excess)) + proof
            let record = try duel.evil.seal(frames)
            #expect(record.count == 1_024 + excess)
            duel.evil.sendRaw(excess == 0 ? record : Array(record.prefix(3)))
            try duel.exchange()
            #expect(duel.failure == LinkFailure(stage: .proof, cause: cause))
        }
        // After PROOF the padding is welcome, in the same record as well.
        let duel = try Duels.at(.proof, honest: role)
        let frames = try duel.evil.proof().encoded() + WireBytes.frame(.padding, [UInt8](repeating: 0, count: padding))
        try Duels.poke(duel, frames)
        #expect(duel.stage == .info)
        try Duels.poke(duel, WireBytes.frame(.padding, [UInt8](repeating: 0, count: 60_000)))
        #expect(duel.stage == .info)
    }

    @Test("131,072 bytes of protected records, and not one more, before the link is open, R19-1", arguments: roles)
    func allowance(role: LinkRole) throws {
        for excess in 0...1 {
            let duel = try Duels.at(.identified, honest: role)
            var left = 131_072 - (118 + 31)  // the records of PROOF and PEER_INFO
            while left > 60_000 {
                try duel.evil.send(WireBytes.frame(.padding, [UInt8](repeating: 0, count: 40_000 - 24)))
                left -= 40_000
            }
            try duel.exchange()
            #expect(duel.stage == .identified)
            try duel.evil.send(WireBytes.frame(.padding, [UInt8](repeating: 0, count: left - 24 + excess)))
            try duel.exchange()
            if excess == 0 {
                #expect(duel.stage == .identified)
                duel.evil.sendRaw([0x10, 0x00, 0x12])
                try duel.exchange()
            }
            expectFailure(duel, .violation(.limitExceeded), at: .identified, told: .limitExceeded)
        }
    }

    @Test("AUTHENTICATED is wrong_protection if payload is not readable, before its tag is checked, R12.4-2")
    func earlyAuthenticated() throws {
        for place in Duel.Place.allCases where ![.hello, .closed, .closingFailed, .closingSession].contains(place) {
            for isGenuine in [true, false] {
                let duel = try Duels.at(place, honest: .responder)
                let stage = duel.stage
                var record = try duel.evil.seal(WireBytes.message(total: 1, [1]), as: .authenticated)
                if !isGenuine { record[record.count - 1] ^= 1 }
                duel.evil.sendRaw(record)
                try duel.exchange()
                expectFailure(duel, .violation(.wrongProtection), at: stage, told: .wrongProtection)
                #expect(duel.messages.isEmpty)
            }
        }
    }

    @Test("The header of an AUTHENTICATED record is enough, and its body is not waited for, R12.4-2")
    func authenticatedHeader() throws {
        for place in Duel.Place.allCases where ![.hello, .closed, .closingFailed, .closingSession].contains(place) {
            let duel = try Duels.at(place, honest: .responder)
            let stage = duel.stage
            duel.evil.sendRaw([RecordKind.authenticated.rawValue, 0x00])
            try duel.exchange()
            #expect(duel.failure == nil)
            duel.evil.sendRaw([0x20])
            try duel.exchange()
            expectFailure(duel, .violation(.wrongProtection), at: stage, told: .wrongProtection)
        }
    }
}
