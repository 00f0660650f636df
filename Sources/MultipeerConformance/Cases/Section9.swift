import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Handshake and proofs.
enum Section9 {
    static let cases: [ConformanceCase] = handshake + proofs + places + ed25519

    // MARK: Noise

    private static let handshake: [ConformanceCase] =
        [
            ConformanceCase(
                "9.3-confirmation", "A flipped bit of the confirmation", "R9.3-1",
                expects: "the end of the stream, and nothing before it", tester: .responder
            ) { (play: Play) throws(Interruption) -> Evidence in
                _ = try play.awaitHello()
                try play.peer.sendAnswer(ScriptedPeer.Answer(flippedBit: 77))
                try play.peer.sendProof()
                return try play.expectSilentEnd()
            },
            ConformanceCase(
                "9.4-high-bit", "An ephemeral key with its highest bit set", "R9.4-1",
                expects: "the bit is ignored in the agreement, and a session opens"
            ) { (play: Play) throws(Interruption) -> Evidence in
                play.peer.ephemeralKey = .highBit
                let came = try play.mustReach(.open)
                return came.and(try play.expectAlive())
            },
        ]
        + LowOrderPoint.all.dropLast().map { point in
            ConformanceCase(
                "9.4-weak-key-\(point.name)", "An ephemeral key of low order (\(point.name))", "R9.4-1",
                expects: "the end of the stream, and nothing before it"
            ) { (play: Play) throws(Interruption) -> Evidence in
                play.peer.ephemeralKey = .lowOrder(point.bytes)
                if play.role == .initiator {
                    try play.peer.sendHello()
                } else {
                    _ = try play.awaitHello()
                    try play.peer.sendAnswer()
                    try play.peer.sendProof()
                }
                return try play.expectSilentEnd()
            }
        }

    // MARK: Proofs that prove nothing

    private static func badProof(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode = .proofInvalid,
        _ frame: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements,
            expects: "CLOSE \(FrameText.name(code)) and no PEER_INFO; an initiator shows no PROOF either"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            if play.role == .initiator { _ = try play.take(.proof) }
            try play.peer.send(try frame(play))
            return try play.expectClose(code, forbidding: [.proof, .peerInfo])
        }
    }

    private static func flipped(_ bytes: [UInt8], bit: Int) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }

    private static func badProof(
        _ id: String, _ title: String, _ requirements: String, _ frame: [UInt8]
    ) -> ConformanceCase {
        badProof(id, title, requirements) { _ in frame }
    }

    private static let proofs: [ConformanceCase] = [
        badProof("9.5-flipped-signature", "A flipped bit of the signature's R", "R9.5-2") {
            (play) throws(Interruption) in
            let proof = try play.peer.proof()
            return WireBytes.proof(proof.identityKey, flipped(proof.signature, bit: 19))
        },
        badProof("9.5-flipped-scalar", "A flipped bit of the signature's S", "R9.5-2") { (play) throws(Interruption) in
            let proof = try play.peer.proof()
            return WireBytes.proof(proof.identityKey, flipped(proof.signature, bit: 300))
        },
        badProof("9.5-zero-signature", "A signature of zero bytes", "R9.5-2") { (play) throws(Interruption) in
            WireBytes.proof(try play.peer.proof().identityKey, [UInt8](repeating: 0, count: 64))
        },
        badProof("9.5-other-role", "A signature for the peer's role", "R9.5-2") { (play) throws(Interruption) in
            return try play.peer.proof(role: play.role.other).encoded()
        },
        badProof("9.5-other-hash", "A signature of another handshake hash", "R9.5-2") { (play) throws(Interruption) in
            return try play.peer.proof(hash: play.cryptography.sha256(play.peer.handshakeHash)).encoded()
        },
        badProof("9.5-other-label", "A signature under the label of certificates", "R9.5-2") {
            (play) throws(Interruption) in
            return try play.peer.proof(label: "multipeer/1 certificate binding").encoded()
        },
        badProof("9.5-other-key", "A signature by another key than the one that is shown", "R9.5-2") {
            (play) throws(Interruption) in
            let stranger = try own { () throws(CryptoFailure) in try play.cryptography.makeIdentity() }
            return try play.peer.proof(showing: stranger.identityKey.rawBytes).encoded()
        },
        badProof("9.5-unsigned-key", "A signature that does not cover the key that is shown", "R9.5-2") {
            (play) throws(Interruption) in
            let stranger = try own { () throws(CryptoFailure) in try play.cryptography.makeIdentity() }
            let proof = try play.peer.proof(showing: stranger.identityKey.rawBytes)
            return WireBytes.proof(play.peer.identity.identityKey.rawBytes, proof.signature)
        },
        ConformanceCase(
            "9.5-replayed-proof", "The tester's own PROOF of another link", "R9.5-2",
            expects: "CLOSE proof_invalid, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            let identity = play.peer.identity
            let old = try play.peer.proof()
            // A peer that connects for one link after the other connects again once this one has ended.
            play.peer.endSending()
            try play.reconnect()
            play.peer.identity = identity
            try play.reach(.channel)
            if play.role == .initiator { _ = try play.take(.proof) }
            try play.peer.send(old.encoded())
            return try play.expectClose(.proofInvalid, forbidding: [.proof, .peerInfo])
        },
        ConformanceCase(
            "9.5-reflected-proof", "The peer's own PROOF comes back, which is signed for its own role", "R9.5-2 R9.5-6",
            expects: "CLOSE proof_invalid, then the end of the stream", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            let proof = try play.take(.proof)
            try play.peer.send(proof.encoded)
            return try play.expectClose(.proofInvalid, forbidding: [.peerInfo])
        },
        ConformanceCase(
            "9.5-own-identity", "The peer's own key with a signature that is none", "R9.5-6",
            expects: "CLOSE proof_invalid, as for any other key: the signature is looked at first"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let key = try play.learnPeerKey()
            try play.peer.send(WireBytes.proof(key, [UInt8](repeating: 5, count: 64)))
            return try play.expectClose(.proofInvalid, forbidding: [.peerInfo])
        },
        badProof("9.5-other-responder", "An initiator's signature for another responder", "R9.5-2") {
            (play) throws(Interruption) in
            guard play.role == .initiator else { throw .skipped("the responder signs nobody else's key") }
            let stranger = try own { () throws(CryptoFailure) in try play.cryptography.makeIdentity() }
            return try play.peer.proof(meaning: stranger.identityKey.rawBytes).encoded()
        },
        badProof("9.5-no-responder", "An initiator's signature without the responder's key", "R9.5-2") {
            (play) throws(Interruption) in
            guard play.role == .initiator else { throw .skipped("the responder signs nobody else's key") }
            return try play.peer.proof(meaning: []).encoded()
        },
        badProof("9.5-proof-too-short", "PROOF of 95 bytes", "R3.3-1", .malformed) { (play) throws(Interruption) in
            let proof = try play.peer.proof()
            return WireBytes.frame(.proof, proof.identityKey + proof.signature.dropLast())
        },
        badProof("9.5-proof-too-long", "PROOF of 97 bytes", "R3.3-2", .malformed) { (play) throws(Interruption) in
            let proof = try play.peer.proof()
            return WireBytes.frame(.proof, proof.identityKey + proof.signature + [0])
        },
    ]

    // MARK: Frames in the wrong place

    private static let places: [ConformanceCase] = [
        ConformanceCase(
            "9.5-unexpected-identity", "The initiator expects another peer", "R9.5-4 R9.5-6",
            expects: "CLOSE unexpected_identity, and no PROOF of the initiator's", tester: .responder,
            isForExpecting: true
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            play.peer.behavior.sentProof = true
            try play.peer.sendProof()
            return try play.expectClose(.unexpectedIdentity, forbidding: [.proof, .peerInfo, .invite])
        },
        ConformanceCase(
            "9.5-unexpected-and-invalid", "The initiator expects another peer, and the signature is none", "R9.5-6",
            expects: "CLOSE proof_invalid: the signature is looked at before", tester: .responder, isForExpecting: true
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            let proof = try play.peer.proof()
            try play.peer.send(WireBytes.proof(proof.identityKey, [UInt8](repeating: 5, count: 64)))
            return try play.expectClose(.proofInvalid, forbidding: [.proof, .peerInfo, .invite])
        },
        ConformanceCase(
            "9.5-initiator-waits", "The responder's PROOF does not come", "R9.5-1",
            expects: "the initiator sends no PROOF; the tester's CLOSE is answered by CLOSE no_error",
            tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            return try play.expectClose(.noError, forbidding: [.proof, .peerInfo, .invite])
        },
        ConformanceCase(
            "9.5-responder-waits", "The initiator's PROOF does not come", "R8.1-1",
            expects: "the responder sends no PEER_INFO; the tester's CLOSE is answered by CLOSE no_error",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            _ = try play.take(.proof)
            return try play.expectClose(.noError, forbidding: [.peerInfo, .invite])
        },
    ]

    // MARK: Ed25519

    /// Little-endian, the order of the group.
    private static let order: [UInt8] = [
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14, 0, 0, 0, 0, 0,
        0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    private static let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
    private static let zeroScalar = [UInt8](repeating: 0, count: 32)

    private static let ed25519: [ConformanceCase] = [
        badProof("9.6-large-scalar", "A signature whose S is not reduced", "R9.6-1") { (play) throws(Interruption) in
            let proof = try play.peer.proof()
            var signature = proof.signature
            var carry = 0
            for index in 0..<32 {
                carry += Int(signature[32 + index]) + Int(order[index])
                signature[32 + index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            return WireBytes.proof(proof.identityKey, signature)
        },
        badProof(
            "9.6-neutral-key", "The neutral point as key, of which everything is a signature", "R9.6-1",
            WireBytes.proof(neutral, neutral + zeroScalar)),
        badProof(
            "9.6-non-canonical-key", "The neutral point in a form that is not canonical", "R9.6-1",
            WireBytes.proof([0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], neutral + zeroScalar)),
        badProof(
            "9.6-negative-zero-key", "The neutral point with the sign of zero set", "R9.6-1",
            WireBytes.proof(neutral.dropLast() + [0x80], neutral + zeroScalar)),
        badProof("9.6-no-point", "A key that is no point of the curve", "R9.6-1") { (play) throws(Interruption) in
            WireBytes.proof([2] + [UInt8](repeating: 0, count: 31), try play.peer.proof().signature)
        },
    ]
}

extension Play {
    /// Learns the peer's identity key, on a channel where the tester has not sent PROOF.
    func learnPeerKey() throws(Interruption) -> [UInt8] {
        try reach(role == .initiator ? .channel : .proved)
        if role == .initiator { return Array(try take(.proof).payload.prefix(32)) }
        // An initiator shows its key last. It can be shown its own only if it has the same one each time.
        let key = peer.peerProof?.identityKey ?? []
        try reconnect()
        try reach(.proved)
        guard peer.peerProof?.identityKey == key else { throw .skipped("the peer has a new identity each time") }
        try reconnect()
        try reach(.channel)
        return key
    }
}
