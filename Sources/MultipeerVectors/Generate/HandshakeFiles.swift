internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// `handshake/`: SPEC §9.
struct HandshakeFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [try noise().file(), try ProofFile(subject: subject).cases().file()]
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

    private func features(_ suite: Suite) -> [String] { suite == .aesGCM ? ["suite-aesgcm"] : [] }

    private func positive(_ cases: CaseWriter, _ suite: Suite) throws {
        let variants: [(String, HandshakeSample)] = [
            ("one version, the suite alone", HandshakeSample(suite: suite)),
            (
                "GREASE in the hello is in the prologue",
                HandshakeSample(
                    suite: suite, versions: [0x4A4A, 1], suites: [suite.rawValue, 0x5A5A],
                    extensions: [HelloExtension(type: 0x6A6A, data: [1, 2, 3])])
            ),
            ("both suites are offered", HandshakeSample(suite: suite, suites: [2, 1], label: "other")),
        ]
        for (comment, sample) in variants {
            let made = try sample.make(samples)
            try cases.accept(comment, ["R7.2-1"], section: "9.3", features: features(suite), made.inputs)
        }
        // The peer's key with its highest bit set, and with a value of 2^255 − 19 or more, is the same number.
        var sample = HandshakeSample(suite: suite, label: "high bit")
        sample.setsHighBit = true
        try cases.accept(
            "the highest bit of the responder's key is ignored by X25519, and hashed as it is sent", ["R9.4-1"],
            flags: ["NonCanonicalKey"], section: "9.4", features: features(suite),
            try sample.make(samples).initiatorOnly)
    }

    private func negative(_ cases: CaseWriter, _ suite: Suite) throws {
        let made = try HandshakeSample(suite: suite).make(samples)
        func refuse(
            _ flag: String, _ comment: String, _ requirements: [String], _ inputs: JSONValue,
            also flags: [String] = [], section: String = "9.3"
        ) throws {
            try cases.reject(
                "handshake_failed", flag, comment, requirements, section: section, features: features(suite),
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
        changed.responderSuite = suite == .aesGCM ? .chaChaPoly : .aesGCM
        try refuse(
            "WrongSuite", "the confirmation is of the other suite", ["R9.3-1"],
            made.withConfirmation(try changed.make(samples)))
        for (index, point) in LowOrderPoints.all.enumerated() {
            try refuse(
                "LowOrderKey", "low-order point \(index) as the responder's key", ["R9.4-1"],
                made.tampered { $0.replaceSubrange(($0.count - 48)..<($0.count - 16), with: point) }, section: "9.4")
        }
        for (index, point) in LowOrderPoints.all.enumerated() {
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
    var versions: [UInt16] = [1]
    var suites: [UInt16]?
    var extensions: [HelloExtension] = []
    var label = "noise"
    /// What the responder really uses.
    var responderSuite: Suite?
    var setsHighBit = false

    init(
        suite: Suite, versions: [UInt16] = [1], suites: [UInt16]? = nil, extensions: [HelloExtension] = [],
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
        var initiatorOpening: [UInt8]
        var responderOpening: [UInt8]

        var inputs: JSONValue {
            [
                "initiatorEphemeralPrivate": .hex(initiatorPrivate),
                "responderEphemeralPrivate": .hex(responderPrivate), "initiatorOpening": .hex(initiatorOpening),
                "responderOpening": .hex(responderOpening),
            ]
        }

        /// As the initiator judges it.
        var initiatorOnly: JSONValue {
            [
                "initiatorEphemeralPrivate": .hex(initiatorPrivate), "initiatorOpening": .hex(initiatorOpening),
                "responderOpening": .hex(responderOpening),
            ]
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
            return [
                "responderEphemeralPrivate": .hex(responderPrivate), "initiatorOpening": .hex(opening),
                "responderOpening": .hex(responderOpening),
            ]
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
        let hello = InitiatorHello(
            versions: versions, suites: suites ?? [suite.rawValue], extensions: extensions,
            ephemeral: try samples.publicKey(first))
        let opening = ClearRecord.opening(.hello, body: hello.body())
        var replyKey = try samples.publicKey(second)
        if setsHighBit { replyKey[31] |= 0x80 }
        let made = try NoisePeer(samples: samples).reply(
            to: opening, suite: suite, algorithm: responderSuite ?? suite, privateKey: second, publicKey: replyKey)
        return Made(
            initiatorPrivate: first, responderPrivate: second, initiatorOpening: opening,
            responderOpening: made.opening)
    }
}

/// The points of small order that X25519 implementations must refuse (RFC 7748 §6.1 and the curve's twist).
enum LowOrderPoints {
    static let all: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        Hexadecimal.decode("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800") ?? [],
        Hexadecimal.decode("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157") ?? [],
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]
}
