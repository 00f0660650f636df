import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire

/// What an attacker said until the honest peer knew its key: made once, then played from memory.
struct FramesFixture {
    let configuration: LinkConfiguration
    /// The attacker's hello, magic included.
    let opening: [UInt8]
    /// The attacker's PROOF, in its record.
    let proof: [UInt8]
    let binding: ModelBinding
    /// The attacker.
    let peer: IdentityKey

    static let start = Instant(nanoseconds: 1_000_000_000)
    /// Of the honest peer's role, and whether its key is the lesser one.
    static func of(_ role: LinkRole, isLesser: Bool, verifies: Bool) -> FramesFixture {
        all[(role == .initiator ? 0 : 1) + (isLesser ? 0 : 2) + (verifies ? 4 : 0)]
    }

    private static let all: [FramesFixture] = [false, true].flatMap { verifies in
        [
            make(.initiator, 0, verifies), make(.responder, 0, verifies), make(.initiator, 1, verifies),
            make(.responder, 1, verifies),
        ]
    }
    private static let provider = FuzzCrypto.insecure(.ignored)

    static func link(_ role: LinkRole, _ configuration: LinkConfiguration, verifies: Bool) -> Link {
        let random: any RandomSource = verifies ? ConstantRandomness() : SeededRandomSource(seed: 11)
        return Link(role: role, configuration: configuration, random: random, now: start)
    }

    private static func make(_ role: LinkRole, _ honest: Int, _ verifies: Bool) -> FramesFixture {
        do { return try record(role, honest, verifies) } catch { fatalError("the attacker cannot begin: \(error)") }
    }

    private static func record(_ role: LinkRole, _ honest: Int, _ verifies: Bool) throws -> FramesFixture {
        let (own, other) = (SessionFixtures.insecure[honest], SessionFixtures.insecure[1 - honest])
        var configuration = LinkConfiguration(
            identity: own, displayName: SessionFixtures.names[0], crypto: provider, bindingVerifier: InsecureBinding())
        configuration.suites = [.chaChaPoly, .aesGCM]
        configuration.sendsGrease = false
        configuration.offersVerification = verifies
        var link = link(role, configuration, verifies: verifies)
        let evil = ScriptedPeer(
            role: role.peer.stream, identity: other, crypto: provider, random: SeededRandomSource(seed: 12))
        if role == .responder { try evil.sendHello() }
        var opening = evil.flush()
        link.receive(opening.span, at: start)
        try evil.receive(FramesWire.output(of: &link))
        if role == .initiator {
            try evil.sendAnswer()
            opening = evil.flush()
        }
        try evil.send(try evil.proof())
        let proof = evil.flush()
        evil.peerKey = own.identityKey.rawBytes
        func export(_ label: String) throws -> [UInt8] {
            try evil.export(label: Array(label.utf8), context: [], length: 32)
        }
        let keys = [own.identityKey.rawBytes, other.identityKey.rawBytes]
        return FramesFixture(
            configuration: configuration, opening: opening, proof: proof,
            binding: ModelBinding(
                handshakeHash: evil.handshakeHash, initiator: keys[role == .initiator ? 0 : 1],
                responder: keys[role == .initiator ? 1 : 0], stringKey: try export("multipeer/1 short string"),
                codeIdentifier: try export("multipeer/1 one-time code")),
            peer: other.identityKey)
    }
}

/// Records whose protection is null: what a link says can be read, and what an attacker says needs no key.
enum FramesWire {
    /// All that a link has to send.
    static func output(of link: inout Link, at now: Instant = FramesFixture.start) -> [UInt8] {
        var bytes: [UInt8] = []
        var isMoving = true
        while isMoving, link.hasOutput {
            let before = bytes.count
            bytes.append(addingCapacity: 65_535) { (output: inout OutputSpan<UInt8>) in
                link.transmit(into: &output, at: now)
            }
            isMoving = bytes.count > before
        }
        return bytes
    }

    static func record(_ plaintext: [UInt8], isAuthenticated: Bool) -> [UInt8] {
        let length = plaintext.count + 16
        return [isAuthenticated ? 0x11 : 0x10, UInt8(length / 256), UInt8(length % 256)] + plaintext
            + [UInt8](repeating: 0, count: 16)
    }

    /// Frames of protected records, each with the kind of its record.
    static func frames(in bytes: [UInt8]) throws(OracleFailure) -> [(isAuthenticated: Bool, frame: ModelSent)] {
        var frames: [(isAuthenticated: Bool, frame: ModelSent)] = []
        var rest = bytes[...]
        while let kind = rest.first {
            let header = Array(rest.prefix(3))
            try require(kind == 0x10 || kind == 0x11, "a record of kind \(kind)")
            try require(header.count == 3, "half a record")
            let length = Int(header[1]) * 256 + Int(header[2])
            try require(length >= 18 && rest.count >= length + 3, "a record of \(length) bytes")
            let plaintext = Array(rest.dropFirst(3).prefix(length - 16))
            let walked = ModelFrames(plaintext.span)
            try require(walked.fault == nil, "a record that does not decode")
            let types = walked.frames.map(\.type)
            try requirePadding(types, isAuthenticated: kind == 0x11, length + 3, of: walked.frames.map(\.payload.count))
            frames += walked.frames.filter { $0.type != 0x01 }.map { (kind == 0x11, ModelSent($0.type, $0.payload)) }
            rest = rest.dropFirst(length + 3)
        }
        return frames
    }

    /// R6.5-1: frames of the handshake are padded, and no more than is needed.
    private static func requirePadding(
        _ types: [UInt64], isAuthenticated: Bool, _ length: Int, of payloads: [Int]
    ) throws(OracleFailure) {
        // Frames of §25 may be in records of an open link as well, which has no padding.
        let isVerifying = types.contains(where: ModelVerification.isFrame) && types.contains(0x01)
        let isHandshake = isVerifying || types.contains { (0x02...0x10).contains($0) }
        if types.contains(where: ModelVerification.isFrame), !isHandshake { return }
        let padding = zip(types, payloads).filter { $0.0 == 0x01 }
        guard isHandshake, !types.contains(0x00), !isAuthenticated else {
            return try require(padding.isEmpty, "padding in a record of \(types)")
        }
        let multiple = types.contains(0x0E) ? 4_096 : 1_024
        try require(length % multiple == 0, "a record of \(length) bytes with \(types)")
        try require(padding.allSatisfy { $0.1 <= multiple }, "more padding than is needed")
    }
}
