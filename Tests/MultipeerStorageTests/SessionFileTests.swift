import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Stored sessions on disk")
struct SessionFileTests {
    private let scratch: Scratch
    private let path: String
    private let hashing = TestProvider.sodium.hashing

    init() throws {
        scratch = try Scratch()
        path = scratch / "team"
    }

    /// No signature in it is a real one: a member judges them that takes part again.
    private static func session(chain: Int = 2, entries: Int = 3, grudges: Int = 2) throws -> StoredSession {
        let admission = Admission(
            admitter: [UInt8](repeating: 3, count: 32), signature: [UInt8](repeating: 4, count: 64))
        let chain = [Admission](repeating: admission, count: chain)
        let members = (0..<entries).map { number in
            let content = RosterEntry.Content(
                member: [UInt8](repeating: UInt8(number), count: 32), instance: 1 << 40, sequence: 7,
                name: Array("Ann \u{301}".utf8),
                addresses: [MemberAddress(kind: MemberAddress.ipv4, value: [127, 0, 0, 1, 18, 103])], chain: chain)
            return RosterEntry(content, signature: [UInt8](repeating: 5, count: 64))
        }
        let charter = Charter(
            founder: [UInt8](repeating: 1, count: 32), nonce: [UInt8](repeating: 2, count: 32),
            parameters: CharterParameters(maximumMembers: 9).fields)
        let owner = try TestProvider.identity(1).identityKey
        let held = (0..<grudges).map { Grudge(peer: owner, reason: Grudge.Reason.allCases[$0 % 3]) }.sorted()
        return StoredSession(
            owner: owner,
            memory: SessionMemory(charter: charter, chain: chain, instance: 1 << 41, entries: members, grudges: held))
    }

    @Test("A stored session is read again", arguments: [(0, 0, 0), (0, 1, 1), (2, 3, 9), (8, 200, 2_048)])
    func roundTrip(_ sizes: (chain: Int, entries: Int, grudges: Int)) throws {
        #expect(try SessionFile.load(at: path, hashing: hashing) == nil)
        for entries in [sizes.entries, sizes.entries + 1] {
            let session = try Self.session(chain: sizes.chain, entries: entries, grudges: sizes.grudges)
            try SessionFile.save(session, at: path, hashing: hashing)
            #expect(try SessionFile.load(at: path, hashing: hashing) == session)
            #expect(try scratch.mode("team") == 0o600)
        }
        try SessionFile.remove(at: path)
        #expect(scratch.names.isEmpty)
    }

    @Test("A file with any change is refused")
    func damaged() throws {
        try SessionFile.save(try Self.session(), at: path, hashing: hashing)
        let good = try scratch.read("team")
        for index in good.indices {
            for bit in [0x01, 0x20] as [UInt8] {
                var bytes = good
                bytes[index] ^= bit
                try scratch.write("team", bytes)
                #expect(throws: StorageError.self, "byte \(index)") { try SessionFile.load(at: path, hashing: hashing) }
            }
        }
        for count in good.indices {
            try scratch.write("team", Array(good[..<count]))
            #expect(throws: StorageError.self, "\(count) bytes") { try SessionFile.load(at: path, hashing: hashing) }
        }
        try scratch.write("team", good + Array("\n".utf8))
        #expect(throws: StorageError.self) { try SessionFile.load(at: path, hashing: hashing) }
    }

    @Test("A later version, and a file that others may write, are separate errors")
    func reasons() throws {
        try scratch.write("team", "multipeer-session 3\nwhatever\n")
        #expect(throws: StorageError(.read, path, .unsupportedVersion)) {
            try SessionFile.load(at: path, hashing: hashing)
        }
        try scratch.write("team", "multipeer-session 1\nowner nobody\n")
        #expect(throws: StorageError(.read, path, .malformed(line: 2))) {
            try SessionFile.load(at: path, hashing: hashing)
        }
        try SessionFile.save(try Self.session(), at: path, hashing: hashing)
        try scratch.write("team", try scratch.read("team"), mode: 0o622)
        #expect(throws: StorageError(.open, path, .writableByOthers(mode: 0o622))) {
            try SessionFile.load(at: path, hashing: hashing)
        }
    }
}
