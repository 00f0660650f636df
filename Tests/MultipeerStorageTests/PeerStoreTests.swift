import Glibc
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import MultipeerTestSupport
import Testing

@Suite("The folder of an identity")
struct PeerStoreTests {
    private let scratch: Scratch
    private let store: PeerStore
    private let sodium = TestProvider.sodium

    init() throws {
        scratch = try Scratch()
        store = PeerStore(directory: scratch / "a/b")
    }

    private func create(_ name: String) throws -> LocalIdentity {
        var random: any RandomSource = sodium.random
        return try store.createIdentity(named: try DisplayName(name), random: &random, signers: sodium)
    }

    private func loadOrCreate(_ name: String) throws -> LocalIdentity {
        var random: any RandomSource = sodium.random
        return try store.loadOrCreateIdentity(named: try DisplayName(name), random: &random, signers: sodium)
    }

    @Test("An identity is created once, and read again")
    func identity() throws {
        #expect(try store.loadIdentity(signers: sodium) == nil)
        let made = try create("Ada")
        #expect(try scratch.mode("a/b") == 0o700 && scratch.mode("a/b/identity") == 0o600)
        let read = try #require(try store.loadIdentity(signers: sodium))
        #expect(read.peer == made.peer && read.name.description == "Ada" && !read.isEphemeral)
        let message = Array("multipeer test".utf8)
        let signature = try read.signer.sign(message.span)
        let isValid = sodium.signatures.isValid(signature.span, of: message.span, by: made.signer.identityKey)
        #expect(isValid)
        #expect(throws: PeerStoreError.storage(StorageError(.publish, store.identityPath, .alreadyExists))) {
            try create("Bob")
        }
        #expect(try loadOrCreate("Bob").peer == made.peer)
    }

    @Test("A missing identity is created, and only once if many ask")
    func loadOrCreate() async throws {
        let keys = try await withThrowingTaskGroup(of: PeerID.self) { group in
            for number in 0..<8 { group.addTask { try loadOrCreate("Peer \(number)").peer } }
            return try await group.reduce(into: Set<PeerID>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test("A temporary identity is different each time, and can be renamed")
    func ephemeral() throws {
        var random: any RandomSource = sodium.random
        let one = try LocalIdentity.ephemeral(random: &random, signers: sodium)
        let two = try LocalIdentity.ephemeral(random: &random, signers: sodium)
        #expect(one.peer.key != two.peer.key && one.isEphemeral)
        #expect(one.name.description == "peer-" + one.peer.key.description.prefix(8))
        #expect(one.renamed(try DisplayName("Zoe")).name.description == "Zoe")
        #expect(one.renamed(nil).peer == one.peer && one.renamed(nil).isEphemeral)
    }

    @Test("A new identity is named after its host, after the user too where people share it, else after its digits")
    func suggestedNames() throws {
        let system = """
            root:x:0:0:root:/root:/bin/bash
            nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin
            backup:x:1003:34::/var/backups:/usr/sbin/nologin

            """
        let (anna, ben) = ("anna:x:1000:1000:Anna,,,:/home/anna:/bin/bash\n", "ben:x:1001:1001::/home/ben:/bin/zsh\n")
        let cases: [(host: String, user: UInt32, accounts: String, name: String?)] = [
            ("desk\n", 1_000, system + anna, "desk"), ("desk.example.org", 1_000, system + anna, "desk"),
            ("desk", 1_000, system + anna + ben, "anna@desk"), ("desk", 1_001, system + anna + ben, "ben@desk"),
            ("desk", 0, system + anna + ben, "desk"), ("localhost", 1_000, system + anna, "anna"),
            ("localhost.localdomain", 1_000, system + anna + ben, "anna"), ("localhost", 0, system, nil),
            ("3f2a9c1b7d4e", 0, system, nil), ("", 1_000, "", nil), ("desk\u{7}", 0, "", nil),
            (String(repeating: "ä", count: 40), 0, "", String(repeating: "ä", count: 31)),
        ]
        for (host, user, accounts, name) in cases {
            let suggested = SuggestedName(host: host, user: user, accounts: accounts).name
            #expect(suggested?.description == name, "\(host), \(user)")
        }
        var random: any RandomSource = sodium.random
        let made = try store.loadOrCreateIdentity(random: &random, signers: sodium)
        let expected = SuggestedName.current
        #expect(expected.map { $0 == made.name } ?? made.name.description.hasPrefix("peer-"))
    }

    @Test("A renamed identity keeps its key and its permissions, and a missing one is not created")
    func rename() throws {
        #expect(try store.renameIdentity(to: DisplayName("Zoe"), signers: sodium) == nil)
        let made = try create("Ada")
        let renamed = try #require(try store.renameIdentity(to: DisplayName("Zoe"), signers: sodium))
        let read = try #require(try store.loadIdentity(signers: sodium))
        #expect(renamed.peer == made.peer && read.peer == made.peer)
        #expect(renamed.name.description == "Zoe" && read.name.description == "Zoe")
        #expect(try scratch.mode("a/b/identity") == 0o600)
    }

    @Test("A folder that others can change is refused")
    func rights() throws {
        _ = try create("Ada")
        chmod(store.directory, 0o777)
        let error = PeerStoreError.storage(
            StorageError(.open, store.directory, .directoryWritableByOthers(mode: 0o777)))
        #expect(throws: error) { try store.loadIdentity(signers: sodium) }
        #expect(throws: StorageError.self) { try store.prepare() }
    }

    @Test("Tags stay the same as long as the file and its key do (R15.7-1)")
    func tags() async throws {
        try store.prepare()
        let file = try await OutgoingFile.open(try scratch.write("f", "content"))
        let (ada, bob) = (try TestProvider.identity(1).identityKey, try TestProvider.identity(2).identityKey)
        var tags: [[UInt8]] = []
        for _ in 0..<2 {
            var random: any RandomSource = sodium.random
            let maker = try store.tags(random: &random, secrets: sodium.secrets, hashing: sodium.hashing)
            tags += [try maker.tag(of: file, for: ada), try maker.tag(of: file, for: bob)]
        }
        #expect(tags[0] == tags[2] && tags[1] == tags[3] && tags[0] != tags[1])
    }
}
