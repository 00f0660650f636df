internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire

/// `handshake/`: SPEC §9.
struct HandshakeFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try noise().file(), try ProofFile(subject: subject).cases().file(), try exports().file(),
            try resumeProofs().file(),
        ]
    }

    private func noise() throws -> CaseWriter {
        let cases = CaseWriter(
            "handshake/noise", topic: "handshake-noise", type: .handshake, section: "9.1", subject: subject)
        for suite in Suite.allCases {
            cases.group(["suite": .integer(Int(suite.rawValue))])
            try positive(cases, suite)
            try negative(cases, suite)
        }
        return cases
    }

    private func exports() throws -> CaseWriter {
        let cases = CaseWriter(
            "handshake/exporter", topic: "handshake-exporter", type: .exporter, section: "9.8", subject: subject)
        func inputs(_ label: [UInt8], _ context: [UInt8], _ length: Int, key: String = "exporter") -> JSONValue {
            [
                "exporterKey": .hex(samples.bytes32(key)), "handshakeHash": .hex(samples.bytes32("exporter hash")),
                "initiatorKey": .hex(samples.bytes32("exporter initiator")),
                "responderKey": .hex(samples.bytes32("exporter responder")), "label": .hex(label),
                "context": .hex(context), "length": .integer(length),
            ]
        }
        let label = Array("example.org chat".utf8)
        for length in [1, 31, 32, 33, 64, 8_160] {
            try cases.accept("\(length) bytes", ["R9.8-1"], inputs(label, [], length))
        }
        try cases.accept("another key", ["R9.8-1"], inputs(label, [], 32, key: "another exporter"))
        try cases.accept("a context", ["R9.8-1"], inputs(label, [1, 2, 3], 32))
        try cases.accept("the longest context", ["R9.8-1"], inputs(label, samples.bytes(1_024, "context"), 32))
        try cases.accept("the shortest label", ["R9.8-1"], inputs([0x61], [], 32))
        try cases.accept("the longest label", ["R9.8-1"], inputs(samples.letters(255), [], 32))
        func refuse(_ comment: String, _ inputs: JSONValue) throws {
            try cases.reject("internal", "ValueOutOfRange", comment, ["R9.8-1"], inputs)
        }
        try refuse("no bytes", inputs(label, [], 0))
        try refuse("8,161 bytes", inputs(label, [], 8_161))
        try refuse("no label", inputs([], [], 32))
        try refuse("256 bytes of label", inputs(samples.letters(256), [], 32))
        try refuse("1,025 bytes of context", inputs(label, samples.bytes(1_025, "context"), 32))
        return cases
    }

    private func resumeProofs() throws -> CaseWriter {
        let cases = CaseWriter(
            "handshake/resume-proof", topic: "handshake-resume-proof", type: .resumeProof, section: "13.9",
            subject: subject)
        let association = samples.bytes(16, "association")
        func accept(_ comment: String, _ role: String, _ payload: [UInt8], key: String = "exporter") throws {
            try cases.accept(
                comment, ["R13.9-5", "R13.9-6"],
                [
                    "exporterKey": .hex(samples.bytes32(key)), "handshakeHash": .hex(samples.bytes32("first hash")),
                    "initiatorKey": .hex(samples.bytes32("exporter initiator")),
                    "responderKey": .hex(samples.bytes32("exporter responder")),
                    "newHandshakeHash": .hex(samples.bytes32("second hash")), "role": .string(role),
                    "payload": .hex(payload),
                ])
        }
        for role in ["initiator", "responder"] {
            try accept("RESUME of the \(role)", role, association + [0, 0, 0, 0])
            try accept("RESUMED of the \(role)", role, [0, 0, 0])
        }
        try accept("another link", "initiator", association + [0, 0, 0, 0], key: "another exporter")
        try accept("two files", "initiator", association + [1, 5] + WireBytes.vector([1, 2, 3, 4]) + [0])
        try accept("a field of odd type", "responder", [5, 0] + WireBytes.vector(WireBytes.field(5, [0xAA])))
        return cases
    }

    private func positive(_ cases: CaseWriter, _ suite: Suite) throws {
        let variants: [(String, HandshakeSample)] = [
            ("one version, the suite alone", HandshakeSample(suite: suite)),
            (
                "GREASE in the hello is in the prologue",
                HandshakeSample(
                    suite: suite, versions: [0x4A4A, ProtocolVersion.draft04.rawValue],
                    suites: [suite.rawValue, 0x5A5A],
                    extensions: [HelloExtension(type: 0x6A6A, data: [1, 2, 3])])
            ),
            (
                suite.isHybrid ? "all suites are offered" : "both suites are offered",
                HandshakeSample(suite: suite, suites: suite.isHybrid ? [4, 3, 2, 1] : [2, 1], label: "other")
            ),
        ]
        for (comment, sample) in variants {
            let made = try sample.make(samples)
            try cases.accept(comment, ["R7.2-1"], section: "9.3", features: suite.features, made.inputs)
        }
        // The peer's key with its highest bit set, and with a value of 2^255 − 19 or more, is the same number.
        var sample = HandshakeSample(suite: suite, label: "high bit")
        sample.setsHighBit = true
        try cases.accept(
            "the highest bit of the responder's key is ignored by X25519, and hashed as it is sent", ["R9.4-1"],
            flags: ["NonCanonicalKey"], section: "9.4", features: suite.features,
            try sample.make(samples).initiatorOnly)
    }

    private func negative(_ cases: CaseWriter, _ suite: Suite) throws {
        let made = try HandshakeSample(suite: suite).make(samples)
        func refuse(
            _ flag: String, _ comment: String, _ requirements: [String], _ inputs: JSONValue,
            also flags: [String] = [], section: String = "9.3"
        ) throws {
            try cases.reject(
                "handshake_failed", flag, comment, requirements, section: section, features: suite.features,
                also: flags, inputs)
        }
        try refuse(
            "ModifiedConfirmation", "the last bit of the confirmation is flipped", ["R9.3-1"],
            made.tampered { $0[$0.count - 1] ^= 1 })
        try refuse(
            "ModifiedConfirmation", "the confirmation is zero", ["R9.3-1"],
            made.tampered { bytes in for index in bytes.indices.suffix(16) { bytes[index] = 0 } })
        try refuse(
            "WrongKey", "another ephemeral of the responder's", ["R9.3-1"],
            made.tampered { $0.replaceSubrange(($0.count - 48)..<($0.count - 16), with: samples.bytes32("a key")) })
        var changed = HandshakeSample(suite: suite)
        changed.suites = [suite.rawValue, 0x0A0A]
        try refuse(
            "ModifiedPrologue", "the responder saw another list of suites", ["R9.3-1"],
            made.withInitiator(try changed.make(samples)), section: "9.1")
        changed = HandshakeSample(suite: suite)
        changed.responderSuite = suite.usesAESGCM ? .chaChaPoly : .aesGCM
        try refuse(
            "WrongSuite", "the confirmation is of the other suite", ["R9.3-1"],
            made.withConfirmation(try changed.make(samples)))
        if suite.isHybrid {
            try refuse(
                "ModifiedCiphertext", "a bit of the ciphertext is flipped", ["R9.3-1"],
                made.tampered { $0[$0.count - ResponderHello.noiseLength - 1] ^= 1 }, section: "7.6")
            changed = HandshakeSample(suite: suite)
            changed.changesSecret = true
            try refuse(
                "WrongSecret", "the confirmation is made with the secret of another ciphertext", ["R9.3-1"],
                try changed.make(samples).initiatorOnly, section: "7.6")
        }
        for (index, point) in LowOrderPoint.inOrder.enumerated() {
            try refuse(
                "LowOrderKey", "low-order point \(index) as the responder's key", ["R9.4-1"],
                made.tampered { $0.replaceSubrange(($0.count - 48)..<($0.count - 16), with: point) }, section: "9.4")
        }
        for (index, point) in LowOrderPoint.inOrder.enumerated() {
            try refuse(
                "LowOrderKey", "low-order point \(index) as the initiator's key", ["R9.4-1"],
                made.responderOnly { $0.replaceSubrange(($0.count - 32)..<$0.count, with: point) },
                also: ["ResponderFails"], section: "9.4")
        }
    }
}

/// One handshake with fixed keys.
struct HandshakeSample {
    var suite: Suite
    var versions: [UInt16] = [ProtocolVersion.draft04.rawValue]
    var suites: [UInt16]?
    var extensions: [HelloExtension] = []
    var label = "noise"
    /// What the responder really uses.
    var responderSuite: Suite?
    var setsHighBit = false
    /// Whether the responder computes with another secret than its ciphertext has.
    var changesSecret = false

    init(
        suite: Suite, versions: [UInt16] = [ProtocolVersion.draft04.rawValue], suites: [UInt16]? = nil,
        extensions: [HelloExtension] = [],
        label: String = "noise"
    ) {
        self.suite = suite
        self.versions = versions
        self.suites = suites
        self.extensions = extensions
        self.label = label
    }

    struct Made {
        var initiatorPrivate: [UInt8]
        var responderPrivate: [UInt8]
        var kemSeed: [UInt8]?
        var kemSecret: [UInt8]?
        var initiatorOpening: [UInt8]
        var responderOpening: [UInt8]

        var inputs: JSONValue {
            .members([
                "initiatorEphemeralPrivate": .hex(initiatorPrivate),
                "responderEphemeralPrivate": .hex(responderPrivate), "initiatorOpening": .hex(initiatorOpening),
                "responderOpening": .hex(responderOpening), "initiatorKemSeed": kemSeed.map(JSONValue.hex),
                "responderKemSecret": kemSecret.map(JSONValue.hex),
            ])
        }

        /// As the initiator judges it.
        var initiatorOnly: JSONValue {
            .members([
                "initiatorEphemeralPrivate": .hex(initiatorPrivate), "initiatorOpening": .hex(initiatorOpening),
                "responderOpening": .hex(responderOpening), "initiatorKemSeed": kemSeed.map(JSONValue.hex),
            ])
        }

        /// As the initiator judges it when the responder's opening is another.
        func tampered(_ change: (inout [UInt8]) -> Void) -> JSONValue {
            var other = self
            change(&other.responderOpening)
            return other.initiatorOnly
        }

        /// As the responder judges it when the initiator's opening is another.
        func responderOnly(_ change: (inout [UInt8]) -> Void) -> JSONValue {
            var opening = initiatorOpening
            change(&opening)
            return .members([
                "responderEphemeralPrivate": .hex(responderPrivate), "initiatorOpening": .hex(opening),
                "responderOpening": .hex(responderOpening), "responderKemSecret": kemSecret.map(JSONValue.hex),
            ])
        }

        /// The responder's opening belongs to another hello.
        func withInitiator(_ other: Made) -> JSONValue {
            var mixed = self
            mixed.initiatorOpening = other.initiatorOpening
            return mixed.initiatorOnly
        }

        func withConfirmation(_ other: Made) -> JSONValue {
            tampered { $0.replaceSubrange(($0.count - 16)..<$0.count, with: other.responderOpening.suffix(16)) }
        }
    }

    func make(_ samples: Samples) throws -> Made {
        let (first, second) = (samples.bytes32("\(label) initiator"), samples.bytes32("\(label) responder"))
        let shares =
            suite.isHybrid ? [HelloExtension(type: HybridShare.type, data: try samples.encapsulationKey())] : []
        let hello = InitiatorHello(
            versions: versions, suites: suites ?? [suite.rawValue], extensions: shares + extensions,
            ephemeral: try samples.publicKey(first))
        let opening = ClearRecord.opening(.hello, body: hello.body())
        let peer = try samples.peer(.responder, seed: second, ephemeral: second)
        if setsHighBit { peer.ephemeralKey = .highBit }
        if suite.isHybrid {
            let made = try samples.encapsulated()
            peer.encapsulated = (made.ciphertext, changesSecret ? samples.bytes32("another secret") : made.secret)
        }
        try peer.receive(opening)
        try peer.sendAnswer(.init(suite: suite.rawValue, algorithm: responderSuite))
        return Made(
            initiatorPrivate: first, responderPrivate: second, kemSeed: suite.isHybrid ? samples.kemSeed : nil,
            kemSecret: peer.encapsulated?.secret, initiatorOpening: opening,
            responderOpening: peer.flush())
    }
}

extension LowOrderPoint {
    /// All of them, in the order of the vectors.
    static let inOrder: [[UInt8]] = [0, 1, 5, 6, 2, 3, 4].map { all[$0].bytes }
}
