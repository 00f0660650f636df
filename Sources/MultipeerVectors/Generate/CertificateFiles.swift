@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `certificates/`: SPEC §10.
struct CertificateFiles {
    let subject: SwiftSubject
    let material: Material
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] { [try frames().file(), try bindings().file()] }

    private func frames() throws -> CaseWriter {
        let writer = CaseWriter(
            "certificates/frames", topic: "certificates-frames", type: .controlFrame, section: "10.2", subject: subject)
        let cases = FrameCases(writer)
        cases.begin("CERTIFICATES", section: "10.2")
        func payload(_ chain: [[UInt8]], _ algorithm: UInt16 = 0x0807, _ signature: [UInt8] = []) -> [UInt8] {
            WireBytes.vector(chain.flatMap(WireBytes.vector)) + WireBytes.u16(algorithm) + WireBytes.vector(signature)
                + [0]
        }
        func der(_ count: Int) -> [UInt8] { samples.bytes(count, "der") }
        try cases.accept("no certificate", ["R10.2-2"], payload([], 0))
        try cases.accept("one certificate", [], payload([der(40)], 0x0807, samples.bytes(64, "signature")))
        try cases.accept("eight certificates", ["R10.2-1"], payload([[UInt8]](repeating: der(3), count: 8)))
        try cases.accept("one byte of certificate", [], payload([[0x30]]))
        try cases.accept("the longest certificate", ["R10.2-1"], payload([der(16_384)]))
        try cases.accept("the longest chain", ["R10.2-1"], payload([[UInt8]](repeating: der(16_384), count: 3)))
        try cases.accept("the longest signature", [], payload([der(3)], 0x0804, samples.bytes(4_096, "signature")))
        try cases.accept("an unknown algorithm decodes", [], payload([der(3)], 0xFFFF))
        try cases.refuse(
            "LengthOutOfRange", "nine certificates", ["R10.2-1"], payload([[UInt8]](repeating: der(3), count: 9)))
        try cases.refuse(
            "LengthOutOfRange", "49,153 bytes of certificates", ["R10.2-1"],
            payload([[UInt8]](repeating: der(12_000), count: 4) + [der(1_153)]))
        try cases.refuse("LengthOutOfRange", "16,385 bytes of certificate", ["R3.3-1"], payload([der(16_385)]))
        try cases.refuse("LengthOutOfRange", "an empty certificate", ["R3.3-1"], payload([[]]))
        try cases.refuse(
            "LengthOutOfRange", "4,097 bytes of signature", ["R3.3-1"],
            payload([der(3)], 0x0804, samples.bytes(4_097, "signature")))
        try cases.refuse("LengthExceedsRest", "a certificate beyond the chain", ["R3.3-1"], [2, 2, 0x30, 0, 0, 0, 0])
        try cases.refuse("Truncated", "no signature", ["R3.3-1"], [0, 0, 0])
        try cases.fieldLists(Array(payload([], 0).dropLast()), maximum: 4_096)
        try cases.refuse(
            "NonMinimalInteger", "a length in a longer form", ["R3.2-1"], [3, 0x40, 1, 0x30, 8, 7, 0, 0])
        cases.begin("READY", section: "10.5")
        try cases.fieldLists([])
        return writer
    }

    private static let keys: [(name: String, feature: String)] = [
        ("ed25519", "x509-ed25519"), ("p256", "x509-p256"), ("p384", "x509-p384"), ("rsa", "x509-rsa"),
    ]

    private func bindings() throws -> CaseWriter {
        let cases = CaseWriter(
            "certificates/binding", topic: "certificates-binding", type: .binding, section: "10.3", subject: subject)
        for (name, feature) in Self.keys {
            let key = try material.key(name)
            cases.group(["algorithm": .integer(key.algorithm)])
            for signer in [LinkRole.initiator, .responder] {
                for inviter in [LinkRole.initiator, .responder] {
                    try cases.accept(
                        "\(name): the \(signer.name) signs, the \(inviter.name) invited", ["R10.4-1"],
                        features: ["x509", feature],
                        .object(try signed(name, BoundLink(samples, signer: signer, inviter: inviter))))
                }
            }
            try changes(cases, name, feature)
        }
        try foreignKeys(cases)
        try strictness(cases)
        try later(cases)
        return cases
    }

    /// Inputs with the key's signature.
    private func signed(
        _ name: String, _ link: BoundLink, chain: [[UInt8]]? = nil
    ) throws -> [String: JSONValue] {
        let key = try material.key(name)
        var inputs = link.inputs
        inputs["chain"] = .array((chain ?? key.chain).map(JSONValue.hex))
        inputs["algorithm"] = .integer(key.algorithm)
        let message = try BindingGroup(crypto: subject.crypto).bound(Arguments(.object(inputs), "inputs")).message
        inputs["signature"] = .hex(try material.signature(name, message, crypto: subject.crypto))
        return inputs
    }

    private func changes(_ cases: CaseWriter, _ name: String, _ feature: String) throws {
        let link = BoundLink(samples, signer: .responder, inviter: .initiator)
        let genuine = try signed(name, link)
        func refuse(_ flag: String, _ comment: String, _ change: [String: JSONValue]) throws {
            try cases.reject(
                "binding_invalid", flag, "\(name): \(comment)", ["R10.4-1"], section: "10.4",
                features: ["x509", feature], .object(genuine.merging(change) { _, new in new }))
        }
        try refuse("WrongTranscript", "another link", ["handshakeHash": .hex(samples.bytes32("another link"))])
        try refuse("ReflectedProof", "the other role", ["signerRole": "initiator"])
        try refuse("WrongTranscript", "the other inviter", ["inviterRole": "responder"])
        try refuse(
            "WrongTranscript", "identity keys exchanged",
            ["initiatorKey": .hex(link.responder), "responderKey": .hex(link.initiator)])
        try refuse(
            "WrongTranscript", "another name of the initiator's",
            ["initiatorInfoFrame": .hex(WireBytes.peerInfo(name: Array("Anne".utf8)))])
        try refuse(
            "WrongTranscript", "another limit of the responder's",
            ["responderInfoFrame": .hex(WireBytes.peerInfo(name: Array("Ben".utf8), maximumMessage: 1))])
        try refuse(
            "WrongTranscript", "PEER_INFO frames exchanged",
            ["initiatorInfoFrame": .hex(link.responderInfo), "responderInfoFrame": .hex(link.initiatorInfo)])
        var changed = link.invite
        // Type, length of two bytes, charter of 65, sessionKind.
        changed[3 + 65 + 1] = 2
        try refuse("WrongTranscript", "another preference in INVITE", ["inviteFrame": .hex(changed)])
        try refuse(
            "WrongTranscript", "another outcome in ACCEPT",
            ["acceptFrame": .hex(WireBytes.frame(.accept, [1, 1, 0, 0]))])
        try refuse(
            "WrongTranscript", "ACCEPT without its header", ["acceptFrame": .hex(Array(link.accept.dropFirst(2)))])
        let chain = genuine["chain"]?.elements ?? []
        try refuse("WrongTranscript", "a certificate more in the chain", ["chain": .array(chain + chain.prefix(1))])
        let signature = Hexadecimal.decode(genuine["signature"]?.text ?? "") ?? []
        for index in [4, signature.count - 1] {
            var flipped = signature
            flipped[index] ^= 1
            try refuse("BadSignature", "a bit of byte \(index) is flipped", ["signature": .hex(flipped)])
        }
        try refuse("BadSignature", "an empty signature", ["signature": ""])
        try refuse("BadSignature", "a byte after the signature", ["signature": .hex(signature + [0])])
        try refuse("AlgorithmMismatch", "an unknown algorithm", ["algorithm": 0x0201])
        try refuse("AlgorithmMismatch", "algorithm 0", ["algorithm": 0])
        try refuse(
            "AlgorithmMismatch", "another algorithm than the key's",
            ["algorithm": name == "p256" ? 0x0503 : 0x0403])
        try refuse(
            "LeafMalformed", "a leaf that is no certificate",
            ["chain": .array([.hex(samples.bytes(60, "no certificate"))])])
        let leaf = Hexadecimal.decode(chain.first?.text ?? "") ?? []
        try refuse("LeafMalformed", "a leaf without its last byte", ["chain": .array([.hex(Array(leaf.dropLast()))])])
    }

    private func foreignKeys(_ cases: CaseWriter) throws {
        let link = BoundLink(samples, signer: .responder, inviter: .initiator)
        for (name, comment) in [
            ("rsa-1024", "an RSA key of 1,024 bits"), ("p521", "a key on P-521"),
            ("rsa-pkcs1", "RSA with PKCS #1 v1.5"),
            ("p256-raw", "an ECDSA signature that is not DER"),
        ] {
            cases.group(["algorithm": .integer(try material.key(name).algorithm)])
            let feature = name.hasPrefix("rsa") ? "x509-rsa" : "x509-p256"
            try cases.reject(
                "binding_invalid", name.hasSuffix("raw") || name.hasSuffix("pkcs1") ? "BadSignature" : "UnsupportedKey",
                comment, ["R10.4-1"], section: "10.4", features: ["x509", feature], .object(try signed(name, link)))
        }
    }
}

extension CertificateFiles {
    /// Faults after a signature that is over exactly these bytes.
    private func later(_ cases: CaseWriter) throws {
        let link = BoundLink(samples, signer: .responder, inviter: .initiator)
        cases.group(["algorithm": .integer(try material.key("rsa-salt").algorithm)])
        try cases.reject(
            "binding_invalid", "BadSignature", "RSA-PSS with a salt of 20 bytes", ["R10.4-1"], section: "10.4",
            features: ["x509", "x509-rsa"], .object(try signed("rsa-salt", link)))
        let chain = try material.key("ed25519").chain
        cases.group(["algorithm": 0x0807])
        try cases.reject(
            "binding_invalid", "LeafMalformed", "ed25519: a byte after the leaf, which is signed with it",
            ["R10.4-1"], section: "10.4", features: ["x509", "x509-ed25519"],
            .object(try signed("ed25519", link, chain: chain.prefix(1).map { $0 + [0] } + chain.dropFirst())))
    }

    /// SPEC §9.6 holds for a leaf's Ed25519 key as well (R9.6-2).
    private func strictness(_ cases: CaseWriter) throws {
        let genuine = try signed("ed25519", BoundLink(samples, signer: .responder, inviter: .initiator))
        cases.group(["algorithm": 0x0807])
        func refuse(_ flag: String, _ comment: String, _ signature: [UInt8], key: [UInt8]? = nil) throws {
            var inputs = genuine
            inputs["signature"] = .hex(signature)
            if let key { inputs["chain"] = .array([.hex(leaf(of: genuine, withKey: key))]) }
            try cases.reject(
                "binding_invalid", flag, "ed25519: \(comment)", ["R9.6-1", "R9.6-2"], section: "9.6",
                features: ["x509", "x509-ed25519"], .object(inputs))
        }
        let signature = Hexadecimal.decode(genuine["signature"]?.text ?? "") ?? []
        let zero = [UInt8](repeating: 0, count: 32)
        try refuse("NonCanonicalScalar", "S + L", EdwardsForgeries.plusOrder(signature))
        try refuse(
            "NonCanonicalScalar", "S with its highest bits set", signature.dropLast() + [signature[63] | 0xE0])
        for (index, point) in EdwardsForgeries.smallOrder.enumerated() {
            try refuse("SmallOrderPoint", "R is small-order point \(index), S is zero", point + zero)
            try refuse(
                "SmallOrderPoint", "key and R are small-order point \(index), S is zero", point + zero, key: point)
        }
        for (index, point) in EdwardsForgeries.nonCanonical.enumerated() {
            try refuse(
                "NonCanonicalPoint", "non-canonical key \(index)", EdwardsForgeries.smallOrder[1] + zero, key: point)
        }
    }

    /// The leaf with another key. Its own signature fits no longer, but of that a binding knows nothing.
    private func leaf(of inputs: [String: JSONValue], withKey key: [UInt8]) -> [UInt8] {
        var leaf = Hexadecimal.decode(inputs["chain"]?.elements?.first?.text ?? "") ?? []
        // The end of the SubjectPublicKeyInfo of RFC 8410: its algorithm, and a bit string of 33 bytes.
        let front: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        guard let place = leaf.indices.first(where: { leaf[$0...].starts(with: front) }) else { return leaf }
        leaf.replaceSubrange(place + front.count..<place + front.count + key.count, with: key)
        return leaf
    }
}

/// What both peers of an invented link saw.
struct BoundLink {
    let hash: [UInt8]
    let initiator: [UInt8]
    let responder: [UInt8]
    let initiatorInfo = WireBytes.peerInfo(name: Array("Anna".utf8))
    let responderInfo = WireBytes.peerInfo(name: Array("Ben".utf8))
    let invite: [UInt8]
    let accept = WireBytes.frame(.accept, [1, 1, 1, 0])
    let signer: LinkRole
    let inviter: LinkRole

    init(_ samples: Samples, signer: LinkRole, inviter: LinkRole) {
        self.signer = signer
        self.inviter = inviter
        hash = samples.bytes32("bound link")
        initiator = samples.bytes32("bound initiator")
        responder = samples.bytes32("bound responder")
        let charter = WireBytes.charter(founder: samples.bytes32("founder"), nonce: samples.bytes32("session"))
        invite = WireBytes.invite(charter: charter, sessionKind: 0, identityKind: 1)
    }

    var inputs: [String: JSONValue] {
        [
            "handshakeHash": .hex(hash), "initiatorKey": .hex(initiator), "responderKey": .hex(responder),
            "initiatorInfoFrame": .hex(initiatorInfo), "responderInfoFrame": .hex(responderInfo),
            "inviterRole": .string(inviter.name), "inviteFrame": .hex(invite), "acceptFrame": .hex(accept),
            "signerRole": .string(signer.name),
        ]
    }
}
