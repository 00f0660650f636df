import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

private func peer(_ name: String, key: UInt8) throws -> PeerID {
    PeerID(
        key: try IdentityKey(rawBytes: [UInt8](repeating: key, count: 32)), displayName: try DisplayName(name))
}

private func fingerprint(_ byte: UInt8) throws -> KeyFingerprint {
    KeyFingerprint(digest: try Digest(rawBytes: [UInt8](repeating: byte, count: 32)))
}

/// Of a peer that the local peer has called, each at an address of its own.
private func evidence(_ name: String, key: UInt8, leaf: UInt8? = nil) throws -> PeerEvidence {
    let chain = try leaf.map { try UnverifiedCertificateChain([Certificate(der: [$0])]) }
    var evidence = PeerEvidence(
        peer: try peer(name, key: key), chain: chain, leafFingerprint: try leaf.map(fingerprint))
    evidence.origin = .dialled(try #require(PeerAddress("peer-\(key):1")))
    return evidence
}

/// A store that is out of order.
private struct BrokenStore: KnownPeersStore {
    let failure: KnownPeersStoreFailure

    func recognise(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> PeerRecognition { throw failure }
    func remember(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) { throw failure }
    func remember(
        _ peer: KnownPeer, verifiedBy: KeyVerification
    ) async throws(KnownPeersStoreFailure) { throw failure }
    func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome { throw failure }
    func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool { throw failure }
}

@Suite("Validators, SPEC §10.5 and §10.6")
struct ValidatorTests {
    @Test("A pin or a memory that differs in any one byte is another key", arguments: 0..<32)
    func everyByteCounts(index: Int) async throws {
        var bytes = [UInt8](repeating: 2, count: 32)
        bytes[index] ^= 1
        let other = KeyFingerprint(digest: try Digest(rawBytes: bytes))
        let shown = try evidence("Ada", key: 2, leaf: 2)
        #expect(other != shown.leafFingerprint)
        let leaf = PinnedKeyValidator(pins: [.leaf(other)])
        #expect(await leaf.verify(shown) == .rejected(.pinMismatch))
        let identity = PinnedKeyValidator(pins: [.identity(try IdentityKey(rawBytes: bytes))])
        #expect(await identity.verify(shown) == .rejected(.pinMismatch))

        let store = InMemoryKnownPeers()
        let known = KnownPeer(name: try #require(shown.peer.displayName), key: shown.peer.key, leafFingerprint: other)
        #expect(try await store.rememberIfUnknown(known) == .nowRemembered)
        #expect(await TrustOnFirstUseValidator(store: store).verify(shown) == .rejected(.identityChanged))
    }

    @Test("Pins match by identity key or by leaf key, and say which")
    func pins() async throws {
        let shown = try evidence("Ada", key: 1, leaf: 2)
        let identity = PinnedKeyValidator.Pin.identity(shown.peer.key)
        let leaf = PinnedKeyValidator.Pin.leaf(try fingerprint(2))
        let both = PinnedKeyValidator(pins: [identity, leaf])
        #expect(both.matchingPin(for: shown) == identity)
        #expect(await both.verify(shown) == .accepted(.pinnedKey))
        let byLeaf = PinnedKeyValidator(pins: [leaf])
        #expect(byLeaf.matchingPin(for: shown) == leaf)
        #expect(await byLeaf.verify(shown) == .accepted(.pinnedKey))
        #expect(await byLeaf.verify(try evidence("Ada", key: 1, leaf: 3)) == .rejected(.pinMismatch))
        #expect(await byLeaf.verify(try evidence("Ada", key: 1)) == .rejected(.pinMismatch))
        // The digest of a leaf pin is never taken for an identity key, though both have 32 bytes.
        #expect(await byLeaf.verify(try evidence("Ada", key: 2)) == .rejected(.pinMismatch))
        #expect(await PinnedKeyValidator(pins: []).verify(shown) == .rejected(.pinMismatch))
    }

    @Test("First use, then the same keys, then any change")
    func firstUse() async throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        let ada = try evidence("Ada", key: 1, leaf: 1)
        #expect(await validator.verify(ada) == .accepted(.firstUse))
        #expect(await validator.verify(ada) == .accepted(.remembered))
        #expect(await validator.verify(try evidence("Ada", key: 2, leaf: 1)) == .rejected(.identityChanged))
        #expect(await validator.verify(try evidence("Ada", key: 1, leaf: 2)) == .rejected(.identityChanged))
        #expect(await validator.verify(try evidence("Ada", key: 1)) == .rejected(.identityChanged))
        #expect(await validator.verify(ada) == .accepted(.remembered))
        let grace = try evidence("Grace", key: 2)
        #expect(await validator.verify(grace) == .accepted(.firstUse))
        #expect(await validator.verify(grace) == .accepted(.remembered))
        #expect(await validator.verify(try evidence("Grace", key: 2, leaf: 1)) == .rejected(.identityChanged))
    }

    @Test("An authority, a pin or a person verifies a key; a key that is only the same again is not verified")
    func words() {
        for basis in [
            TrustBasis.trustAnchor(validFor: .seconds(1)), .pinnedKey, .verified(.shortString), .verified(.oneTimeCode),
        ] {
            #expect(basis.isVerified && !basis.isRemembered)
        }
        for basis in [TrustBasis.firstUse, .application, .unverified] {
            #expect(!basis.isVerified && !basis.isRemembered)
        }
        #expect(!TrustBasis.remembered.isVerified && TrustBasis.remembered.isRemembered)
    }

    @Test("A forgotten name is new again")
    func forgetting() async throws {
        let store = InMemoryKnownPeers()
        let validator = TrustOnFirstUseValidator(store: store)
        let name = try DisplayName("Ada")
        #expect(await validator.verify(try evidence("Ada", key: 1)) == .accepted(.firstUse))
        #expect(try await store.forget(name))
        #expect(try await !store.forget(name))
        #expect(try await store.recognise(try known("Ada", key: 1)) == .unknown)
        #expect(await validator.verify(try evidence("Ada", key: 2)) == .accepted(.firstUse))
    }

    @Test("Of many keys that come at once under one name, exactly one is first")
    func race() async throws {
        for _ in 0..<50 {
            let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
            let verdicts = try await withThrowingTaskGroup(of: Verdict.self) { group in
                for key in 0..<16 {
                    let shown = try evidence("Ada", key: UInt8(key))
                    group.addTask { await validator.verify(shown) }
                }
                return try await group.reduce(into: [Verdict]()) { $0.append($1) }
            }
            #expect(verdicts.count { $0 == .accepted(.firstUse) } == 1)
            #expect(verdicts.count { $0 == .rejected(.identityChanged) } == 15)
        }
    }

    @Test(
        "A store that fails causes a refusal",
        arguments: [KnownPeersStoreFailure.unreadable, .damaged, .unwritable, .busy, .full])
    func brokenStore(failure: KnownPeersStoreFailure) async throws {
        let validator = TrustOnFirstUseValidator(store: BrokenStore(failure: failure))
        let expected: CertificateRejection = failure == .full ? .storeFull : .storeUnavailable
        #expect(await validator.verify(try evidence("Ada", key: 1)) == .rejected(expected))
        #expect(CertificateRejection.storeFull.remedy.contains("forget"))
    }

    @Test("The app's own answer is passed on")
    func application() async throws {
        let shown = try evidence("Ada", key: 1)
        #expect(await ApplicationValidator(accepting: { _ in true }).verify(shown) == .accepted(.application))
        #expect(
            await ApplicationValidator(accepting: { _ in false }).verify(shown) == .rejected(.refusedByApplication))
        let own = ApplicationValidator {
            $0.peer.displayName?.description == "Ada" ? .rejected(.expired) : .accepted(.unverified)
        }
        #expect(await own.verify(shown) == .rejected(.expired))
    }

    @Test("Peers that are accepted unverified are reported so")
    func unverified() async throws {
        let verdict = await AcceptUnverifiedPeers().verify(try evidence("Ada", key: 1))
        #expect(verdict == .accepted(.unverified))
        #expect(!TrustBasis.unverified.isVerified)
    }
}

@Suite("The trust anchor validator, SPEC §10.7")
struct TrustAnchorValidatorTests {
    private let now = secondsNow()

    private func evidence(of leaf: Certificate?, name: String) throws -> PeerEvidence {
        PeerEvidence(
            peer: try peer(name, key: 1), chain: try leaf.map { try UnverifiedCertificateChain([$0]) },
            leafFingerprint: try leaf.map { try CertificateLoader.fingerprint(of: $0) })
    }

    @Test("A missing chain, a foreign one and a good one are distinguished")
    func anchors() async throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let time = now + 60
        let paths = try GnuTLSPathValidator(anchors: [root.certificate]) { time }
        let validator = TrustAnchorValidator(paths: paths)
        #expect(await validator.verify(try evidence(of: nil, name: "Ada")) == .rejected(.missing))
        let good = try root.issue().certificate
        #expect(await validator.verify(try evidence(of: good, name: "Ada")).leadsToAnchor)
        let foreign = try other.issue().certificate
        #expect(await validator.verify(try evidence(of: foreign, name: "Ada")) == .rejected(.unknownAuthority))
        // A chain whose binding nobody has checked counts as none.
        let unproved = PeerEvidence(
            peer: try peer("Ada", key: 1), chain: try UnverifiedCertificateChain([good]), leafFingerprint: nil)
        #expect(await validator.verify(unproved) == .rejected(.missing))
    }

    @Test("The validator can require the display name in the certificate, R10.8-1")
    func names() async throws {
        let made = try CertificateAuthority.create(name: DisplayName("CA"), now: now, secrets: lockedMemory)
        let key = made.privateKeyPEM.copied()
        let authority = try CertificateAuthority(certificatePEM: made.certificatePEM.span, keyPEM: key.span)
        let time = now
        let paths = try GnuTLSPathValidator(anchors: [made.certificate]) { time }
        let validator = TrustAnchorValidator(paths: paths, names: .displayName)
        for name in ["ada", "ada.example", "Ada Lovelace", "Zoë", "100%", "a/b"] {
            let issued = try authority.issue(to: DisplayName(name), now: now, secrets: lockedMemory)
            let shown = try evidence(of: issued.certificate, name: name)
            #expect(await validator.verify(shown).leadsToAnchor)
            let borrowed = try evidence(of: issued.certificate, name: "Grace")
            #expect(await validator.verify(borrowed) == .rejected(.nameMismatch))
            let expecting = TrustAnchorValidator(paths: paths, names: .expected([.dns("grace.example")]))
            #expect(await expecting.verify(shown) == .rejected(.nameMismatch))
        }
        // Certificates of others name hosts. A host name, even a wildcard, says nothing about a display name.
        let root = try TestAuthority()
        let hosts = TrustAnchorValidator(
            paths: try GnuTLSPathValidator(anchors: [root.certificate]) { secondsNow() }, names: .displayName)
        for names in [
            "DNS:peer.example", "DNS:*.example", "URI:multipeer:peer/Peer.example", "URI:MULTIPEER:peer/peer.example",
        ] {
            let leaf = try root.issue(extensions: "basicConstraints=critical,CA:FALSE\nsubjectAltName=\(names)\n")
                .certificate
            let shown = try evidence(of: leaf, name: "peer.example")
            #expect(await hosts.verify(shown) == .rejected(.nameMismatch), "\(names)")
        }
        let uri = "basicConstraints=critical,CA:FALSE\nsubjectAltName=URI:multipeer:peer/peer.example\n"
        let named = try root.issue(extensions: uri).certificate
        #expect(await hosts.verify(try evidence(of: named, name: "peer.example")).leadsToAnchor)
        #expect(await hosts.verify(try evidence(of: named, name: "PEER.example")) == .rejected(.nameMismatch))
    }

    @Test(
        "An authority that is confined to some names certifies no display names, SPEC §10.8",
        arguments: ["permitted;DNS:example", "excluded;DNS:other", "permitted;URI:example", "excluded;URI:other"])
    func confined(constraint: String) async throws {
        let root = try TestAuthority(
            extensions: TestAuthority.rootExtensions + "nameConstraints=critical,\(constraint)\n")
        let paths = try GnuTLSPathValidator(anchors: [root.certificate]) { secondsNow() }
        let extensions = "basicConstraints=critical,CA:FALSE\nsubjectAltName=DNS:a.example,URI:multipeer:peer/Ada\n"
        let leaf = try evidence(of: root.issue(extensions: extensions).certificate, name: "Ada")
        let named = TrustAnchorValidator(paths: paths, names: .displayName)
        #expect(await named.verify(leaf) == .rejected(.nameConstraint))
        // Where no display name is expected, only constraints of URIs refuse it.
        let speaksOfURIs = constraint.contains("URI")
        let any = TrustAnchorValidator(paths: paths)
        let verdict = await any.verify(leaf)
        #expect(speaksOfURIs ? verdict == .rejected(.nameConstraint) : verdict.leadsToAnchor)
    }
}

extension Verdict {
    fileprivate var leadsToAnchor: Bool { if case .accepted(.trustAnchor) = self { true } else { false } }
}
