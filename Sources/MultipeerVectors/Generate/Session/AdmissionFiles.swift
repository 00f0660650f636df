internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `session/charter-parameters` and `roster/admission`: SPEC §14.1, §14.2.
struct AdmissionFiles {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] { [try parameters().file(), try admissions().file()] }

    private func parameters() throws -> CaseWriter {
        let cases = CaseWriter(
            "session/charter-parameters", topic: "session-charter-parameters", type: .charterParameters,
            section: "14.1", subject: subject)
        func inputs(_ fields: [UInt8]...) -> JSONValue { ["parameters": .hex(WireBytes.vector(fields.flatMap { $0 }))] }
        func admission(_ value: [UInt8]) -> [UInt8] { WireBytes.field(2, value) }
        func maximum(_ value: UInt64) -> [UInt8] { WireBytes.field(4, WireBytes.varint(value)) }
        try cases.accept("none", ["R14.1-1"], inputs())
        try cases.accept("every member admits", ["R14.1-1"], inputs(admission([0])))
        try cases.accept("the founder admits", ["R14.1-1"], inputs(admission([1])))
        for count in [2, 8, 255, 256] as [UInt64] {
            try cases.accept("\(count) members", ["R14.1-1"], inputs(maximum(count)))
        }
        try cases.accept("both", ["R14.1-1"], inputs(admission([1]), maximum(64)))
        try cases.accept(
            "odd ones among them", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            inputs(WireBytes.field(1, [9]), admission([1]), WireBytes.field(3, []), maximum(2), WireBytes.field(5, [])))
        func refuse(_ flag: String, _ comment: String, _ inputs: JSONValue) throws {
            try cases.reject("malformed", flag, comment, ["R14.1-1"], inputs)
        }
        for value in [2, 255] as [UInt8] {
            try cases.reject(
                "unsupported", "UnknownCritical", "admission \(value)", ["R14.1-1"], inputs(admission([value])))
        }
        try refuse("LengthOutOfRange", "admission of no byte", inputs(admission([])))
        try refuse("LengthOutOfRange", "admission of two bytes", inputs(admission([0, 0])))
        for count in [0, 1, 257, VarInt.maximum] as [UInt64] {
            try refuse("ValueOutOfRange", "\(count) members", inputs(maximum(count)))
        }
        try refuse("Truncated", "a number of members of no byte", inputs(WireBytes.field(4, [])))
        try refuse("NonMinimalInteger", "a number of members in a longer form", inputs(WireBytes.field(4, [0x40, 8])))
        try refuse("TrailingBytes", "two numbers of members", inputs(WireBytes.field(4, [8, 8])))
        for type in [0, 8] as [UInt64] {
            try cases.reject(
                "unsupported", "UnknownCritical", "parameter \(type)", ["R3.4-3"], section: "3.4",
                inputs(WireBytes.field(type, [])))
        }
        try cases.reject(
            "malformed", "Precedence", "a value comes before the next type", ["R14.1-1", "R18-1"],
            inputs(admission([0, 0]), WireBytes.field(8, [])))
        try cases.reject(
            "unsupported", "Precedence", "an unknown value comes before the next one", ["R14.1-1", "R18-1"],
            inputs(admission([2]), maximum(1)))
        try cases.reject(
            "malformed", "NotAscending", "they descend", ["R3.4-1"], section: "3.4", inputs(maximum(8), admission([0])))
        func uniting(_ value: [UInt8]) -> [UInt8] { WireBytes.field(6, value) }
        for value in [0, 1] as [UInt8] {
            for admitters in [0, 1] as [UInt8] {
                try cases.accept(
                    "admission \(admitters), uniting \(value)", ["R14.1-1"],
                    inputs(admission([admitters]), uniting([value])))
            }
        }
        try cases.reject("unsupported", "UnknownCritical", "uniting 2", ["R14.1-1"], inputs(uniting([2])))
        try refuse("LengthOutOfRange", "uniting of no byte", inputs(uniting([])))
        try refuse("LengthOutOfRange", "uniting of two bytes", inputs(uniting([1, 0])))
        return cases
    }

    // MARK: Admissions

    private func admissions() throws -> CaseWriter {
        let cases = CaseWriter(
            "roster/admission", topic: "roster-admission", type: .admission, section: "14.2", subject: subject)
        let (anyone, founderOnly) = (
            try Community(samples: samples), try Community(samples: samples, parameters: WireBytes.field(2, [1]))
        )
        cases.group()
        try good(cases, anyone)
        try counts(cases, anyone)
        try restricted(cases, founderOnly)
        try signatures(cases, anyone)
        try links(cases, anyone)
        try strictness(cases, anyone)
        return cases
    }

    private func inputs(
        _ session: Community, _ key: [UInt8], _ chain: [UInt8], seeds: [[UInt8]] = []
    ) -> JSONValue {
        var inputs: [String: JSONValue] = [
            "charter": .hex(session.charter), "member": .hex(key), "chain": .hex(chain),
        ]
        if !seeds.isEmpty { inputs["seeds"] = .array(seeds.map(JSONValue.hex)) }
        return .object(inputs)
    }

    private func between(_ count: Int, _ session: Community) throws -> [Community.Member] {
        try (0..<count).map { try session.member("between \($0)") }
    }

    private func good(_ cases: CaseWriter, _ session: Community) throws {
        try cases.accept("the founder", ["R14.2-1"], inputs(session, session.founder.key, []))
        let member = try session.member("one")
        for count in [1, 2, 8] {
            let admitters = try between(count - 1, session)
            let chain = try session.chain(of: member.key, admitters)
            try cases.accept(
                "a chain of \(count)", ["R14.2-1"],
                inputs(session, member.key, chain, seeds: (admitters + [session.founder]).map(\.seed)))
        }
        // A member may be in its own chain: each signature says what it says.
        let chain = try session.chain(of: member.key, [member])
        try cases.accept(
            "a member that has admitted itself", ["R14.2-1"],
            inputs(session, member.key, chain, seeds: [member.seed, session.founder.seed]))
    }

    private func refuse(
        _ cases: CaseWriter, _ flag: String, _ comment: String, _ inputs: JSONValue, section: String? = nil,
        _ requirements: [String] = ["R14.2-1"]
    ) throws {
        try cases.reject("entry_invalid", flag, comment, requirements, section: section, inputs)
    }

    private func counts(_ cases: CaseWriter, _ session: Community) throws {
        let member = try session.member("one")
        try refuse(cases, "WrongChain", "no admission for a stranger", inputs(session, member.key, []))
        try refuse(
            cases, "WrongChain", "the founder with an admission",
            inputs(session, session.founder.key, try session.chain(of: session.founder.key, [])))
        try refuse(
            cases, "WrongChain", "the founder with a chain of two",
            inputs(session, session.founder.key, try session.chain(of: session.founder.key, [member])))
        try cases.reject(
            "malformed", "LengthOutOfRange", "a chain of nine", ["R3.3-1"],
            inputs(session, member.key, try session.chain(of: member.key, try between(8, session))))
        for count in [1, 95, 97] {
            try cases.reject(
                "malformed", "CutElement", "\(count) bytes of chain", ["R3.3-1"],
                inputs(session, member.key, samples.bytes(count, "chain")))
        }
    }

    private func restricted(_ cases: CaseWriter, _ session: Community) throws {
        let (member, other) = (try session.member("one"), try session.member("other"))
        try cases.accept(
            "only the founder admits: one admission by it", ["R14.2-1"],
            inputs(session, member.key, try session.chain(of: member.key, []), seeds: [session.founder.seed]))
        try refuse(
            cases, "WrongChain", "only the founder admits: a chain of two",
            inputs(session, member.key, try session.chain(of: member.key, [other])))
        try refuse(
            cases, "WrongChain", "only the founder admits: one admission by another",
            inputs(session, member.key, try session.admission(of: member.key, by: other)))
    }

    private func signatures(_ cases: CaseWriter, _ session: Community) throws {
        let (member, other) = (try session.member("one"), try session.member("other"))
        let chain = try session.chain(of: member.key, [other])
        for (index, name) in [(32, "first"), (95, "first"), (128, "second"), (191, "second")] {
            var changed = chain
            changed[index] ^= 1
            try refuse(
                cases, "BadSignature", "a bit of the \(name) signature, byte \(index % 96 - 32)",
                inputs(session, member.key, changed))
        }
        func signedChain(_ message: [UInt8]) throws -> [UInt8] {
            session.founder.key + (try session.sign(message, session.founder.seed))
        }
        let wrong: [(String, String, [UInt8])] = [
            (
                "WrongTranscript", "over another session",
                session.signed("admission", member.key, session: samples.bytes32("other"))
            ),
            ("MisboundKey", "over another member", session.signed("admission", other.key)),
            ("MissingLabel", "with the label of an entry", session.signed("roster entry", member.key)),
            ("MissingLabel", "with the label of a proof", session.signed("identity proof", member.key)),
            ("MissingLabel", "without the zero byte", session.signed("admission", member.key, zero: [])),
            ("MissingLabel", "without a label", session.session + member.key),
        ]
        for (flag, comment, message) in wrong {
            try refuse(cases, flag, "a signature \(comment)", inputs(session, member.key, try signedChain(message)))
        }
        try refuse(
            cases, "MisboundKey", "signed by the member itself in the founder's name",
            inputs(
                session, member.key,
                session.founder.key + (try session.sign(session.signed("admission", member.key), member.seed))))
    }

    private func links(_ cases: CaseWriter, _ session: Community) throws {
        let member = try session.member("one")
        let admitters = try between(2, session)
        let chain = try session.chain(of: member.key, admitters)
        let parts = (0..<3).map { Array(chain[($0 * 96)..<(($0 + 1) * 96)]) }
        try refuse(
            cases, "WrongChain", "the order reversed", inputs(session, member.key, parts.reversed().flatMap { $0 }))
        try refuse(cases, "WrongChain", "the middle left out", inputs(session, member.key, parts[0] + parts[2]))
        try refuse(cases, "WrongChain", "the last left out", inputs(session, member.key, parts[0] + parts[1]))
        try refuse(cases, "WrongChain", "the first left out", inputs(session, member.key, parts[1] + parts[2]))
        try refuse(
            cases, "WrongChain", "the last admitter is not the founder",
            inputs(session, member.key, try session.admission(of: member.key, by: admitters[0])))
        try refuse(
            cases, "WrongChain", "the founder is not the last one",
            inputs(session, member.key, try session.chain(of: member.key, []) + parts[1]))
        try refuse(
            cases, "MisboundKey", "the chain of another member",
            inputs(session, try session.member("other").key, chain))
        let stranger = try Community(samples: samples, founder: "another founder of a session")
        try refuse(
            cases, "WrongTranscript", "the chain of another session",
            inputs(session, member.key, try stranger.chain(of: member.key, [])))
    }

    /// Signatures that a strict verifier refuses (SPEC §9.6).
    private func strictness(_ cases: CaseWriter, _ session: Community) throws {
        let member = try session.member("one")
        let chain = try session.chain(of: member.key, [])
        var (high, small) = (chain, chain)
        // S + L, little-endian.
        let order: [UInt8] = [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14, 0, 0, 0, 0,
            0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ]
        var carry = 0
        for index in 0..<32 {
            carry += Int(high[64 + index]) + Int(order[index])
            high[64 + index] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        try refuse(
            cases, "NonCanonicalScalar", "S + L in place of S", inputs(session, member.key, high), section: "9.6",
            ["R14.2-1", "R9.6-1"])
        // R and S of nothing: R is the neutral point, S zero.
        small.replaceSubrange(32..<96, with: [1] + [UInt8](repeating: 0, count: 63))
        try refuse(
            cases, "SmallOrderPoint", "R has small order", inputs(session, member.key, small), section: "9.6",
            ["R14.2-1", "R9.6-1"])
        let neutral = Community.Member(seed: member.seed, key: [1] + [UInt8](repeating: 0, count: 31))
        let tail = try session.admission(of: neutral.key, by: session.founder)
        try refuse(
            cases, "SmallOrderPoint", "an admitter whose key has small order",
            inputs(session, member.key, neutral.key + [1] + [UInt8](repeating: 0, count: 63) + tail), section: "9.6",
            ["R14.2-1", "R9.6-1"])
        var encoding = chain
        encoding.replaceSubrange(32..<64, with: [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F])
        try refuse(
            cases, "NonCanonicalPoint", "R is not the canonical encoding of a point",
            inputs(session, member.key, encoding), section: "9.6", ["R14.2-1", "R9.6-1"])
    }
}
