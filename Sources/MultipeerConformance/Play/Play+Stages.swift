import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// The honest way to each stage, with ``Play/terms``.
extension Play {
    /// Goes where a case begins. If the peer does not come along, the case says nothing.
    func reach(_ target: Stage) throws(Interruption) {
        do throws(Interruption) {
            try advance(to: target)
        } catch {
            switch error {
            case .unexpected(let what):
                throw .inconclusive("the case begins at \(target.name), which was not reached: \(what)")
            case .silence(let awaited):
                throw .inconclusive("the case begins at \(target.name), which was not reached: no \(awaited) in time")
            case .failed, .skipped, .inconclusive, .broke, .own: throw error
            }
        }
    }

    /// Continues to a stage that every conforming peer reaches. The case asks for just that.
    func mustReach(_ target: Stage) throws(Interruption) -> Evidence {
        try advance(to: target)
        return Evidence("the peer came along to \(target.name)")
    }

    func advance(to target: Stage) throws(Interruption) {
        while stage < target {
            switch stage {
            case .connected: try makeChannel()
            case .channel: try exchangeProofs()
            case .proved: try introduce()
            case .identified: try agree()
            case .agreed: try certify()
            case .certified: try sendReady()
            case .open: return
            }
            stage = Stage(rawValue: stage.rawValue + 1) ?? .open
        }
    }

    private func makeChannel() throws(Interruption) {
        if role == .initiator {
            try peer.sendHello(terms.offer)
            guard case .hello = try peer.next(awaiting: "HELLO") else {
                throw .unexpected("the peer does not answer HELLO by its own")
            }
        } else {
            let offer = try awaitHello()
            let known = offer.suites.compactMap(Suite.init(rawValue:))
            guard let suite = terms.suite.map({ suite in known.first { $0 == suite } }) ?? known.first else {
                throw .skipped("the peer offers no suite that this case needs")
            }
            try peer.sendAnswer(ScriptedPeer.Answer(suite: suite.rawValue))
        }
    }

    /// The live initiator's hello.
    func awaitHello() throws(Interruption) -> InitiatorHello {
        guard case .hello(let body) = try peer.next(awaiting: "HELLO") else {
            throw .unexpected("the peer does not begin by HELLO")
        }
        do throws(WireError) {
            return try InitiatorHello(body: body.span)
        } catch {
            throw .broke(rule: "R3.3-1", "the peer's HELLO does not decode")
        }
    }

    /// The tester's PEER_INFO.
    private func introduce() throws(Interruption) {
        peer.behavior.listsVerification = terms.features.contains(Feature.verification.rawValue)
        peer.behavior.verification = profile.verification
        try peer.send(WireBytes.peerInfo(features: terms.features))
    }

    /// Both PROOFs, and the peer's PEER_INFO.
    private func exchangeProofs() throws(Interruption) {
        if role == .initiator { _ = try take(.proof) }
        peer.behavior.sentProof = true
        try peer.sendProof()
        if role == .responder { _ = try take(.proof) }
        _ = try take(.peerInfo)
    }

    // MARK: Invitation

    private func agree() throws(Interruption) {
        switch profile.invitations {
        case .accepts:
            try sendInvite()
            try awaitAccept()
        case .invites:
            try awaitInvite()
            try sendAccept()
        }
        _ = try take(.certificates)
    }

    /// A new session that the tester founds.
    var ownCharter: [UInt8] { WireBytes.charter(founder: peer.identity.identityKey.rawBytes) }

    /// INVITE to a new session that the tester founds, unless said otherwise.
    func invite(
        charter: [UInt8]? = nil, sessionKind: UInt8 = 1, preference: UInt8 = 1, identityKind: UInt8 = 0,
        timeout: UInt64 = 30_000, context: [UInt8] = [], fields: [UInt8] = [], rest: [UInt8] = []
    ) -> [UInt8] {
        WireBytes.invite(
            charter: charter ?? ownCharter, sessionKind: sessionKind, preference: preference,
            identityKind: identityKind, timeout: timeout, context: context, fields: fields, rest: rest)
    }

    /// INVITE with the tester's terms, to a new session.
    func sendInvite(charter: [UInt8]? = nil) throws(Interruption) {
        let invite = invite(
            charter: charter, preference: terms.preference.rawValue, identityKind: terms.certificate == nil ? 0 : 1,
            timeout: terms.timeout, context: terms.context)
        (peer.invite, peer.inviter) = (invite, role)
        try peer.send(invite)
    }

    /// Waits for the peer's ACCEPT. Its outcome must be right.
    @discardableResult
    func awaitAccept() throws(Interruption) -> Accept {
        let frame = try take(.accept)
        guard let accept = try? Accept(payload: frame.payload.span) else {
            throw .broke(rule: "R8.3-2", "the peer's ACCEPT does not decode")
        }
        guard Policy.outcome(terms.preference, accept.preference) == accept.outcome else {
            throw .broke(rule: "R8.3-1", "the outcome is not what the table of §11 gives for both preferences")
        }
        peer.behavior.outcome = accept.outcome
        return accept
    }

    /// Waits for the peer's INVITE.
    @discardableResult
    func awaitInvite() throws(Interruption) -> Invite {
        let frame = try take(.invite)
        guard let invite = try? Invite(payload: frame.payload.span) else {
            throw .broke(rule: "R8.2-1", "the peer's INVITE does not decode")
        }
        return invite
    }

    /// What the peer's INVITE says.
    var peerInvite: Invite? {
        guard peer.inviter == role.other, !peer.invite.isEmpty else { return nil }
        let bytes = peer.invite
        var reader = Reader(bytes.span)
        guard (try? reader.varint(.frameType)) != nil, let payload = try? reader.bytes(0...65_511, .framePayload) else {
            return nil
        }
        return try? Invite(payload: payload.span)
    }

    /// Sends ACCEPT with the tester's terms and the right outcome.
    func sendAccept() throws(Interruption) {
        guard let invite = peerInvite else { throw .inconclusive("there is no INVITE to accept") }
        guard let outcome = Policy.outcome(invite.preference, terms.preference) else {
            throw .skipped("the peer's encryption preference is \(invite.preference), which this case cannot go with")
        }
        peer.behavior.outcome = outcome
        let accept = WireBytes.accept(
            preference: terms.preference.rawValue, identityKind: terms.certificate == nil ? 0 : 1,
            outcome: outcome.rawValue)
        peer.accept = accept
        try peer.send(accept)
    }

    // MARK: Certificates

    private func certify() throws(Interruption) {
        peer.behavior.sentCertificates = true
        try peer.send(try certificates())
        _ = try take(.ready)
    }

    /// Sends READY. Afterwards the link is open for both peers.
    func sendReady() throws(Interruption) {
        peer.behavior.sentReady = true
        try peer.send(WireBytes.ready)
    }

    // MARK: Waiting

    /// Returns the next frame that is not ignorable. It must have the given type.
    func take(_ type: FrameType) throws(Interruption) -> ScriptedPeer.Frame {
        let name = type.name
        let frame = try nextFrame(awaiting: name, heeding: type)
        guard frame.known == type else {
            if frame.known == .decline, let reason = frame.payload.first {
                if reason == 3 { throw .skipped("the peer's encryption preference cannot go with this case") }
                throw .unexpected("the peer declined (reason \(reason))")
            }
            throw .unexpected("\(frame.text) came in place of \(name)")
        }
        return frame
    }

    /// Returns the next frame that is not ignorable, nor one by which a peer keeps an open link going: those are in the
    /// ledger (``AssociationLedger``), unless the caller asks for their type.
    func nextFrame(awaiting name: String, heeding heeded: FrameType? = nil) throws(Interruption) -> ScriptedPeer.Frame {
        while true {
            switch try peer.next(awaiting: name) {
            case .frame(let frame):
                guard let type = frame.known else {
                    if frame.type % 2 == 1 { continue }
                    return frame
                }
                if type == .padding || (type.isHousekeeping && type != heeded) { continue }
                return frame
            case .end: throw .unexpected("the stream ended in place of \(name)")
            case .hello: throw .unexpected("HELLO came in place of \(name)")
            case .refusal(let body): throw .unexpected("REFUSAL (code \(body.first ?? 0)) came in place of \(name)")
            }
        }
    }
}

extension FrameType {
    /// What a peer may send on an open link at any time, whatever the case is about.
    fileprivate var isHousekeeping: Bool {
        switch self {
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter, .streamData,
            .streamEnd,
            .streamReset, .streamStop:
            true
        default: false
        }
    }
}

/// The table of SPEC §11.
enum Policy {
    static func outcome(_ one: EncryptionPreference, _ other: EncryptionPreference) -> EncryptionOutcome? {
        switch (min(one.rawValue, other.rawValue), max(one.rawValue, other.rawValue)) {
        case (0, 2): nil
        case (0, _): .readable
        default: .encrypted
        }
    }
}
