public import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerVectors
import MultipeerWire

@testable import MultipeerCore

extension FuzzTarget {
    /// Entries of members, as bytes or nearly right, against a model of SPEC §14.1 – §14.3. What decodes is written
    /// again as it was, and an entry is judged alike by a member that knows its admissions already and by one that does
    /// not.
    public static let entries = FuzzTarget(
        name: "Entries", maximumLength: 1_400, memory: MemoryBudget(base: 262_144, perByte: 128),
        minimumFeatures: 2_300,
        seeds: { EntriesSeeds.make($0) }, run: { try judge($0) })

    private static func judge(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let flags = choices.byte()
        let charter = SessionBuilder.charter(flags)
        let bytes = flags & 1 == 0 ? choices.rest() : SessionBuilder(charter: charter).entry(&choices)
        try judge(bytes, charter)
        if flags & 2 != 0 { try judgeCharter(bytes) }
    }

    private static func judge(_ bytes: [UInt8], _ charter: ModelCharter) throws {
        var reader = ModelReader(bytes)
        let expected = try? reader.entry()
        let isWhole = expected != nil && reader.rest.isEmpty
        let entry: RosterEntry
        do {
            entry = try RosterEntry(encoded: bytes.span)
            try require(isWhole, "an entry that decodes, and must not")
        } catch is WireError {
            return try require(!isWhole, "an entry that must decode, and does not")
        }
        guard let expected else { return }
        try requireEqual(entry.encoded, bytes, "the entry, written again")
        try compare(entry.content, expected)
        try judgeSignatures(entry, expected, charter)
    }

    private static func compare(_ content: RosterEntry.Content, _ model: ModelEntry) throws(OracleFailure) {
        try requireEqual(content.member, model.member, "member")
        try requireEqual(content.instance, model.instance, "instance")
        try requireEqual(content.sequence, model.sequence, "sequence")
        try requireEqual(content.presence.rawValue, model.presence, "presence")
        try requireEqual(content.name, model.name, "name")
        try requireEqual(content.addresses.map { [$0.kind] + $0.value }, model.addresses, "addresses")
        try requireEqual(Admission.encode(content.chain), model.chain, "chain")
    }

    /// R14.3-3: the bytes, the charter and the rules alone decide.
    private static func judgeSignatures(_ entry: RosterEntry, _ model: ModelEntry, _ charter: ModelCharter) throws {
        let hashing = FuzzCrypto.sodium.hashing
        let session = try SessionCharter(try Charter(encoded: charter.encoded.span), hashing: hashing)
        var verified = VerifiedAdmissions(verifier: InsecureSignatures())
        let isValid = model.isValid(in: charter)
        for round in 1...2 {
            let seen = VerifiedEntry(verifying: entry, in: session, with: &verified, hashing: hashing)
            try requireEqual(seen != nil, isValid, "whether an entry is valid, judged for the \(round). time")
            if let seen { try requireEqual(seen.hash, model.hash, "the entry hash") }
        }
    }

    /// The same bytes, as a charter.
    private static func judgeCharter(_ bytes: [UInt8]) throws {
        var reader = ModelReader(bytes)
        let expected = try? reader.charter()
        let isWhole = expected != nil && reader.rest.isEmpty
        do {
            let charter = try Charter(encoded: bytes.span)
            try require(isWhole, "a charter that decodes, and must not")
            let parameters = try CharterParameters(charter)
            try requireEqual(parameters.admitters.rawValue, expected?.admission, "who admits")
            try requireEqual(UInt64(parameters.maximumMembers), expected?.maximumMembers, "how many members")
            try requireEqual(charter.encoded, bytes, "the charter, written again")
        } catch is WireError {
            try require(!isWhole, "a charter that must decode, and does not")
        }
    }
}

/// Entries to begin with.
enum EntriesSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let entries = vectors.cases(named: "RosterEntry").compactMap { $0.test.inputs.bytes("entry") }
        let charters = vectors.cases(named: "RosterEntry").compactMap { $0.test.inputs.bytes("charter") }
        let built: [[UInt8]] = [
            [1, 0, 5, 0, 1, 0, 0, 0], [1, 3, 5, 0, 1, 3, 0x61, 0x62, 0x63, 2, 0x11, 0x12, 2],
            [0x11, 2, 9, 1, 0, 0, 0, 1], [1, 8, 0xFF, 0, 1, 0, 0, 8, 0, 0xC0], [0x21, 1, 1, 1, 1, 0, 1, 3, 4, 0],
            [1, 2, 3, 4, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0], [0x31, 1, 1, 1, 1, 0, 0, 1, 0xE0],
            // Admitted by a member that nobody has admitted.
            [1, 3, 5, 0, 1, 0, 0, 1, 4, 0xC2],
        ]
        return (entries + charters).filter { $0.count < 1_200 }.map { [2] + $0 } + built
    }
}
