internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire

/// Fixed, reproducible values for vectors. Each follows from a label.
struct Samples {
    let crypto: SwiftCrypto

    /// Returns 32 bytes that nobody chose: SHA-256 of a label.
    func bytes32(_ label: String) -> [UInt8] { crypto.sha256(Array("multipeer vectors v1: \(label)".utf8)) }

    /// Returns this many bytes.
    func bytes(_ count: Int, _ label: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = 0
        while bytes.count < count {
            bytes += bytes32("\(label) \(block)")
            block += 1
        }
        return Array(bytes.prefix(count))
    }

    /// The X25519 public key of a private one.
    func publicKey(_ privateKey: [UInt8]) throws -> [UInt8] {
        try NoiseSteps(crypto: crypto.provider).publicKey(of: privateKey)
    }

    /// A scripted peer whose keys are fixed.
    func peer(_ role: StreamRole, seed: [UInt8], ephemeral: [UInt8]) throws -> ScriptedPeer {
        ScriptedPeer(
            role: role, identity: try crypto.identity(seed: seed), crypto: crypto.provider,
            random: ReplayedRandomness([]), ephemeral: ephemeral)
    }

    /// The identity key of a seed.
    func identityKey(seed: [UInt8]) throws -> [UInt8] { try crypto.identity(seed: seed).identityKey.rawBytes }
}
