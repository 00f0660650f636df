@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerTesting
internal import MultipeerWire

/// What one change makes impossible to reach is made good again, as an attacker that has the keys could: signatures,
/// tags, and what one member says about another.
struct Repairs {
    let crypto: SwiftCrypto
    private var steps: NoiseSteps { NoiseSteps(crypto: crypto.provider) }

    init(crypto: SwiftCrypto) { self.crypto = crypto }

    func repair(
        _ inputs: inout [String: JSONValue], of group: VectorGroupType, _ params: JSONValue, _ dice: inout Dice
    ) {
        switch group {
        case .proof: proof(&inputs, params, &dice)
        case .recordProtection: records(&inputs, params, &dice)
        case .handshake: handshake(&inputs, params, &dice)
        case .crossingInvitations:
            // Nobody invites itself: [R9.5-3].
            if inputs["one"] == inputs["other"] { inputs["one"] = .hex(dice.bytes(32)) }
        default: break
        }
    }

    /// A proof is signed anew where the seed is known; otherwise nobody can be asked to make it again.
    private func proof(_ inputs: inout [String: JSONValue], _ params: JSONValue, _ dice: inout Dice) {
        let seed = inputs.removeValue(forKey: "seed")
        guard let seed, dice.once(in: 2), let role = params["verifierRole"]?.text.flatMap(LinkRole.init(name:)),
            let hash = inputs["handshakeHash"]?.decodedBytes, hash.count == 32,
            let identity = try? crypto.identity(seed: seed.decodedBytes)
        else { return }
        let message = SignedBytes.proof(
            role: role.peer.stream, hash: hash, key: identity.identityKey.rawBytes,
            peer: inputs["ownIdentity"]?.decodedBytes ?? [])
        guard let signature = try? identity.sign(message.span) else { return }
        inputs["payload"] = .hex(identity.identityKey.rawBytes + signature)
        inputs["seed"] = seed
    }

    /// Records that open under the old key and counter are sealed under the new ones, in the order in which they now
    /// are.
    private func records(_ inputs: inout [String: JSONValue], _ params: JSONValue, _ dice: inout Dice) {
        inputs["genuine"] = nil
        guard !dice.once(in: 3), let suite = params["suite"]?.number.flatMap({ Suite(rawValue: UInt16($0)) }),
            var sealer = RecordStreamSealer(
                crypto: crypto, suite: suite, key: inputs["key"]?.decodedBytes ?? [],
                counter: UInt64(inputs["counter"]?.text ?? "") ?? 0)
        else { return }
        let records = inputs["records"]?.elements ?? []
        inputs["records"] = .array(
            records.map { record in
                let wire = record.decodedBytes
                guard wire.count >= RecordHeader.length + aeadTagLength else { return record }
                // Any bytes serve as frames: nothing looks into them here.
                return .hex(sealer.seal(wire[0], frames: Array(wire.dropFirst(3).dropLast(aeadTagLength))))
            })
    }

    /// The ephemeral keys and the confirmation are put right again where both private keys are known.
    private func handshake(_ inputs: inout [String: JSONValue], _ params: JSONValue, _ dice: inout Dice) {
        let keys = ["initiatorEphemeralPrivate", "responderEphemeralPrivate"].compactMap { inputs[$0]?.decodedBytes }
        guard keys.count == 2, !dice.once(in: 4),
            let suite = params["suite"]?.number.flatMap({ Suite(rawValue: UInt16($0)) }),
            let publics = try? keys.map({ try steps.publicKey(of: $0) })
        else { return }
        let one = (inputs["initiatorOpening"]?.decodedBytes ?? []).dropLast(InitiatorHello.noiseLength) + publics[0]
        let head = (inputs["responderOpening"]?.decodedBytes ?? []).dropLast(ResponderHello.noiseLength)
        guard min(one.count - 32, head.count) > Magic.bytes.count + RecordHeader.length else { return }
        guard
            let outcome = try? steps.run(
                suite: suite,
                prologue: SignedBytes.prologue(
                    initiator: one.dropLast(InitiatorHello.noiseLength), responder: Array(head)),
                initiatorKey: publics[0], responderKey: publics[1], shared: try steps.agree(keys[0], publics[1]))
        else { return }
        inputs["initiatorOpening"] = .hex(Array(one))
        inputs["responderOpening"] = .hex(head + publics[1] + outcome.confirmation)
    }
}
