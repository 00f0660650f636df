internal import MultipeerCore
internal import MultipeerWire

/// How scripts get to a stage of SPEC §17.
extension Script {
    /// The stages, and what is between them.
    enum Stage: String, CaseIterable {
        case proof, info, identified, inviting, invited
        /// Certificates are awaited: as invitee, and as inviter.
        case certificatesInvitee, certificatesInviter
        /// CERTIFICATES came, and the app judges.
        case judging
        /// The peer's READY came before one's own verdict.
        case peerReady
        /// One's own READY is sent, the peer's has not come.
        case selfReady
        case open, closing
    }

    /// Goes there in the shortest way.
    func reach(_ stage: Stage, preference: UInt8 = 1) throws {
        try shakeHands()
        switch stage {
        case .proof: return
        case .info: try send(proof())
        case .identified, .inviting, .invited: try identify()
        case .certificatesInvitee, .certificatesInviter, .judging, .peerReady, .selfReady, .open, .closing:
            try identify()
            try agree(selfInvites: stage != .certificatesInvitee, preference: preference)
        }
        switch stage {
        case .inviting: try selfInvites(preference: preference)
        case .invited: try send(invite(preference: preference))
        case .judging: try send(noCertificates)
        case .peerReady: try send(noCertificates, ready)
        case .selfReady:
            try send(noCertificates)
            try app("resolve", ["verdict": "accept"])
        case .open: try openLink()
        case .closing:
            try openLink()
            try app("close")
        default: break
        }
        if setting.role != .responder || stage != .proof { try hear() }
    }

    /// PROOF and PEER_INFO of the peer.
    func identify() throws { try send(proof(), peerInfo()) }

    /// The implementation's app invites.
    func selfInvites(
        preference: UInt8 = 1, timeout: Int = 30_000, charter: [UInt8]? = nil, certificate: String? = nil
    ) throws {
        try app(
            "invite",
            try answer(preference, certificate).merging([
                "timeout": .integer(timeout), "context": .hex(Array("join".utf8)),
            ]) { own, _ in own }.merging(charter.map { ["charter": .hex($0)] } ?? [:]) { own, _ in own })
    }

    /// The implementation's app accepts.
    func selfAccepts(preference: UInt8 = 1, certificate: String? = nil) throws {
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
    func agree(selfInvites isInviter: Bool, preference: UInt8) throws {
        if isInviter {
            try selfInvites(preference: preference)
            try hear()
            try send(accept(preference: preference, outcome: preference == 0 ? 0 : 1))
        } else {
            try send(invite(preference: preference))
            try selfAccepts(preference: preference)
        }
    }

    /// CERTIFICATES, verdicts and READY, both ways.
    func openLink() throws {
        try send(noCertificates)
        try app("resolve", ["verdict": "accept"])
        try send(ready)
    }
}
