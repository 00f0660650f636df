internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire

/// Signatures for which the equation of a lax verifier holds: only the one check that SPEC §9.6 asks for refuses them.
extension EdwardsForgeries {
    func verifying() throws -> [(flag: String, comment: String, payload: [UInt8])] {
        var cases: [(flag: String, comment: String, payload: [UInt8])] = []
        // nonCanonical[2] has large order: nobody can sign for it.
        for (index, key) in Self.nonCanonical.enumerated() where index != 2 {
            cases.append(
                (
                    flag: "NonCanonicalPoint", comment: "non-canonical key \(index), and the signature verifies",
                    payload: try signed(for: key)
                ))
        }
        for (index, key) in Self.smallOrder.enumerated() {
            cases.append(
                (
                    flag: "SmallOrderPoint",
                    comment: "key is small-order point \(index), R is not, and the signature verifies",
                    payload: try signed(for: key)
                ))
        }
        for (index, point) in Self.smallOrder.enumerated() {
            let equation = index == 1 ? "the signature verifies" : "the equation with cofactor holds"
            cases.append(
                (
                    flag: "SmallOrderPoint",
                    comment: "R is small-order point \(index) under an honest key, and \(equation)",
                    payload: try honest(point: point, nonce: EdwardsScalar(reducing: []))
                ))
        }
        cases.append(
            (
                flag: "CofactoredOnly", comment: "R has a part of small order",
                payload: try honest(point: Self.mixedOrder, nonce: EdwardsScalar(reducing: [7]))
            ))
        return cases
    }

    /// [7]B plus smallOrder[4].
    private static let mixedOrder =
        Hexadecimal.decode("e9b2fe981587efae6478f48ba1fa60cec6126d0e26dde72a0a24f640dcd783e5") ?? []

    /// k of RFC 8032 for a key that is shown as these bytes.
    private func challenge(_ point: [UInt8], _ key: [UInt8]) throws -> EdwardsScalar {
        let message = SignedBytes.proof(role: .responder, hash: hash, key: key, peer: [])
        return EdwardsScalar(reducing: try sha512(point, key, message))
    }

    private func sha512(_ first: [UInt8], _ middle: [UInt8], _ last: [UInt8]) throws -> [UInt8] {
        let secret = try samples.crypto.provider.secrets.makeSecret(copying: middle.span)
        return try samples.crypto.sodium.wideHashing.hash(first.span, secret, last.span).withBytes {
            [UInt8](copying: $0)
        }
    }

    /// The secret scalar of a seed.
    private func scalar(ofSeed seed: [UInt8]) throws -> EdwardsScalar {
        var clamped = Array(try sha512([], seed, []).prefix(32))
        clamped[0] &= 0xF8
        clamped[31] = clamped[31] & 0x3F | 0x40
        return EdwardsScalar(reducing: clamped)
    }

    /// Under a key of small order: with k a multiple of 8, [k]A is neutral, and R = [r]B with S = r fits.
    private func signed(for key: [UInt8]) throws -> [UInt8] {
        for attempt in 0..<1_000 {
            let nonce = samples.bytes32("forged nonce \(attempt)")
            let point = try samples.identityKey(seed: nonce)
            guard try challenge(point, key).bytes[0] % 8 == 0 else { continue }
            return key + point + (try scalar(ofSeed: nonce).bytes)
        }
        throw GeneratorFault.cannotBuild("no nonce for a key of small order")
    }

    /// S = r + ka of the honest key, whatever R is.
    private func honest(point: [UInt8], nonce: EdwardsScalar) throws -> [UInt8] {
        let key = try samples.identityKey(seed: seed)
        let scalar = nonce + (try challenge(point, key)) * (try scalar(ofSeed: seed))
        return key + point + scalar.bytes
    }
}
