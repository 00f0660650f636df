import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire

/// A payload of PROOF that somebody with a channel might send, before the input changes it.
enum ProofCandidate: Int, CaseIterable {
    case honest, ofBen, ownRole, reflected, victimsKey, strangersKey, otherHash, otherLabel, smallOrder, addedOrder
    case raw

    /// Its bytes.
    func payload(_ evil: ScriptedPeer, _ crypto: CryptoKind, _ choices: inout Choices) throws -> [UInt8] {
        switch self {
        case .honest: return bytes(try evil.proof())
        case .ofBen: return bytes(try evil.proof(by: Persona.ben.identity(crypto)))
        case .ownRole: return bytes(try evil.proof(role: evil.role.other))
        // A responder has proved itself before; an initiator has nothing yet that could be reflected.
        case .reflected: return try evil.payloads(of: .proof).first ?? bytes(try evil.proof(role: evil.role.other))
        case .victimsKey: return bytes(try evil.proof(showing: Persona.anna.identity(crypto).identityKey.rawBytes))
        case .strangersKey: return bytes(try evil.proof(showing: Persona.ben.identity(crypto).identityKey.rawBytes))
        case .otherHash: return bytes(try evil.proof(hash: [UInt8](repeating: choices.byte(), count: 32)))
        case .otherLabel: return bytes(try evil.proof(label: "multipeer/1 certificate binding"))
        case .smallOrder:
            let points = Self.pointsOfSmallOrder
            let (key, nonce) = (choices.pick(points), choices.pick(points))
            return key + nonce + [UInt8](repeating: 0, count: 32)
        case .addedOrder:
            let proof = try evil.proof()
            return proof.identityKey + proof.signature.prefix(32) + Self.addingOrder(Array(proof.signature.suffix(32)))
        case .raw: return choices.take(96)
        }
    }

    private func bytes(_ proof: Proof) -> [UInt8] { proof.identityKey + proof.signature }

    /// S + L: the same signature to a verifier that does not look (SPEC §9.6).
    private static func addingOrder(_ scalar: [UInt8]) -> [UInt8] {
        var carry = 0
        return zip(scalar, order).map { one, other in
            let sum = Int(one) + Int(other) + carry
            carry = sum / 256
            return UInt8(sum % 256)
        }
    }

    private static let order: [UInt8] =
        [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
        + [UInt8](repeating: 0, count: 15) + [0x10]

    /// Every encoding of a point of order 1, 2, 4 or 8 on edwards25519, canonical or not.
    private static let pointsOfSmallOrder: [[UInt8]] = {
        let zeros = [UInt8](repeating: 0, count: 31)
        let full = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let ofOrderEight = [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ].compactMap(Hexadecimal.decode)
        let positive = [[0x00] + zeros, [0x01] + zeros, [0xEC] + full, [0xED] + full, [0xEE] + full] + ofOrderEight
        return positive + positive.map { Array($0.dropLast()) + [$0[31] | 0x80] }
    }()
}
