internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// The two peers of a script, with all that is random fixed.
struct ScriptSetting {
    /// The implementation's role.
    var role: LinkRole
    var suite = Suite.chaChaPoly
    /// What the implementation supports; nil: the suite alone.
    var suites: [UInt16]?
    /// Whether the implementation has the lesser identity key, and so an INVITE that wins.
    var ownKeyIsLesser = true
    var maximumMessage = 4_096
    var expectsPeer: Expectation = .anyone
    var showsName: NameRule = .toAll
    /// The peers that list the feature *verification* (SPEC §25.6).
    var verification = Listing.nobody
    /// The peers that list the feature *datagrams* (SPEC §26).
    var datagrams = Listing.nobody
    /// Where an implementation that is the responder takes datagrams; nil if it does not.
    var datagramPort: Int?

    /// What the implementation needs besides its suite (Vectors/README.md).
    var needs: [String] = []

    enum Listing { case nobody, both, ownSide, peer }

    /// The peers to which the implementation shows its name (R8.1-6).
    enum NameRule { case toAll, toThePeer, toSomeoneElse }

    enum Expectation { case anyone, thePeer, someoneElse }

    init(_ role: LinkRole, suite: Suite = .chaChaPoly) {
        self.role = role
        self.suite = suite
    }

    /// What the peer's PEER_INFO lists.
    var peersFeatures: [UInt16] {
        (verification == .both || verification == .peer ? [Feature.verification.rawValue] : [])
            + (datagrams == .both || datagrams == .peer ? [Feature.datagrams.rawValue] : [])
    }

    /// One peer's fixed values.
    struct Side {
        let seed: [UInt8]
        let name: [UInt8]
        let ephemeral: [UInt8]
        let nonce: [UInt8]
        let key: [UInt8]
    }

    /// Both peers; the implementation first.
    func sides(_ samples: Samples) throws -> (own: Side, peer: Side) {
        let seeds = [samples.bytes32("script identity one"), samples.bytes32("script identity two")]
        let keys = [try samples.identityKey(seed: seeds[0]), try samples.identityKey(seed: seeds[1])]
        let lesser = keys[0].lexicographicallyPrecedes(keys[1]) ? 0 : 1
        let own = ownKeyIsLesser ? lesser : 1 - lesser
        func side(_ index: Int, _ name: String, _ label: String) -> Side {
            Side(
                seed: seeds[index], name: Array(name.utf8), ephemeral: samples.bytes32("script ephemeral \(label)"),
                nonce: samples.bytes32("script session \(label)"), key: keys[index])
        }
        return (side(own, "Self", "self"), side(1 - own, "Peer", "peer"))
    }

    /// What a peer's part of ML-KEM-768 gives, if it has a hybrid suite.
    func hybridParams(_ role: LinkRole, _ samples: Samples) throws -> [String: JSONValue] {
        let isHybrid = (suites ?? [suite.rawValue]).contains { Suite(rawValue: $0)?.isHybrid ?? false }
        guard isHybrid else { return [:] }
        if role == .initiator { return ["kemSeed": .hex(samples.kemSeed)] }
        let made = try samples.encapsulated()
        return ["kemCiphertext": .hex(made.ciphertext), "kemSecret": .hex(made.secret)]
    }

    /// The parameters of the group, without the keys that the handshake gives.
    func params(_ samples: Samples) throws -> [String: JSONValue] {
        let (own, peer) = try sides(samples)
        var params: [String: JSONValue] = [
            "role": .string(role.name), "suite": .integer(Int(suite.rawValue)), "identitySeed": .hex(own.seed),
            "displayName": .hex(own.name), "maximumMessage": .integer(maximumMessage),
            "ephemeralPrivate": .hex(own.ephemeral), "sessionNonce": .hex(own.nonce),
            "peer": [
                "identitySeed": .hex(peer.seed), "displayName": .hex(peer.name),
                "ephemeralPrivate": .hex(peer.ephemeral),
            ],
        ]
        for (name, value) in try hybridParams(role, samples) { params[name] = value }
        if datagrams == .both || datagrams == .ownSide {
            params["features"] = [.integer(Int(Feature.datagrams.rawValue))]
        }
        if let datagramPort { params["datagramPort"] = .integer(datagramPort) }
        if verification == .both || verification == .ownSide {
            params["features"] = [.integer(Int(Feature.verification.rawValue))]
            params["random"] = .array((1...4).map { .hex(samples.bytes32("script randomness \($0)")) })
        }
        if let suites { params["suites"] = .array(suites.map { .integer(Int($0)) }) }
        switch showsName {
        case .toAll: break
        case .toThePeer: params["showsNameTo"] = .array([.hex(peer.key), .hex(samples.bytes32("someone else"))])
        case .toSomeoneElse: params["showsNameTo"] = .array([.hex(samples.bytes32("someone else"))])
        }
        switch expectsPeer {
        case .anyone: break
        case .thePeer: params["expectedPeer"] = .hex(peer.key)
        case .someoneElse: params["expectedPeer"] = .hex(samples.bytes32("someone else"))
        }
        return params
    }
}
