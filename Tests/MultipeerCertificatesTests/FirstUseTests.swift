import MultipeerCertificates
import MultipeerCrypto
import Synchronization
import Testing

func known(_ name: String, key: UInt8, at address: String? = nil) throws -> KnownPeer {
    KnownPeer(
        name: try DisplayName(name), key: try IdentityKey(rawBytes: [UInt8](repeating: key, count: 32)),
        leafFingerprint: nil, address: try address.map { try #require(PeerAddress($0)) })
}

/// A peer that the local peer has called, each at an address of its own unless another origin is given.
private func shown(_ name: String, key: UInt8, _ origin: PeerOrigin? = nil) throws -> PeerEvidence {
    let known = try known(name, key: key)
    let origin = try origin ?? dialled("peer-\(key):1")
    var evidence = PeerEvidence(
        peer: PeerID(key: known.key, displayName: known.name), chain: nil, leafFingerprint: nil)
    evidence.origin = origin
    return evidence
}

private func dialled(_ address: String) throws -> PeerOrigin { .dialled(try #require(PeerAddress(address))) }
private func accepted(_ address: String) throws -> PeerOrigin { .accepted(try #require(PeerAddress(address))) }

@Suite("Trust on first use")
struct FirstUseTests {
    static let lookalikes: [(String, String)] = [
        ("Ada", "ada"), ("Ada", "ADA"), ("Ada", "\u{410}d\u{430}"), ("Ada", "Ad\u{3B1}"), ("Ada", "\u{FF21}da"),
        ("Ada Lovelace", "Ada\u{A0}Lovelace"), ("Ada Lovelace", " Ada  Lovelace "),
        ("Alice", "AIice"), ("Alice", "A1ice"), ("Alice", "\u{1D400}lice"), ("Bob", "B0b"), ("Bob", "\u{412}\u{43E}b"),
        ("Tom", "T\u{3BF}rn"), ("\u{C9}va", "E\u{301}va"), ("Zo\u{EB}", "Zo\u{451}"), ("Paul", "\u{420}\u{430}ul"),
        ("Stra\u{DF}e", "STRASSE"), ("office", "o\u{FB03}ce"), ("Na\u{EF}ve", "Na\u{457}ve"),
    ]

    private func nameless(key: UInt8) throws -> PeerEvidence {
        PeerEvidence(
            peer: PeerID(key: try known("Any", key: key).key, displayName: nil), chain: nil, leafFingerprint: nil)
    }

    @Test("A peer that was met without a name keeps the name that it shows later; no other key may use it")
    func nameLater() async throws {
        let store = InMemoryKnownPeers()
        let validator = TrustOnFirstUseValidator(store: store)
        #expect(await validator.verify(try nameless(key: 1)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Anna", key: 1)) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Anna", key: 2)) == .rejected(.identityChanged))
        #expect(await validator.verify(try nameless(key: 1)) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Anna", key: 1)) == .accepted(.remembered))
    }

    @Test("A key that people have verified is trusted, also under a known name and with another certificate")
    func verified() async throws {
        let store = InMemoryKnownPeers()
        let validator = TrustOnFirstUseValidator(store: store) { doubt, _ in
            if case .leaf = doubt { true } else { false }
        }
        #expect(await validator.verify(try shown("Anna", key: 1)) == .accepted(.firstUse))
        var evidence = try shown("Anna", key: 2)
        #expect(await validator.verify(evidence) == .rejected(.identityChanged))
        evidence.verification = .oneTimeCode
        #expect(await validator.verify(evidence) == .accepted(.verified(.oneTimeCode)))
        evidence.verification = nil
        #expect(await validator.verify(evidence) == .accepted(.verified(.oneTimeCode)))
        #expect(TrustBasis.verified(.oneTimeCode).isVerified)
        // No certificate was seen when people verified the key, so the first one takes nothing away. Another one is asked about.
        for (digits, basis) in [("ab", TrustBasis.verified(.oneTimeCode)), ("cd", .application)] {
            let leaf = try #require(KeyFingerprint("sha256:" + String(repeating: digits, count: 32)))
            let renewed = PeerEvidence(peer: evidence.peer, chain: nil, leafFingerprint: leaf)
            #expect(await validator.verify(renewed) == .accepted(basis))
            #expect(await validator.verify(renewed) == .accepted(.verified(.oneTimeCode)))
        }
        // A peer that is there already keeps what else is known of it.
        try await store.remember(known("Ann", key: 1), verifiedBy: .shortString)
        #expect(await validator.verify(try shown("Anna", key: 1)) == .accepted(.verified(.shortString)))
    }

    @Test("A peer whose name is another key's digits does not lock that key out")
    func digitsOfAnother() async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        let victim = try nameless(key: 1)
        #expect(await validator.verify(try shown(victim.peer.label.description, key: 2)) == .accepted(.firstUse))
        #expect(await validator.verify(victim) == .accepted(.firstUse))
    }

    @Test("A new key under a name that looks like a known one is refused", arguments: lookalikes)
    func similar(name: String, other: String) async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        #expect(await validator.verify(try shown(name, key: 1)) == .accepted(.firstUse))
        let isSame = try DisplayName(name) == DisplayName(other)
        let expected = isSame ? CertificateRejection.identityChanged : .similarName
        #expect(await validator.verify(try shown(other, key: 2)) == .rejected(expected))
        // The key that is known may call itself so.
        #expect(await validator.verify(try shown(other, key: 1)) == .accepted(.remembered))
    }

    @Test(
        "Names that look different are different",
        arguments: [("Ada", "Eve"), ("Jose", "Jos\u{E9}"), ("Ada", "Ada 2"), ("\u{418}\u{432}\u{430}\u{43D}", "Ivan")])
    func different(name: String, other: String) async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        #expect(await validator.verify(try shown(name, key: 1)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown(other, key: 2)) == .accepted(.firstUse))
    }

    @Test("A known key keeps its trust under a new name, but not under another key's name")
    func names() async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        #expect(await validator.verify(try shown("Ada", key: 1)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Ben", key: 2)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Ada's new name", key: 1)) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Ada", key: 2)) == .rejected(.identityChanged))
        #expect(await validator.verify(try shown("\u{410}da", key: 2)) == .rejected(.similarName))
    }

    @Test("A new key at an address that was dialled before is refused; source addresses do not matter")
    func addresses() async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        let desk = try dialled("desk.local:4711")
        #expect(await validator.verify(try shown("Ada", key: 1, desk)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Eve", key: 2, desk)) == .rejected(.addressChanged))
        #expect(
            await validator.verify(try shown("Eve", key: 2, dialled("DESK.local:4711"))) == .rejected(.addressChanged))
        #expect(await validator.verify(try shown("Ada", key: 1, dialled("lap.local:1"))) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Eve", key: 2, dialled("desk.local:4712"))) == .accepted(.firstUse))
        // A known key at the address of another one.
        #expect(await validator.verify(try shown("Eve", key: 2, desk)) == .rejected(.addressChanged))
        let source = try accepted("192.0.2.1")
        #expect(await validator.verify(try shown("Ben", key: 3, source)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Cleo", key: 4, source)) == .accepted(.firstUse))
    }

    @Test("A person may accept a doubtful peer; its key is remembered beside the other")
    func decision() async throws {
        let store = InMemoryKnownPeers()
        let asked = Mutex<[FirstUseDoubt]>([])
        let validator = TrustOnFirstUseValidator(store: store) { doubt, evidence in
            asked.withLock { $0.append(doubt) }
            return evidence.peer.key.rawBytes[0] == 2
        }
        let ada = try known("Ada", key: 1, at: "peer-1:1")
        #expect(await validator.verify(try shown("Ada", key: 1)) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Ada", key: 3)) == .rejected(.identityChanged))
        #expect(await validator.verify(try shown("Ada", key: 2)) == .accepted(.application))
        #expect(asked.withLock { $0 } == [.name(ada), .name(ada)])
        #expect(await validator.verify(try shown("Ada", key: 2)) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Ada", key: 1)) == .accepted(.remembered))
        #expect(asked.withLock { $0.count } == 2)
    }

    @Test("A name that came unasked is provisional: the first stranger locks nobody out, and both are shown")
    func provisional() async throws {
        let store = InMemoryKnownPeers()
        let validator = TrustOnFirstUseValidator(store: store)
        #expect(await validator.verify(try shown("Alice", key: 1, accepted("192.0.2.1"))) == .accepted(.firstUse))
        #expect(await store.all().map(\.isProvisional) == [true])
        // The real one, in whatever way it comes.
        #expect(await validator.verify(try shown("Alice", key: 2, accepted("192.0.2.2"))) == .accepted(.firstUse))
        #expect(await validator.verify(try shown("Alice", key: 3)) == .accepted(.firstUse))
        for key in [1, 2, 3] as [UInt8] {
            let others = try await store.namesakes(of: try known("AIice", key: key)).map { $0.key.rawBytes[0] }
            #expect(others == [1, 2, 3].filter { $0 != key })
        }
        // A peer that the local peer has called has its name. From then on no other peer gets it.
        #expect(await store.all().map(\.isProvisional) == [true, true, false])
        for origin in [try accepted("192.0.2.4"), try dialled("desk:1")] {
            #expect(await validator.verify(try shown("Alice", key: 4, origin)) == .rejected(.identityChanged))
            #expect(await validator.verify(try shown("AIice", key: 4, origin)) == .rejected(.similarName))
        }
        // Those that were there before are known by their keys.
        for key in [1, 2] as [UInt8] {
            #expect(
                await validator.verify(try shown("Alice", key: key, accepted("192.0.2.9"))) == .accepted(.remembered))
        }
    }

    @Test("A name is provisional until the local peer dials the peer, or a person names or verifies it")
    func claims() async throws {
        let claims: [(InMemoryKnownPeers, TrustOnFirstUseValidator) async throws -> Void] = [
            { _, validator in
                let again = await validator.verify(try shown("Ben", key: 1, dialled("desk:1")))
                #expect(again == .accepted(.remembered))
            },
            { store, _ in try await store.remember(known("Ben", key: 1).labelled(DisplayName("My Ben"))) },
            { store, _ in try await store.remember(known("Ben", key: 1), verifiedBy: .oneTimeCode) },
        ]
        for claim in claims {
            let store = InMemoryKnownPeers()
            let validator = TrustOnFirstUseValidator(store: store)
            #expect(await validator.verify(try shown("Ben", key: 1, accepted("192.0.2.1"))) == .accepted(.firstUse))
            try await claim(store, validator)
            #expect(await store.all().map(\.isProvisional) == [false])
            let eve = try shown("Ben", key: 2, accepted("192.0.2.2"))
            #expect(await validator.verify(eve) == .rejected(.identityChanged))
        }
    }

    @Test("Eight addresses with four throw-away keys each leave first uses for new addresses")
    func reserve() async throws {
        let validator = TrustOnFirstUseValidator(
            store: InMemoryKnownPeers(), limiter: FirstUseLimiter(clock: { .zero }))
        var (key, accepted) = (0, 0)
        func come(from address: String) async throws -> Bool {
            key += 1
            let origin = PeerOrigin.accepted(try #require(PeerAddress(address)))
            return await validator.verify(try shown("Peer \(key)", key: UInt8(key), origin)) == .accepted(.firstUse)
        }
        for _ in 0..<4 {
            for address in 1...8 where try await come(from: "198.51.100.\(address)") { accepted += 1 }
        }
        #expect(accepted == 24)
        for address in 1...8 { #expect(try await come(from: "192.0.2.\(address)")) }
        #expect(try await !come(from: "192.0.2.9"))
    }

    @Test("First uses are limited for each address and for the process; known peers and dialled addresses are not")
    func rates() async throws {
        let time = Mutex(Duration.seconds(100))
        let limiter = FirstUseLimiter(
            perAddress: .init(burst: 2, interval: .seconds(60)), overall: .init(burst: 3, interval: .seconds(30)),
            clock: { time.withLock { $0 } })
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers(), limiter: limiter)
        var key: UInt8 = 0
        func come(from address: String) async throws -> Verdict {
            key += 1
            return await validator.verify(try shown("Peer of key \(key * 7 % 251)", key: key, accepted(address)))
        }
        #expect(try await come(from: "a") == .accepted(.firstUse))
        #expect(try await come(from: "a") == .accepted(.firstUse))
        #expect(try await come(from: "a") == .rejected(.tooManyFirstUses))
        #expect(try await come(from: "b") == .accepted(.firstUse))
        #expect(try await come(from: "c") == .rejected(.tooManyFirstUses))
        #expect(await validator.verify(try shown("Peer of key 7", key: 1, accepted("a"))) == .accepted(.remembered))
        #expect(await validator.verify(try shown("Desk", key: 200, dialled("desk:1"))) == .accepted(.firstUse))
        time.withLock { $0 += .seconds(30) }
        #expect(try await come(from: "a") == .rejected(.tooManyFirstUses))
        #expect(try await come(from: "c") == .accepted(.firstUse))
        time.withLock { $0 += .seconds(30) }
        #expect(try await come(from: "a") == .accepted(.firstUse))
        #expect(CertificateRejection.tooManyFirstUses.remedy.contains("wait"))
    }
}
