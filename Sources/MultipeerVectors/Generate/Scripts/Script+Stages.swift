internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerWire

/// How scripts get to a stage of SPEC §17.
extension Script {
    typealias Stage = Place

    /// Goes there in the shortest way.
    @discardableResult
    func reach(_ stage: Stage, preference: UInt8 = 1) throws -> Script {
        try shakeHands()
        switch stage {
        case .proof: return self
        case .info: try send(proof())
        case .identified, .inviting, .invited: try identify()
        case .certificatesInvitee, .certificatesInviter, .judging, .peerReady, .selfReady, .open, .closing, .receiving:
            try identify().agree(selfInvites: stage != .certificatesInvitee, preference: preference)
        }
        switch stage {
        case .inviting: try selfInvites(preference: preference)
        case .invited: try send(invite(preference: preference))
        case .judging: try send(noCertificates)
        case .peerReady: try send(noCertificates, ready)
        case .selfReady: try send(noCertificates).app("resolve", ["verdict": "accept"])
        case .open: try openLink()
        case .closing: try openLink().app("close")
        case .receiving: return try openLink().hear().send(fileOffer()).app("acceptFile").hear()
        default: break
        }
        return try hear()
    }

    /// PROOF and PEER_INFO of the peer.
    @discardableResult
    func identify() throws -> Script { try send(proof(), peerInfo()) }

    /// The implementation's app invites.
    @discardableResult
    func selfInvites(
        preference: UInt8 = 1, timeout: Int = 30_000, charter: [UInt8]? = nil, chain: [UInt8]? = nil,
        sessionKind: Int? = nil, certificate: String? = nil
    ) throws -> Script {
        try app(
            "invite",
            try answer(preference, certificate).merging([
                "timeout": .integer(timeout), "context": .hex(Array("join".utf8)),
            ]) { own, _ in own }.merging(
                [
                    "charter": charter.map(JSONValue.hex), "chain": chain.map(JSONValue.hex),
                    "sessionKind": sessionKind.map(JSONValue.integer),
                ].compactMapValues(\.self)
            ) { own, _ in own })
    }

    /// The implementation's app accepts.
    @discardableResult
    func selfAccepts(preference: UInt8 = 1, certificate: String? = nil) throws -> Script {
        try app("accept", try answer(preference, certificate))
    }

    private func answer(_ preference: UInt8, _ certificate: String?) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "preference": .integer(Int(preference)), "identityKind": .integer(certificate == nil ? 0 : 1),
        ]
        if let certificate {
            members["certificate"] = try material.key(certificate).json
            hidesSignature = !certificate.hasPrefix("ed25519")
        }
        return members
    }

    /// INVITE and ACCEPT, with the same preference of both.
    @discardableResult
    func agree(selfInvites isInviter: Bool, preference: UInt8) throws -> Script {
        if isInviter {
            try selfInvites(preference: preference).hear()
            return try send(accept(preference: preference, outcome: preference == 0 ? 0 : 1))
        } else {
            return try send(invite(preference: preference)).selfAccepts(preference: preference)
        }
    }

    /// CERTIFICATES, verdicts and READY, both ways.
    @discardableResult
    func openLink() throws -> Script {
        try send(noCertificates).app("resolve", ["verdict": "accept"]).send(ready)
    }

    // MARK: In one topic

    /// As far as the peer's CERTIFICATES; the peer is the invitee and may say that it shows a chain.
    @discardableResult
    func invited(peerShows: Bool, own: String? = nil) throws -> Script {
        try reach(.identified).selfInvites(certificate: own).hear()
            .send(accept(identityKind: peerShows ? 1 : 0)).hear()
    }

    /// An accepted file of five bytes.
    @discardableResult
    func receiving() throws -> Script { try reach(.receiving) }

    /// The app offers a file.
    @discardableResult
    func offersFile(size: Int = 5) throws -> Script {
        try app("offerFile", ["name": .hex(Array("hello.txt".utf8)), "size": .integer(size)]).hear()
    }

    /// The app supplies all of the file.
    @discardableResult
    func supplies() throws -> Script { try app("supply", ["bytes": .hex(Array("hello".utf8))]).hear() }
}
