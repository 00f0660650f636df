import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// Honest links against evil peers, all seeded.
enum Duels {
    static let start = Instant(nanoseconds: 5_000_000_000)

    /// An honest link that has not received anything. Nothing is decided by script.
    static func make(
        honest role: LinkRole, honestSeed: UInt64 = 1, evilSeed: UInt64 = 2, suites: [Suite] = Suite.classical,
        script: SimulatedPeer.Script = .passive,
        adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> Duel {
        var configuration = try Peers.configuration("Honest", seed: honestSeed, suites: suites)
        adjust(&configuration)
        let link = Link(role: role, configuration: configuration, random: SeededRandomSource(seed: 11), now: start)
        let evil = ScriptedPeer(
            role: role.peer.stream, identity: try Peers.identity(evilSeed), crypto: Peers.crypto,
            random: SeededRandomSource(seed: 12))
        return Duel(
            honest: SimulatedPeer(link: link, script: script), key: try Peers.identity(honestSeed).identityKey,
            evil: evil, now: start)
    }

    /// One that has come to a place.
    static func at(
        _ place: Duel.Place, honest role: LinkRole, preference: EncryptionPreference = .optional,
        script: SimulatedPeer.Script = .passive,
        adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> Duel {
        // Where invitations cross the honest peer's must win, so its key is the lesser one.
        let (lesser, greater) = try Peers.seedsByKey()
        let duel = try make(honest: role, honestSeed: lesser, evilSeed: greater, script: script, adjust: adjust)
        try duel.reach(place, preference: preference)
        return duel
    }

    /// ADMIT of the evil peer, as the founder of the session to which it invites.
    static func admission(by evil: ScriptedPeer) throws -> Admit {
        Admit(chain: [try admission(of: evil.peerKey ?? [], to: evil.ownCharter, by: evil.identity)])
    }

    /// An admission of a key to a session (SPEC §14.2).
    static func admission(of key: [UInt8], to charter: Charter, by seed: UInt64) throws -> Admission {
        try admission(of: key, to: charter, by: try Peers.identity(seed))
    }

    static func admission(of key: [UInt8], to charter: Charter, by signer: any IdentitySigner) throws -> Admission {
        let nothing: [UInt8] = []
        let signed = SignedBytes.session(charter: charter.encoded)
        let session = Peers.crypto.hashing.hash(signed.span, nothing.span).rawBytes
        let message = Array("multipeer/1 admission".utf8) + [0] + session + key
        return Admission(admitter: signer.identityKey.rawBytes, signature: try signer.sign(message.span))
    }

    /// An entry whose signature is none.
    static let unsignedEntry = RosterEntry(
        RosterEntry.Content(member: [UInt8](repeating: 7, count: 32), instance: 1, sequence: 0),
        signature: [UInt8](repeating: 9, count: 64))

    /// Sends frames in one record and carries all bytes.
    static func poke(_ duel: Duel, _ frames: [UInt8], as kind: RecordKind = .encrypted) throws {
        try duel.evil.send(frames, as: kind)
        try duel.exchange()
    }
}

extension Peers {
    /// The identity key of a seed.
    static func key(_ seed: UInt64) throws -> IdentityKey { try identity(seed).identityKey }

    /// Seeds 1 and 2, the one with the lesser identity key first.
    static func seedsByKey() throws -> (lesser: UInt64, greater: UInt64) {
        try key(1) < key(2) ? (1, 2) : (2, 1)
    }
}

/// The honest peer failed so, its app heard so, and the evil peer heard so.
func expectFailure(
    _ duel: Duel, _ cause: LinkFailureCause, at stage: LinkStage, told code: CloseCode?,
    _ location: SourceLocation = #_sourceLocation
) {
    #expect(duel.failure == LinkFailure(stage: stage, cause: cause), sourceLocation: location)
    #expect(duel.evil.closeCode == code, sourceLocation: location)
    expectSoundEnd(duel, location)
}

/// R16.1-1 and the contract of effects: one end, nothing after it, CLOSE last, nothing to wait for but the closing.
func expectSoundEnd(_ duel: Duel, _ location: SourceLocation = #_sourceLocation) {
    let ends = duel.effects.indices.filter { index in
        if case .closed = duel.effects[index] { true } else { false }
    }
    #expect(ends == [duel.effects.count - 1], "exactly one end, and it is last", sourceLocation: location)
    if let close = duel.evil.sentTypes.firstIndex(of: .close) {
        #expect(close == duel.evil.sentTypes.count - 1, "CLOSE is the last frame", sourceLocation: location)
    }
    #expect([.closing, .closed].contains(duel.stage), sourceLocation: location)
    #expect((duel.deadline == nil) == (duel.stage == .closed), sourceLocation: location)
}

func unexpected(_ type: FrameType) -> LinkFailureCause { .violation(.unexpectedFrame(type.rawValue)) }
func malformed(_ reason: WireError.Reason, _ field: WireField) -> LinkFailureCause {
    .malformed(WireError(reason, in: field))
}
