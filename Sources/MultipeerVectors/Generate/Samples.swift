internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// Fixed, reproducible values for vectors: everything follows from a label.
struct Samples {
    let crypto: SwiftCrypto

    /// 32 bytes that nobody chose: SHA-256 of a label.
    func bytes32(_ label: String) -> [UInt8] { crypto.sha256(Array("multipeer vectors v1: \(label)".utf8)) }

    /// Any number of bytes.
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
        let key = try crypto.provider.agreement.makePrivateKey(rawBytes: privateKey.span)
        return try crypto.provider.agreement.publicKey(of: key).rawBytes
    }

    /// The identity key of a seed.
    func identityKey(seed: [UInt8]) throws -> [UInt8] { try crypto.identity(seed: seed).identityKey.rawBytes }
}

/// A value, written the way SPEC §3 says, for inputs that a correct writer would refuse to write.
enum Wire {
    static func varint(_ value: UInt64) -> [UInt8] {
        var writer = Writer()
        writer.varint(value)
        return writer.bytes
    }

    static func vector(_ content: [UInt8]) -> [UInt8] { varint(UInt64(content.count)) + content }

    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    static func values(_ values: [UInt16]) -> [UInt8] { vector(values.flatMap(u16)) }

    static func frame(_ type: UInt64, _ payload: [UInt8]) -> [UInt8] { varint(type) + vector(payload) }

    static func frame(_ type: FrameType, _ payload: [UInt8] = []) -> [UInt8] { frame(type.rawValue, payload) }

    static func record(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind] + u16(UInt16(body.count)) + body }

    static func field(_ type: UInt64, _ value: [UInt8]) -> [UInt8] { varint(type) + vector(value) }
}
