@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// Identity proofs (SPEC §9.5, §9.6).
struct ProofGroup {
    let crypto: SwiftCrypto

    func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let role = LinkRole(name: try params.text("verifierRole")),
            let hash = try? Digest(rawBytes: try inputs.bytes("handshakeHash")),
            let own = try? IdentityKey(rawBytes: try inputs.bytes("ownIdentity")),
            let name = try? DisplayName("verifier")
        else { throw .badQuestion("params.verifierRole, inputs.handshakeHash, inputs.ownIdentity") }
        let payload = try inputs.bytes("payload")
        var configuration: LinkConfiguration
        do { configuration = try crypto.configuration(seed: [UInt8](repeating: 0, count: 32), name: name) } catch {
            throw .fault("\(error)")
        }
        // Only the public half of one's own identity is asked for, and the initiator's own proof is thrown away.
        configuration.identity = PublicIdentity(identityKey: own)
        if inputs.has("expectedPeer") {
            configuration.expectedPeer = try? IdentityKey(rawBytes: try inputs.bytes("expectedPeer"))
        }
        do {
            try VectorAccess.judgeProof(payload, role: role, handshakeHash: hash, configuration: configuration)
        } catch {
            let outcome = ReportedOutcome(LinkFailure(stage: .proof, cause: error))
            return .rejected(layer: outcome.layer, code: outcome.code, expected: [:])
        }
        return try accepted(payload, verifier: (role, own), hash, inputs)
    }

    /// What was signed; with the signer's seed the proof is made again.
    private func accepted(
        _ payload: [UInt8], verifier: (role: LinkRole, key: IdentityKey), _ hash: Digest, _ inputs: Arguments
    ) throws(SubjectFault) -> SubjectAnswer {
        guard let key = try? IdentityKey(rawBytes: Array(payload.prefix(32))) else {
            throw .inconsistent("accepts a proof without a key")
        }
        let message =
            verifier.role == .initiator
            ? VectorAccess.proofMessage(ofResponder: key, handshakeHash: hash)
            : VectorAccess.proofMessage(ofInitiator: key, meaning: verifier.key, handshakeHash: hash)
        if inputs.has("seed") {
            let seed = try inputs.bytes("seed")
            let again: [UInt8]
            do {
                let identity = try crypto.identity(seed: seed)
                again = identity.identityKey.rawBytes + (try identity.sign(message.span))
            } catch { throw .fault("\(error)") }
            try WireGroups.requireSame(again, payload)
        }
        return .accepted(["identityKey": .hex(key.rawBytes), "signedBytes": .hex(message)])
    }
}

/// The public half of an identity, where nothing is signed that anybody sees.
private struct PublicIdentity: IdentitySigner {
    let identityKey: IdentityKey

    func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] { [UInt8](repeating: 0, count: 64) }
}
