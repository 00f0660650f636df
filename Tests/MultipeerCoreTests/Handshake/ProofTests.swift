import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Identity proofs and peer info, SPEC §8.1, §9.5, §9.6")
struct ProofTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("An honest proof is accepted, and answered in the order of R9.5-1", arguments: roles)
    func honestProof(role: LinkRole) throws {
        let duel = try Duels.at(.proof, honest: role)
        // The responder shows its key at once; the initiator only once the other has.
        #expect(duel.evil.sentTypes == (role == .responder ? [.proof] : []))
        try duel.evil.send(try duel.evil.proof())
        try duel.exchange()
        #expect(duel.evil.sentTypes == [.proof, .peerInfo])
        let proof = try Proof(decoding: try #require(duel.evil.payloads(of: .proof).first))
        #expect(proof.identityKey == duel.honestKey.rawBytes)
        let message =
            Array("multipeer/1 identity proof".utf8) + [0, role.byte]
            + duel.evil.handshakeHash + proof.identityKey
            + (role == .initiator ? duel.evil.identity.identityKey.rawBytes : [])
        let isValid = Peers.crypto.signatures.isValid(proof.signature.span, of: message.span, by: duel.honestKey)
        #expect(isValid)
    }

    @Test("Every wrong proof is proof_invalid, R9.5-2", arguments: roles)
    func wrongProofs(role: LinkRole) throws {
        let stranger = try Peers.identity(77)
        let makers: [(String, (Duel) throws -> Proof)] = [
            ("own role of the receiver", { try $0.evil.proof(role: role.stream) }),
            ("another handshake", { try $0.evil.proof(hash: [UInt8](repeating: 9, count: 32)) }),
            ("another label", { try $0.evil.proof(label: "multipeer/1 certificate binding") }),
            ("another key shown", { try $0.evil.proof(showing: try Peers.key(77).rawBytes) }),
            ("another signer", { try $0.evil.proof(by: stranger, showing: try Peers.key(78).rawBytes) }),
            ("zero signature", { try Self.signed($0, [UInt8](repeating: 0, count: 64)) }),
            (
                "small-order key",
                { _ in
                    Proof(
                        identityKey: [1] + [UInt8](repeating: 0, count: 31),
                        signature: [1] + [UInt8](repeating: 0, count: 63))
                }
            ),
        ]
        for (name, make) in makers {
            let duel = try Duels.at(.proof, honest: role)
            try duel.evil.send(try make(duel))
            try duel.exchange()
            #expect(duel.cause == .violation(.proofInvalid), "\(name)")
            #expect(duel.evil.closeCode == .proofInvalid, "\(name)")
            // R9.5-1: an initiator that saw no valid proof has shown nothing of itself.
            #expect(duel.evil.sentTypes == (role == .responder ? [.proof, .close] : [.close]), "\(name)")
        }
    }

    private static func signed(_ duel: Duel, _ signature: [UInt8]) throws -> Proof {
        Proof(identityKey: duel.evil.identity.identityKey.rawBytes, signature: signature)
    }

    @Test("No bit of a proof can be changed", arguments: roles)
    func everyBit(role: LinkRole) throws {
        for byte in 0..<96 {
            let duel = try Duels.at(.proof, honest: role)
            var frame = try duel.evil.proof().encoded()
            frame[3 + byte] ^= 1 << (byte % 8)
            try Duels.poke(duel, frame)
            #expect(duel.cause == .violation(.proofInvalid), "byte \(byte)")
        }
    }

    @Test("A scalar that is not reduced is refused, R9.6-1")
    func malleableSignature() throws {
        let duel = try Duels.at(.proof, honest: .responder)
        let proof = try duel.evil.proof()
        // S + L signs the same for a verifier that does not look.
        let order = try #require(
            Hexadecimal.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        var (signature, carry) = (proof.signature, 0)
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        try #require(carry == 0)
        try duel.evil.send(Proof(identityKey: proof.identityKey, signature: signature))
        try duel.exchange()
        expectFailure(duel, .violation(.proofInvalid), at: .proof, told: .proofInvalid)
    }

    @Test("An initiator's own proof comes back: it is signed for another role, R9.5-2")
    func reflectedProof() throws {
        let duel = try Duels.at(.proof, honest: .responder)
        let own = try #require(duel.evil.payloads(of: .proof).first)
        try Duels.poke(duel, WireBytes.frame(.proof, own))
        expectFailure(duel, .violation(.proofInvalid), at: .proof, told: .proofInvalid)
    }

    @Test(
        "The local key is own_identity if its signature is right, and proof_invalid if not, R9.5-6",
        arguments: roles)
    func ownIdentity(role: LinkRole) throws {
        for isValid in [true, false] {
            let duel = try Duels.make(honest: role, honestSeed: 1, evilSeed: 1)
            try duel.shakeHands()
            let proof = isValid ? try duel.evil.proof() : try Self.signed(duel, [UInt8](repeating: 3, count: 64))
            try duel.evil.send(proof)
            try duel.exchange()
            expectFailure(
                duel, .violation(isValid ? .ownIdentity : .proofInvalid), at: .proof,
                told: isValid ? .ownIdentity : .proofInvalid)
        }
    }

    @Test("A replayed key of any peer gets one answer: the sent bytes have one form, R9.5-6", arguments: roles)
    func noOracle(role: LinkRole) throws {
        let (own, expected) = (try Peers.key(1), try Peers.key(2))
        for key in [own, expected, try Peers.key(3)] {
            let duel = try Duels.make(honest: role, honestSeed: 1, evilSeed: 4) {
                if role == .initiator { $0.expectedPeer = expected }
            }
            try duel.shakeHands()
            try duel.evil.send(Proof(identityKey: key.rawBytes, signature: [UInt8](repeating: 3, count: 64)))
            try duel.exchange()
            expectFailure(duel, .violation(.proofInvalid), at: .proof, told: .proofInvalid)
            #expect(duel.evil.sentTypes == (role == .responder ? [.proof, .close] : [.close]))
        }
    }

    @Test("An initiator's proof that means another responder, or nobody, or has the keys exchanged, R9.5-2")
    func meantForAnother() throws {
        let other = try Peers.key(9).rawBytes
        for peer in [other, [], Array(other.prefix(31))] {
            let duel = try Duels.at(.proof, honest: .responder)
            try duel.evil.send(try duel.evil.proof(peer: peer))
            try duel.exchange()
            expectFailure(duel, .violation(.proofInvalid), at: .proof, told: .proofInvalid)
        }
    }

    @Test("A key of another tag than was advertised: the initiator has shown nothing, R23.5-1")
    func unexpectedTag() throws {
        for (seed, isExpected) in [(UInt64(2), true), (3, false)] {
            let tag = KeyTag(of: try Peers.key(seed), hashing: TestProvider.all.hashing)
            try expectIdentity(isExpected: isExpected) { $0.expectedTag = tag }
        }
    }

    /// The honest initiator continues with the peer that it expects, and shows nothing to another one.
    private func expectIdentity(isExpected: Bool, _ adjust: (inout LinkConfiguration) -> Void) throws {
        let duel = try Duels.make(honest: .initiator, evilSeed: 2, adjust: adjust)
        try duel.shakeHands()
        try duel.evil.send(try duel.evil.proof())
        try duel.exchange()
        if isExpected {
            #expect(duel.stage == .info)
        } else {
            let key = try Peers.key(2)
            expectFailure(duel, .violation(.unexpectedIdentity(key)), at: .proof, told: .unexpectedIdentity)
            #expect(duel.evil.sentTypes == [.close])
        }
    }

    @Test("Another peer than expected: the initiator has shown nothing, R9.5-4")
    func unexpectedIdentity() throws {
        for (seed, isExpected) in [(UInt64(2), true), (3, false)] {
            let expected = try Peers.key(seed)
            try expectIdentity(isExpected: isExpected) { $0.expectedPeer = expected }
        }
        // An invalid signature comes before the comparison.
        let expected = try Peers.key(3)
        let duel = try Duels.make(honest: .initiator) { $0.expectedPeer = expected }
        try duel.shakeHands()
        try duel.evil.send(try Self.signed(duel, [UInt8](repeating: 3, count: 64)))
        try duel.exchange()
        expectFailure(duel, .violation(.proofInvalid), at: .proof, told: .proofInvalid)
    }

    @Test("A second PROOF is unexpected in every later stage, R9.5-5", arguments: roles)
    func secondProof(role: LinkRole) throws {
        for place in [Duel.Place.info, .identified, .invited, .certificatesAsked, .open] {
            let duel = try Duels.at(place, honest: role)
            let stage = duel.stage
            try duel.evil.send(try duel.evil.proof())
            try duel.exchange()
            expectFailure(duel, unexpected(.proof), at: stage, told: .unexpectedFrame)
        }
    }

    @Test("A PROOF of another length is malformed")
    func proofLength() throws {
        for (count, cause) in [
            (31, malformed(.truncated, .identityKey)), (95, malformed(.truncated, .signature)),
            (97, malformed(.trailingBytes, .framePayload)),
        ] {
            let duel = try Duels.at(.proof, honest: .responder)
            try Duels.poke(duel, WireBytes.frame(.proof, [UInt8](repeating: 1, count: count)))
            expectFailure(duel, cause, at: .proof, told: .malformed)
        }
    }

    @Test("PEER_INFO: names and maximumMessage out of range, R4.2-1, R8.1-2")
    func peerInfo() throws {
        let names: [([UInt8], LinkFailureCause)] = [
            ([UInt8](repeating: 0x61, count: 64), malformed(.lengthOutOfRange, .displayName)),
            ([0xFF], malformed(.illFormedText, .displayName)), ([0xC0, 0x80], malformed(.illFormedText, .displayName)),
            ([0xED, 0xA0, 0x80], malformed(.illFormedText, .displayName)),
            ([0x61, 0x00], malformed(.valueOutOfRange, .displayName)),
            ([0x7F], malformed(.valueOutOfRange, .displayName)),
            ([0xC2, 0x85], malformed(.valueOutOfRange, .displayName)),
            (Array("\u{202E}x".utf8), malformed(.valueOutOfRange, .displayName)),
            (Array("\u{2066}".utf8), malformed(.valueOutOfRange, .displayName)),
            (Array("B\u{200B}en".utf8), malformed(.valueOutOfRange, .displayName)),
            (Array(" \u{3000}".utf8), malformed(.valueOutOfRange, .displayName)),
        ]
        for (name, cause) in names {
            let duel = try Duels.at(.info, honest: .initiator)
            try duel.evil.send(PeerInfo(displayName: name, maximumMessage: 1))
            try duel.exchange()
            expectFailure(duel, cause, at: .info, told: .malformed)
        }
        for maximum: UInt64 in [0, 1 << 32, 1 << 62 - 1] {
            let duel = try Duels.at(.info, honest: .initiator)
            try duel.evil.send(duel.evil.peerInfo(maximumMessage: maximum))
            try duel.exchange()
            expectFailure(duel, malformed(.valueOutOfRange, .maximumMessage), at: .info, told: .malformed)
        }
        for name in ["é", String(repeating: "a", count: 63), " a", "名"] {
            let duel = try Duels.at(.info, honest: .initiator)
            try duel.evil.send(duel.evil.peerInfo(name: name, maximumMessage: 0xFFFF_FFFF))
            try duel.exchange()
            #expect(duel.stage == .identified)
        }
    }

    @Test("A peer that shows no name is known by its key, R8.1-6", arguments: roles)
    func withoutName(role: LinkRole) throws {
        let duel = try Duels.at(.info, honest: role)
        try duel.evil.send(PeerInfo(displayName: [], maximumMessage: 1, features: [1, 0x1A1A]))
        try duel.exchange()
        guard case .identified(let peer)? = duel.effects.last else {
            Issue.record("not identified")
            return
        }
        #expect(peer.displayName == nil && peer.shownName == peer.key.description)
        #expect(peer.label.description == String(peer.key.description.prefix(16)))
    }

    @Test("A name is shown to the peers of the list alone, R8.1-6", arguments: roles)
    func showsNameOnlyTo(role: LinkRole) throws {
        let (peer, other) = (try Peers.key(2), try Peers.key(3))
        for (list, isShown) in [(nil, true), ([], false), ([other], false), ([other, peer], true)]
            as [(Set<IdentityKey>?, Bool)]
        {
            let duel = try Duels.make(honest: role) { $0.showNameOnlyTo = list }
            try duel.reach(.info)
            let info = try PeerInfo(decoding: try #require(duel.evil.payloads(of: .peerInfo).first))
            #expect(info.displayName == (isShown ? Array("Honest".utf8) : []))
        }
    }

    @Test("Field lists: odd fields are skipped, even ones close, order is kept, R3.4-1 to R3.4-3")
    func fields() throws {
        let cases: [([Field], LinkFailureCause?)] = [
            ([Field(type: 1, value: [1]), Field(type: 31, value: [])], nil),
            (
                [Field(type: 2, value: [])],
                .incompatible(.unsupportedField(WireError(.unknownCritical, in: .fieldType)))
            ),
            ([Field(type: 3, value: []), Field(type: 3, value: [])], malformed(.notAscending, .fieldType)),
            ([Field(type: 3, value: []), Field(type: 2, value: [])], malformed(.notAscending, .fieldType)),
        ]
        for (fields, cause) in cases {
            let duel = try Duels.at(.info, honest: .responder)
            try duel.evil.send(PeerInfo(displayName: [0x65], maximumMessage: 1, fields: fields))
            try duel.exchange()
            #expect(duel.cause == cause)
            if let cause { #expect(duel.evil.closeCode == LinkFailure(stage: .info, cause: cause).expectedCode) }
        }
    }
}

extension LinkFailure {
    /// SPEC §18 for the two kinds of decoding errors.
    var expectedCode: CloseCode? {
        switch cause {
        case .malformed: .malformed
        case .incompatible: .unsupported
        default: nil
        }
    }
}
