internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// `pairing/code-exchange`: SPEC §25.5.
struct CodeExchangeFile {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }
    private var primitives: PairingPrimitives { subject.crypto.sodium.pairing }

    func write() throws -> CaseWriter {
        let cases = CaseWriter(
            "pairing/code-exchange", topic: "pairing-exchange", type: .codeExchange, section: "25.5", subject: subject)
        for role in [CPaceRole.initiator, .responder] {
            cases.group(["role": .string(role == .initiator ? "typist" : "presenter")])
            try positive(cases, role)
            try shares(cases, role)
            try wrong(cases, role)
        }
        return cases
    }

    /// What a peer brings into an attempt.
    private struct Side {
        var link = PairingLink()
        var typist = LinkRole.initiator
        var code = "4-tulip-orbit"
        var random: [UInt8]
        var data: [UInt8]
    }

    private var typist: Side { Side(random: samples.bytes32("typist's y"), data: [4, 0]) }
    private var presenter: Side { Side(random: samples.bytes32("presenter's y"), data: [0]) }

    private func side(_ role: CPaceRole) -> Side { role == .initiator ? typist : presenter }

    // MARK: Cases

    private func positive(_ cases: CaseWriter, _ role: CPaceRole) throws {
        let shown = ["R25.5-2", "R25.5-3"] + (role == .responder ? ["R25.5-4"] : [])
        func accept(_ comment: String, _ change: (inout Side) -> Void) throws {
            var (own, peer) = (side(role), side(role.other))
            change(&own)
            change(&peer)
            // Each has its own randomness and data, whatever the change.
            try cases.accept(comment, shown, inputs(role, own, try play(role, own, peer)))
        }
        try accept("one code") { _ in }
        try accept("the responder of the link types") { $0.typist = .responder }
        for (comment, link) in PairingLink.others { try accept(comment) { $0.link = link } }
        try accept("the shortest code") { $0.code = "1-acorn-acorn" }
        try accept("the longest code") { $0.code = "999-apricot-orchard" }
        var (own, peer) = (side(role), side(role.other))
        (own.data, peer.data) = ([], samples.bytes(1_026, "data"))
        try cases.accept("no data, and 1,026 bytes of the peer's", shown, inputs(role, own, try play(role, own, peer)))
        own = side(role)
        own.random = [UInt8](repeating: 0xFF, count: 32)
        try cases.accept(
            "the greatest y", shown, inputs(role, own, try play(role, own, side(role.other))))
    }

    private func shares(_ cases: CaseWriter, _ role: CPaceRole) throws {
        let good = try play(role, side(role), side(role.other))
        for (comment, flag, share) in try badShares(good.share.rawBytes) {
            var answer = good
            answer.share = share
            try cases.reject(
                "malformed", flag, "\(comment) as the share", ["R25.5-2"], inputs(role, side(role), answer))
        }
    }

    private func wrong(_ cases: CaseWriter, _ role: CPaceRole) throws {
        let shown = ["R25.5-3"] + (role == .responder ? ["R25.5-4"] : [])
        let own = side(role)
        func refuse(_ flag: String, _ comment: String, _ answer: Answer) throws {
            try cases.reject("code_wrong", flag, comment, shown, inputs(role, own, answer))
        }
        for (comment, code) in [
            ("another first word", "4-acorn-orbit"), ("another second word", "4-tulip-acorn"),
            ("another number", "5-tulip-orbit"), ("the words exchanged", "4-orbit-tulip"),
        ] {
            var peer = side(role.other)
            peer.code = code
            try refuse("WrongCode", comment, try play(role, own, peer))
        }
        for (comment, link) in PairingLink.others {
            var peer = side(role.other)
            peer.link = link
            try refuse("WrongTranscript", "the peer is on a link with \(comment)", try play(role, own, peer))
        }
        var peer = side(role.other)
        peer.typist = .responder
        try refuse("WrongTranscript", "the peer takes the other one for the typist", try play(role, own, peer))
        let good = try play(role, own, side(role.other))
        for (comment, change) in Self.changes { try refuse("ModifiedTag", comment, good.changed(change)) }
        for (comment, data) in [("another byte", own.data + [1]), ("none", [])] {
            var answer = good
            answer.data = data
            try refuse("WrongTranscript", "the peer's data with \(comment)", answer)
        }
        try reflections(role, own, refuse)
    }

    /// What comes back to its sender.
    private func reflections(
        _ role: CPaceRole, _ own: Side, _ refuse: (String, String, Answer) throws -> Void
    ) throws {
        try refuse("Reflected", "the own share and confirmation come back", try play(role, own, own, isMirror: true))
        var answer = try play(role, own, side(role.other))
        answer.confirmation = answer.ownConfirmation
        try refuse("Reflected", "the own confirmation comes back", answer)
    }

    private static var changes: [(String, (inout [UInt8]) -> Void)] {
        [
            ("the first bit of the confirmation", { $0[0] ^= 0x80 }), ("its last bit", { $0[31] ^= 1 }),
            ("a confirmation of zeros", { $0 = [UInt8](repeating: 0, count: 32) }),
        ]
    }

    /// Encodings that RFC 9496 §4.3.1 refuses, and the identity.
    private func badShares(_ good: [UInt8]) throws -> [(String, String, GroupElement)] {
        // 2^255 − 19, little-endian.
        let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        var (next, highBit, negative) = (prime, good, good)
        next[0] = 0xEE
        highBit[31] |= 0x80
        negative[0] |= 1
        return try [
            ("the identity", "SmallOrderPoint", [UInt8](repeating: 0, count: 32)),
            ("the identity in another encoding", "NonCanonicalPoint", prime),
            ("a number above the field", "NonCanonicalPoint", next),
            ("2^256 − 1", "NonCanonicalPoint", [UInt8](repeating: 0xFF, count: 32)),
            ("a share with its highest bit set", "NonCanonicalPoint", highBit),
            ("a negative number", "NonCanonicalPoint", [1] + [UInt8](repeating: 0, count: 31)),
            ("an odd number", "NonCanonicalPoint", negative),
            ("an even number that is no element", "NoElement", try noElement(near: good)),
        ].map { ($0.0, $0.1, try GroupElement(rawBytes: $0.2)) }
    }

    /// The first even number after an element that is none.
    private func noElement(near good: [UInt8]) throws -> [UInt8] {
        var bytes = good
        for _ in 0..<128 {
            bytes[0] &+= 2
            let one = [1] + [UInt8](repeating: 0, count: 31)
            let scalar = try primitives.group.makeScalar(rawBytes: one.span)
            let product = try? primitives.group.multiply(scalar, by: GroupElement(rawBytes: bytes)).count
            if product == nil { return bytes }
        }
        throw GeneratorFault.cannotBuild("bytes that are no element")
    }

    // MARK: The remote peer

    /// What the peer sends.
    private struct Answer {
        var share: GroupElement
        var data: [UInt8]
        var confirmation: [UInt8]
        /// What the peer that is asked sends itself.
        var ownConfirmation: [UInt8]

        func changed(_ change: (inout [UInt8]) -> Void) -> Answer {
            var other = self
            change(&other.confirmation)
            return other
        }
    }

    /// Plays the peer of `own`, which has its own view of the link and of the code. A mirror sends what was sent to it.
    private func play(_ role: CPaceRole, _ own: Side, _ peer: Side, isMirror: Bool = false) throws -> Answer {
        let (ownMessage, peerMessage) = (try message(own), try message(peer))
        let ordered = role == .initiator ? (ownMessage, peerMessage) : (peerMessage, ownMessage)
        let key = try confirmationKey(peer, with: ownMessage, ordered)
        let ownKey = try confirmationKey(own, with: peerMessage, ordered)
        let transcript = CPaceSteps.transcript(ordered.0, ordered.1)
        func confirmation(_ role: CPaceRole, _ key: borrowing Secret) throws -> [UInt8] {
            let secret = try CPaceSteps.confirmation(of: role, key, transcript: transcript, primitives)
            return secret.withBytes { [UInt8](copying: $0) }
        }
        let ownConfirmation = try confirmation(role, ownKey)
        return Answer(
            share: peerMessage.share, data: peerMessage.associatedData,
            confirmation: isMirror ? ownConfirmation : try confirmation(role.other, key),
            ownConfirmation: ownConfirmation)
    }

    private func context(_ side: Side) throws -> CPaceContext {
        let exports = try LinkExports(Arguments(.object(side.link.inputs(samples)), "inputs"), crypto: subject.crypto)
        let (one, other) = (exports.initiator, exports.responder)
        return CPaceContext(
            sessionIdentifier: try exports.secret(CPaceContext.exportLabel),
            typist: side.typist == .initiator ? one : other, presenter: side.typist == .initiator ? other : one)
    }

    private func message(_ side: Side) throws -> CPaceMessage {
        var random: any RandomSource = ReplayedRandomness(side.random)
        guard let code = OneTimeCode(typed: side.code) else { throw GeneratorFault.cannotBuild(side.code) }
        let generator = try CPaceSteps.generator(
            try code.password(in: primitives.secrets), try context(side), primitives)
        let scalar = try primitives.group.makeScalar(random: &random)
        return CPaceMessage(
            share: try primitives.group.multiply(scalar, bySecret: generator), associatedData: side.data)
    }

    private func confirmationKey(
        _ side: Side, with other: CPaceMessage, _ ordered: (CPaceMessage, CPaceMessage)
    ) throws -> Secret {
        var random: any RandomSource = ReplayedRandomness(side.random)
        let context = try context(side)
        let product = try primitives.group.multiply(
            try primitives.group.makeScalar(random: &random), by: other.share)
        let transcript = CPaceSteps.transcript(ordered.0, ordered.1)
        let intermediate = try CPaceSteps.intermediateKey(product, context, transcript: transcript, primitives)
        return try CPaceSteps.confirmationKey(intermediate, context, primitives)
    }

    private func inputs(_ role: CPaceRole, _ own: Side, _ answer: Answer) -> JSONValue {
        .object(
            own.link.inputs(samples).merging([
                "typist": .string(own.typist.name), "code": .hex(Array(own.code.utf8)), "random": .hex(own.random),
                "data": .hex(own.data), "peerShare": .hex(answer.share.rawBytes), "peerData": .hex(answer.data),
                "peerConfirmation": .hex(answer.confirmation),
            ]) { own, _ in own })
    }
}

extension CPaceRole {
    fileprivate var other: CPaceRole { self == .initiator ? .responder : .initiator }
}
