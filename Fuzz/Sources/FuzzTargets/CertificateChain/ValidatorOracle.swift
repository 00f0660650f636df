import FuzzSupport
import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS

/// Verdicts of validators on genuine chains, under names and keys that the input chooses (SPEC §10.5–§10.8).
enum ValidatorOracle {
    static func judge(_ choices: inout Choices) throws {
        let shown = ShownPeer(&choices)
        switch choices.int(below: 3) {
        case 0: try anchors(shown, &choices)
        case 1: try pins(shown, &choices)
        default: try firstUse(shown, &choices)
        }
    }

    /// The display name counts only where it is asked for, and only as a URI; and not under an authority that is confined to
    /// some names.
    private static func anchors(_ shown: ShownPeer, _ choices: inout Choices) throws {
        let root = Certificate(der: Fixtures.authority["root"] ?? [])
        let paths = try GnuTLSPathValidator(anchors: [root]) { GenuineLeaf.start(2030) }
        let asksForName = choices.bool()
        let validator = TrustAnchorValidator(paths: paths, names: asksForName ? .displayName : .any)
        let verdict = InlineExecutor.value { await validator.verify(shown.evidence) }
        guard shown.fingerprint != nil else {
            return try requireEqual(verdict, .rejected(.missing), "a chain that nobody signed for")
        }
        let isGood = shown.leaf.rejection == nil && shown.leaf.window.contains(GenuineLeaf.start(2030))
        let isConfined = shown.leaf.authorities.contains("constrained")
        let isNamed = !asksForName || shown.name == "Ada" && !isConfined
        let leadsToAnchor = if case .accepted(.trustAnchor) = verdict { true } else { false }
        try requireEqual(
            leadsToAnchor, isGood && isNamed,
            "\(shown.leaf.name), shown as \(shown.name), asked for: \(asksForName): \(verdict)")
    }

    /// One pin that is this peer's is enough, and nothing else is.
    private static func pins(_ shown: ShownPeer, _ choices: inout Choices) throws {
        let kinds = choices.byte()
        var pins: Set<PinnedKeyValidator.Pin> = []
        if kinds & 1 != 0 { pins.insert(.identity(shown.key)) }
        if kinds & 2 != 0, let own = shown.fingerprint { pins.insert(.leaf(own)) }
        if kinds & 4 != 0 { pins.insert(.identity(choices.identityKey(31, then: 0x77))) }
        let isPinned = kinds & 1 != 0 || kinds & 2 != 0 && shown.fingerprint != nil
        let validator = PinnedKeyValidator(pins: pins)
        let verdict = InlineExecutor.value { await validator.verify(shown.evidence) }
        try requireEqual(verdict, isPinned ? .accepted(.pinnedKey) : .rejected(.pinMismatch), "pins \(kinds)")
    }

    /// Keys are remembered. None of these peers was called, so that their names are provisional, and keep nobody from them.
    private static func firstUse(_ shown: ShownPeer, _ choices: inout Choices) throws {
        let validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())
        var known: [ShownPeer] = []
        var peer = shown
        for _ in 0..<4 {
            let evidence = peer.evidence
            let verdict = InlineExecutor.value { await validator.verify(evidence) }
            let same = known.first { $0.key == peer.key }
            switch verdict {
            case .accepted(.firstUse):
                try require(same == nil, "met for the first time: \(peer.name)")
                known.append(peer)
            case .accepted(.remembered):
                try require(same?.fingerprint == peer.fingerprint && same != nil, "remembered: \(peer.name)")
            case .rejected(.identityChanged):
                try require(same != nil, "changed, and not met before: \(peer.name)")
            default: throw OracleFailure("a verdict that the model does not know: \(verdict)")
            }
            if let same, same.name == peer.name, same.fingerprint == peer.fingerprint {
                try requireEqual(verdict, .accepted(.remembered), "met again: \(peer.name)")
            }
            if choices.bool() { peer = ShownPeer(&choices) }
        }
    }
}

/// A peer that shows a genuine chain, under any name, and has signed with its key or not.
struct ShownPeer {
    let leaf: GenuineLeaf
    let evidence: PeerEvidence

    private static let names = [
        "Ada", "ada", "ada.example.org", "ADA.Example.org", "ok.example.org", "e\u{301}", "\u{E9}",
    ]

    init(_ choices: inout Choices) {
        let selector = choices.int(below: Self.names.count + 1)
        let text =
            selector < Self.names.count
            ? Self.names[selector] : String(decoding: choices.bytes(upTo: 63), as: UTF8.self)
        // What is no display name does not come this far (R4.2-1).
        let name = (try? DisplayName(text)) ?? Persona.anna.name
        leaf = choices.pick(GenuineLeaf.all)
        let key = choices.identityKey(1, then: 0x33)
        let ders = ([leaf.name] + leaf.authorities).map { Fixtures.authority[$0] ?? [] }
        let chain = choices.int(below: 4) == 0 ? nil : try? UnverifiedCertificateChain(ders.map(Certificate.init(der:)))
        let fingerprint = choices.bool() ? nil : chain.flatMap { try? CertificateLoader.fingerprint(of: $0.leaf) }
        evidence = PeerEvidence(
            peer: PeerID(key: key, displayName: name), chain: chain, leafFingerprint: fingerprint)
    }

    var name: String { evidence.peer.displayName?.description ?? "" }
    var key: IdentityKey { evidence.peer.key }
    /// There is one only where a chain is whose leaf has signed the link.
    var fingerprint: KeyFingerprint? { evidence.leafFingerprint }
}
