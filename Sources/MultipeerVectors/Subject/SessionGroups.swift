@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// Charters, admissions, entries and rosters: SPEC §14.1–14.4.
struct SessionGroups {
    let crypto: SwiftCrypto

    private static let codes = (layer: "session", code: "entry_invalid")
    private var invalid: SubjectAnswer { .rejected(layer: Self.codes.layer, code: Self.codes.code, expected: [:]) }

    /// The parameters of a charter, a whole vector with its length.
    func charterParameters(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let bytes = [UInt8](repeating: 0, count: 64) + (try inputs.bytes("parameters"))
        let charter: Charter
        let parameters: CharterParameters
        do {
            charter = try Charter(encoded: bytes.span)
            parameters = try CharterParameters(charter)
        } catch {
            return .rejected(error)
        }
        try WireGroups.requireSame(charter.encoded, bytes)
        return .accepted([
            "admission": .integer(Int(parameters.admitters.rawValue)),
            "maximumMembers": .integer(parameters.maximumMembers),
            "uniting": .integer(parameters.isUniting ? 1 : 0),
        ])
    }

    func admission(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (bytes, content) = (try inputs.bytes("charter"), try inputs.bytes("chain"))
        let session: SessionCharter
        let chain: [Admission]
        do {
            session = try self.session(bytes)
            chain = try Admission.chain(content.span)
        } catch {
            return .rejected(error)
        }
        guard let member = try? IdentityKey(rawBytes: try inputs.bytes("member")) else {
            throw .badQuestion("inputs.member")
        }
        try WireGroups.requireSame(Admission.encode(chain), content)
        var verified = VerifiedAdmissions(verifier: crypto.provider.signatures)
        guard AdmissionChain(verifying: chain, for: member, in: session, with: &verified) != nil else { return invalid }
        let admitted = [member.rawBytes] + chain.map(\.admitter)
        let signed = zip(chain, admitted).map { SessionAccess.admissionMessage(admitting: $0.1, to: session) }
        if inputs.has("seeds") {
            for (index, seed) in try inputs.byteStrings("seeds").enumerated() where index < chain.count {
                try WireGroups.requireSame(try sign(signed[index], seed: seed), chain[index].signature)
            }
        }
        return .accepted(["session": .hex(session.id.rawBytes), "signedBytes": .array(signed.map(JSONValue.hex))])
    }

    func entry(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (bytes, encoded) = (try inputs.bytes("charter"), try inputs.bytes("entry"))
        let session: SessionCharter
        let entry: RosterEntry
        do {
            session = try self.session(bytes)
            entry = try RosterEntry(encoded: encoded.span)
        } catch {
            return .rejected(error)
        }
        try WireGroups.requireSame(entry.encoded, encoded)
        var verified = VerifiedAdmissions(verifier: crypto.provider.signatures)
        let checked = VerifiedEntry(
            verifying: entry, in: session, with: &verified, hashing: crypto.provider.hashing)
        guard let checked else { return invalid }
        let message = SessionAccess.entryMessage(entry.content, in: session)
        if inputs.has("seed") {
            try WireGroups.requireSame(try sign(message, seed: try inputs.bytes("seed")), entry.signature)
        }
        return .accepted(shown(entry.content, message: message, hash: checked.hash))
    }

    private func shown(_ content: RosterEntry.Content, message: [UInt8], hash: [UInt8]) -> JSONValue {
        [
            "member": .hex(content.member), "instance": .wide(content.instance), "sequence": .wide(content.sequence),
            "presence": .integer(Int(content.presence.rawValue)), "name": .hex(content.name),
            "addresses": .array(
                content.addresses.map { ["kind": .integer(Int($0.kind)), "value": .hex($0.value)] }),
            "chain": .chain(content.chain), "fields": .fields(content.fields), "signedBytes": .hex(message),
            "entryHash": .hex(hash),
        ]
    }

    /// Entries, as they came, into one roster.
    func roster(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let bytes = try inputs.bytes("charter")
        var contradictions: [[UInt8]] = []
        var roster: Roster
        do {
            roster = Roster(
                try session(bytes), hashing: crypto.provider.hashing, verifier: crypto.provider.signatures)
        } catch {
            return .rejected(error)
        }
        for encoded in try inputs.byteStrings("entries") {
            let entry: RosterEntry
            do { entry = try RosterEntry(encoded: encoded.span) } catch { return .rejected(error) }
            do throws(LinkFailureCause) {
                if try roster.insert(entry).isContradiction { contradictions.append(entry.content.member) }
            } catch {
                return invalid
            }
        }
        contradictions.sort { $0.lexicographicallyPrecedes($1) }
        return .accepted([
            "members": .array(roster.inOrder.map { .hex($0.member.rawBytes) }),
            "hashes": .array(roster.inOrder.map { .hex($0.hash) }), "digest": .hex(roster.digest),
            "contradictions": .array(contradictions.map(JSONValue.hex)),
        ])
    }

    private func session(_ bytes: [UInt8]) throws(WireError) -> SessionCharter {
        try SessionCharter(try Charter(encoded: bytes.span), hashing: crypto.provider.hashing)
    }

    private func sign(_ message: [UInt8], seed: [UInt8]) throws(SubjectFault) -> [UInt8] {
        do { return try crypto.identity(seed: seed).sign(message.span) } catch { throw .fault("\(error)") }
    }
}
