import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerWire

/// The handshake hash by SPEC §9.1 to §9.3, from the bytes on the wire alone: it needs no secret.
enum ModelTranscript {
    /// Both openings are magic and HELLO record.
    static func handshakeHash(initiator: [UInt8], responder: [UInt8], suite: UInt16) -> [UInt8] {
        let (agreement, cipher) = (suite < 3 ? "25519" : "25519+MLKEM768", suite % 2 == 1 ? "ChaChaPoly" : "AESGCM")
        let name = Array("Noise_NN_\(agreement)_\(cipher)_SHA256".utf8)
        var hash = name.count > 32 ? mix(name, []) : name + [UInt8](repeating: 0, count: 32 - name.count)
        let prologue = Array("multipeer/1 prologue".utf8) + [0] + initiator.dropLast(32) + responder.dropLast(48)
        let message2 = Array(responder.suffix(48))
        for part in [prologue, initiator.suffix(32), [], Array(message2.prefix(32)), Array(message2.suffix(16))] {
            hash = mix(hash, Array(part))
        }
        return hash
    }

    /// The bytes that an identity key signs (SPEC §9.5).
    /// `other` is the responder's key, which an initiator knows and signs as well.
    static func signedBytes(role: UInt8, hash: [UInt8], key: [UInt8], other: [UInt8]) -> [UInt8] {
        Array("multipeer/1 identity proof".utf8) + [0, role] + hash + key + (role == 0 ? other : [])
    }

    private static func mix(_ hash: [UInt8], _ data: [UInt8]) -> [UInt8] {
        FuzzCrypto.sodium.hashing.hash(hash.span, data.span).rawBytes
    }
}
