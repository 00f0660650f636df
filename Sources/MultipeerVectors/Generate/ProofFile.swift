@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerTesting
internal import MultipeerWire

/// `handshake/proof`: SPEC §9.5, §9.6.
struct ProofFile {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    private var hash: [UInt8] { samples.bytes32("proof handshake hash") }
    private var seed: [UInt8] { samples.bytes32("proof signer") }
    private func own() throws -> [UInt8] { try samples.identityKey(seed: samples.bytes32("proof verifier")) }

    func cases() throws -> CaseWriter {
        let cases = CaseWriter(
            "handshake/proof", topic: "handshake-proof", type: .proof, section: "9.5", subject: subject)
        for role in [LinkRole.initiator, .responder] {
            cases.group(["verifierRole": .string(role.name)])
            try positive(cases, signer: role.peer)
            try wrongBytes(cases, signer: role.peer)
            try wrongPeers(cases, signer: role.peer)
        }
        cases.group(["verifierRole": "initiator"])
        try strictness(cases)
        for (flag, comment, proof) in try EdwardsForgeries(samples: samples, hash: hash, seed: seed).verifying() {
            try cases.reject("proof_invalid", flag, comment, ["R9.6-1"], section: "9.6", try inputs(proof))
        }
        return cases
    }

    private func inputs(_ payload: [UInt8], _ more: [String: JSONValue] = [:]) throws -> JSONValue {
        let base: [String: JSONValue] = [
            "handshakeHash": .hex(hash), "ownIdentity": .hex(try own()), "payload": .hex(payload),
        ]
        return .object(base.merging(more) { _, more in more })
    }

    /// key ‖ signature over the bytes that `change` makes of the right ones.
    private func payload(
        signer role: LinkRole, hash: [UInt8]? = nil, seed: [UInt8]? = nil, shownKey: [UInt8]? = nil,
        meaning peer: [UInt8]? = nil,
        change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        let identity = try subject.crypto.identity(seed: seed ?? self.seed)
        let shown = shownKey ?? identity.identityKey.rawBytes
        var message = SignedBytes.proof(
            role: role.stream, hash: hash ?? self.hash, key: shown, peer: try peer ?? own())
        change(&message)
        return shown + (try identity.sign(message.span))
    }

    private func positive(_ cases: CaseWriter, signer: LinkRole) throws {
        let proof = try payload(signer: signer)
        let requirements = ["R9.5-2", "R9.6-1"]
        try cases.accept("a proof of the \(signer.name)", requirements, try inputs(proof, ["seed": .hex(seed)]))
        let expected = JSONValue.hex(Array(proof.prefix(32)))
        try cases.accept(
            "from the expected peer", ["R9.5-4"], try inputs(proof, ["seed": .hex(seed), "expectedPeer": expected]))
        let other = samples.bytes32("another signer")
        try cases.accept(
            "of another identity", requirements,
            try inputs(try payload(signer: signer, seed: other), ["seed": .hex(other)]))
    }

    private func wrongBytes(_ cases: CaseWriter, signer: LinkRole) throws {
        func refuse(_ flag: String, _ comment: String, _ payload: [UInt8]) throws {
            try cases.reject("proof_invalid", flag, comment, ["R9.5-2"], try inputs(payload))
        }
        let label = Array("multipeer/1 identity proof".utf8).count
        try refuse("ReflectedProof", "signed for the verifier's role", try payload(signer: signer.peer))
        try refuse(
            "WrongTranscript", "signed for another link",
            try payload(signer: signer, hash: samples.bytes32("another handshake hash")))
        try refuse("MissingLabel", "signed without the label", try payload(signer: signer) { $0.removeFirst(label) })
        try refuse(
            "MissingLabel", "signed under the label of certificates",
            try payload(signer: signer) {
                $0.replaceSubrange(0..<label, with: Array("multipeer/1 certificate binding".utf8))
            })
        try refuse(
            "BadSignature", "signed without the zero byte", try payload(signer: signer) { $0.remove(at: label) })
        try refuse(
            "BadSignature", "signed without the last identity key", try payload(signer: signer) { $0.removeLast(32) })
        try refuse(
            "BadSignature", "signed with one identity key more",
            try payload(signer: signer) { $0 += samples.bytes32("one key more") })
        if signer == .initiator {
            try refuse(
                "MisboundKey", "signed for another responder",
                try payload(signer: signer, meaning: samples.bytes32("another responder")))
            try refuse(
                "MisboundKey", "signed with the keys in the other order",
                try payload(signer: signer) {
                    $0.replaceSubrange(($0.count - 64)..., with: $0.suffix(32) + $0.suffix(64).prefix(32))
                })
        } else {
            try refuse(
                "MisboundKey", "a responder's signature with the initiator's key appended",
                try payload(signer: signer) { $0 += (try? own()) ?? [] })
        }
        try refuse(
            "MisboundKey", "another key is shown than the signer's",
            try payload(signer: signer, shownKey: samples.identityKey(seed: samples.bytes32("a third"))))
        for (index, name) in [(32, "R"), (64, "S"), (40, "R again"), (80, "S again")] {
            var proof = try payload(signer: signer)
            proof[index] ^= 1
            try refuse("BadSignature", "a bit of \(name) is flipped", proof)
        }
        for (flag, comment, proof) in [
            ("Truncated", "63 bytes of signature", Array(try payload(signer: signer).dropLast())),
            ("TrailingBytes", "a byte after the signature", try payload(signer: signer) + [0]),
        ] { try cases.reject("malformed", flag, comment, ["R3.3-2"], try inputs(proof)) }
    }

    private func wrongPeers(_ cases: CaseWriter, signer: LinkRole) throws {
        let expected: [String: JSONValue] = ["expectedPeer": .hex(samples.bytes32("expected"))]
        try cases.reject(
            "unexpected_identity", "UnexpectedIdentity", "another peer than expected", ["R9.5-4"],
            try inputs(try payload(signer: signer), expected))
        let mine = samples.bytes32("proof verifier")
        try cases.reject(
            "own_identity", "OwnIdentity", "the verifier's own key, well signed", ["R9.5-3"],
            try inputs(try payload(signer: signer, seed: mine)))
        var forged = try payload(signer: signer, seed: mine)
        forged[90] ^= 1
        try cases.reject(
            "proof_invalid", "Precedence", "the signature comes before one's own key", ["R9.5-3", "R9.5-6"],
            try inputs(forged))
        var meant = try payload(signer: signer)
        let known = JSONValue.hex(Array(meant.prefix(32)))
        meant[90] ^= 1
        try cases.reject(
            "proof_invalid", "Precedence", "the expected key with a wrong signature", ["R9.5-2", "R9.5-6"],
            try inputs(meant, ["expectedPeer": known]))
        var wrong = try payload(signer: signer)
        wrong[90] ^= 1
        try cases.reject(
            "proof_invalid", "Precedence", "the signature comes before the expected peer", ["R9.5-2", "R9.5-4"],
            try inputs(wrong, expected))
    }

    /// SPEC §9.6: what lax verifiers let through.
    private func strictness(_ cases: CaseWriter) throws {
        for (flag, comment, proof) in try EdwardsForgeries(samples: samples, hash: hash, seed: seed).all() {
            try cases.reject(
                "proof_invalid", flag, comment, ["R9.6-1"], section: "9.6", try inputs(proof))
        }
    }
}

/// Ed25519 signatures that some verifiers take and SPEC §9.6 refuses.
struct EdwardsForgeries {
    let samples: Samples
    let hash: [UInt8]
    let seed: [UInt8]

    /// The group order, little-endian.
    private static let order =
        Hexadecimal.decode(
            "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010") ?? []

    func all() throws -> [(flag: String, comment: String, payload: [UInt8])] {
        let identity = try samples.crypto.identity(seed: seed)
        let key = identity.identityKey.rawBytes
        let message = SignedBytes.proof(role: .responder, hash: hash, key: key, peer: [])
        let signature = try identity.sign(message.span)
        var cases = [
            (flag: "NonCanonicalScalar", comment: "S + L", payload: key + Self.plusOrder(signature)),
            (
                flag: "NonCanonicalScalar", comment: "S with its highest bits set",
                payload: key + signature.dropLast() + [signature[63] | 0xE0]
            ),
        ]
        let zero = [UInt8](repeating: 0, count: 32)
        for (index, point) in Self.smallOrder.enumerated() {
            // With S = 0 and R = A of small order, [S]B = R + [k]A holds for every eighth message or so, or always.
            cases.append(
                (
                    flag: "SmallOrderPoint", comment: "key and R are small-order point \(index), S is zero",
                    payload: point + point + zero
                ))
        }
        cases.append(
            (flag: "SmallOrderPoint", comment: "R is the neutral element", payload: key + Self.smallOrder[1] + zero))
        for (index, point) in Self.nonCanonical.enumerated() {
            cases.append(
                (
                    flag: "NonCanonicalPoint", comment: "non-canonical key \(index)",
                    payload: point + Self.smallOrder[1] + zero
                ))
        }
        return cases
    }

    /// The same point, by the scalar S + L.
    static func plusOrder(_ signature: [UInt8]) -> [UInt8] {
        var sum = signature
        var carry = 0
        for index in 0..<32 {
            carry += Int(signature[32 + index]) + Int(order[index])
            sum[32 + index] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        return sum
    }

    /// The eight points of small order, in their canonical encodings (y = 0 twice, 1, −1, and four of order 8).
    static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [UInt8](repeating: 0, count: 31) + [0x80],
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        Hexadecimal.decode("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a") ?? [],
        Hexadecimal.decode("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa") ?? [],
        Hexadecimal.decode("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05") ?? [],
        Hexadecimal.decode("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85") ?? [],
    ]

    /// y of 2^255 − 19 and more; and 1 and −1 with the sign of an x that is zero.
    static let nonCanonical: [[UInt8]] = [
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [UInt8](repeating: 0xFF, count: 31) + [0x7F],
        [1] + [UInt8](repeating: 0, count: 30) + [0x80],
        [0xEC] + [UInt8](repeating: 0xFF, count: 31),
    ]
}
