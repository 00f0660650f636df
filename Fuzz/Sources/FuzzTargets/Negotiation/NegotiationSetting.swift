import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

/// How the honest link of a run is set: the first three bytes of an input.
struct NegotiationSetting {
    let crypto: CryptoKind
    let suites: [Suite]
    let isBusy: Bool
    let sendsGrease: Bool
    let piece: Int
    let seed: UInt64

    static let start = Instant(nanoseconds: 1_000_000_000)

    init(_ choices: inout Choices) {
        let flags = choices.byte()
        crypto = [.summed, .ignored, .real, .ignored][Int(flags & 3)]
        suites = [[.chaChaPoly, .aesGCM], [.aesGCM, .chaChaPoly], [.chaChaPoly], [.aesGCM]][Int(flags >> 2 & 3)]
        isBusy = flags >> 4 == 15
        sendsGrease = flags & 0x10 == 0
        piece = Int(choices.byte())
        seed = UInt64(choices.byte())
    }

    func link(_ role: LinkRole) -> SimulatedPeer {
        var configuration = Persona.anna.configuration(crypto)
        configuration.suites = suites
        configuration.refusesAsBusy = isBusy
        configuration.sendsGrease = sendsGrease
        let link = Link(
            role: role, configuration: configuration, random: SeededRandomSource(seed: seed), now: Self.start)
        return SimulatedPeer(link: link, script: .passive)
    }

    /// Magic and one clear record with any body, in pieces.
    func feed(_ kind: UInt8, _ body: [UInt8], to peer: inout SimulatedPeer) {
        feed(
            [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00, kind]
                + [UInt8(body.count / 256), UInt8(body.count % 256)] + body, to: &peer)
    }

    func feed(_ stream: [UInt8], to peer: inout SimulatedPeer) {
        let length = piece == 0 ? stream.count : piece
        for start in stride(from: 0, to: stream.count, by: max(length, 1)) {
            let end = min(stream.count, start + length)
            peer.link.receive(stream.span.extracting(start..<end), at: Self.start)
        }
        peer.drain(at: Self.start)
    }

    /// Whether a key agreement with this public key gives 32 zero bytes (SPEC §9.4): the points of small order of
    /// RFC 7748's curve, in every encoding, or with insecure keys the own one.
    func isWeak(_ ephemeral: [UInt8], own: [UInt8]) -> Bool {
        guard crypto == .real else { return ephemeral == own }
        var key = ephemeral
        key[31] &= 0x7F
        return Self.smallOrder.contains(key)
    }

    /// What X25519 takes from this run's randomness first. With insecure keys that is the public key as well.
    var firstRandomBytes: [UInt8] {
        var random: any RandomSource = SeededRandomSource(seed: seed)
        return random.bytes(32)
    }

    private static let smallOrder: Set<[UInt8]> = {
        let full = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let zeros = [UInt8](repeating: 0, count: 31)
        let ofOrderEight = [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ].compactMap(Hexadecimal.decode)
        return Set([[0x00] + zeros, [0x01] + zeros, [0xEC] + full, [0xED] + full, [0xEE] + full] + ofOrderEight)
    }()
}
