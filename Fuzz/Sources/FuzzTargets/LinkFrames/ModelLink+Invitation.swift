import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What one peer brings: a preference of SPEC §11, a certificate or none; and for an inviter the rest of INVITE.
struct ModelTerms {
    var preference: UInt8
    var leaf: [UInt8]?
    /// Nil: a new session, whose charter is drawn at random.
    var charter: [UInt8]?
    var timeout: UInt64 = 30_000
    var context: [UInt8] = []

    var kind: UInt8 { leaf == nil ? 0 : 1 }
}

/// SPEC §8, §10 and §11.
extension ModelLink {
    /// §11: nil is *refused*.
    static func outcome(_ inviter: UInt8, _ invitee: UInt8) -> UInt8? {
        [[0, 0, nil], [0, 1, 1], [nil, 1, 1]][Int(inviter)][Int(invitee)]
    }

    // MARK: Frames

    mutating func receiveInInfo(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        guard type == 0x04 else { throw .unexpectedFrame }
        let (name, maximum, features) = try ModelFrame.peerInfo(bytes)
        verification.isListedByPeer = features.contains(0x0001)
        peerMaximum = maximum
        peerInfo = ModelSent(0x04, bytes).encoded
        events.append(.identified(name: name))
        state = .identified
        setDeadline(now + 60_000_000_000)
        guard invitation != nil else { return }
        if !hasInvited { sendInvite() }
        state = .inviting(hasCrossed: false)
        setDeadline(inviteDeadline)
        expire()
    }

    mutating func receiveInIdentified(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        switch type {
        case 0x06: ask(try judged(bytes), bytes)
        case 0x26 where role == .responder: try receiveResume(bytes)
        default: throw .unexpectedFrame
        }
    }

    /// R13.9-5: the honest peer has no association that could continue. As if it had not invited (R13.9-7).
    private mutating func receiveResume(_ bytes: [UInt8]) throws(ModelFault) {
        try ModelFrame.resume(bytes)
        decline(6, [], "noSession", at: .identified)
    }

    /// Fields, R8.2-5 and R8.2-7, the role of the sender, and the chain, in this order (§8.2).
    func judged(_ bytes: [UInt8]) throws(ModelFault) -> ModelInvite {
        let invite = try ModelFrame.invite(bytes, from: peerKey)
        // R14.8-1: a member that dials is the initiator.
        if invite.sessionKind == 2, role == .initiator { throw .unexpectedFrame }
        var reader = ModelReader(invite.charter)
        let charter = try reader.charter()
        if let chain = invite.chain, !charter.isValid(chain, for: peerKey) { throw .entryInvalid }
        return invite
    }

    private mutating func ask(_ invite: ModelInvite, _ bytes: [UInt8]) {
        (received, inviteFrame) = (invite, ModelSent(0x06, bytes).encoded)
        events.append(.invited(invite))
        state = .invited
        setDeadline(now + invite.timeout * 1_000_000)
    }

    mutating func receiveInInvited(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        guard type == 0x0C else { throw .unexpectedFrame }
        close(.failure(.invited, try ModelFrame.cancel(bytes)), 0)
    }

    mutating func receiveInInviting(_ type: UInt64, _ bytes: [UInt8], _ hasCrossed: Bool) throws(ModelFault) {
        switch type {
        case 0x08: try receiveAccept(bytes)
        case 0x0A: end(try ModelFrame.decline(bytes), telling: 0)
        case 0x06 where !hasCrossed: try receiveCrossing(bytes)
        case 0x26 where !hasCrossed && role == .responder: try receiveResume(bytes)
        case 0x0C where hasCrossed: close(.failure(.inviting, try ModelFrame.cancel(bytes)), 0)
        default: throw .unexpectedFrame
        }
    }

    private mutating func receiveAccept(_ bytes: [UInt8]) throws(ModelFault) {
        let accept = try ModelFrame.accept(bytes)
        guard let own = invitation, Self.outcome(own.preference, accept.preference) == accept.outcome else {
            throw .policyViolation
        }
        events.append(.accepted(accept.outcome == 1 ? .encrypted : .readable))
        (terms, session, isInviter, peerKind) = (own, ModelInvite.session(of: own.charter ?? []), true, accept.kind)
        beginCertificates(accept.outcome, accept: ModelSent(0x08, bytes).encoded)
    }

    /// R8.6-1.
    private mutating func receiveCrossing(_ bytes: [UInt8]) throws(ModelFault) {
        let invite = try judged(bytes)
        guard let own = invitation else { throw .unexpectedFrame }
        let (mine, theirs) = (ModelInvite.session(of: own.charter ?? []), ModelInvite.session(of: invite.charter))
        if mine == theirs ? hasLesserKey : mine.lexicographicallyPrecedes(theirs) {
            state = .inviting(hasCrossed: true)
        } else {
            ask(invite, bytes)
        }
    }

    // MARK: Answers

    /// ACCEPT and CERTIFICATES, or R8.4-2.
    mutating func answer(_ own: ModelTerms) {
        guard let invite = received else { return }
        guard let outcome = Self.outcome(invite.preference, own.preference) else {
            return decline(3, [own.preference], "policy_conflict")
        }
        (terms, session, isInviter, peerKind) = (
            own, ModelInvite.session(of: invite.charter), false, invite.kind
        )
        let accept = ModelSent(0x08, [own.preference, own.kind, outcome, 0])
        sent.append(accept)
        beginCertificates(outcome, accept: accept.encoded)
    }

    mutating func decline(_ reason: UInt8, _ detail: [UInt8], _ name: String, at stage: LinkStage = .invited) {
        sent.append(ModelSent(0x0A, [reason] + ModelSent.vector(detail) + [0]))
        close(.failure(stage, name), 0)
    }

    /// CANCEL and CLOSE.
    mutating func withdraw(_ reason: UInt8, _ name: String) {
        sent.append(ModelSent(0x0C, [reason, 0]))
        close(.failure(.inviting, name), 0)
    }

    mutating func sendInvite() {
        guard let own = invitation else { return }
        let charter = own.charter ?? [UInt8](repeating: 0, count: 65)
        let payload =
            charter + [own.charter == nil || !isCharterGiven ? 1 : 0, own.preference, own.kind]
            + ModelSent.varint(own.timeout) + ModelSent.vector(own.context) + (isCharterGiven ? [2, 2, 0] : [0])
        inviteFrame = ModelSent(0x06, payload).encoded
        sent.append(ModelSent(0x06, payload))
        hasInvited = true
        inviteDeadline = now + own.timeout * 1_000_000
    }

    // MARK: Certificates

    private mutating func beginCertificates(_ outcome: UInt8, accept: [UInt8]) {
        isReadable = outcome == 0
        state = .certificates
        setDeadline(now + 60_000_000_000)
        acceptFrame = accept
        sent.append(ModelSent(0x0E, ownCertificates()))
    }

    private func ownCertificates() -> [UInt8] {
        guard let leaf = terms.leaf else { return [0, 0, 0, 0, 0] }
        let chain = ModelSent.vector(leaf)
        return binding.certificates(of: role, isByLink: true, self, chain: chain, leaf: leaf)
    }

    mutating func receiveInCertificates(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        switch type {
        case 0x0E where !hasCertificates:
            let shown = try ModelFrame.certificates(bytes)
            if peerKind == 0 {
                guard shown.encoded.isEmpty, shown.algorithm == 0, shown.signature.isEmpty else { throw .malformed }
            } else {
                guard !shown.chain.isEmpty else { throw .malformed }
                guard binding.isValid(shown, by: self) else { throw .bindingInvalid }
            }
            hasCertificates = true
            events.append(.judge(chain: shown.chain))
        case 0x0C where !hasCertificates && !isInviter:
            close(.failure(.certificates, try ModelFrame.cancel(bytes)), 0)
        case 0x10 where hasCertificates && !isPeerReady:
            try ModelFrame.fieldsAlone(bytes)
            isPeerReady = true
            if hasAccepted { open() }
        default: throw .unexpectedFrame
        }
    }

    /// The app's verdict.
    mutating func judge(_ isAccepted: Bool) {
        guard isAccepted else { return end("certificate_rejected", telling: 0x11) }
        hasAccepted = true
        sent.append(ModelSent(0x10, [0]))
        if isPeerReady { open() }
    }

    private mutating func open() {
        (state, hasDeadline) = (.open, false)
        (payload.lastHeard, payload.lastAsked, payload.peerMaximum) = (now, now, peerMaximum)
        // R14.5-1: the peer's INVITE wins, and is of kind 0 or 1.
        var charter = ModelReader(isInviter ? invitation?.charter ?? [] : received?.charter ?? [])
        guest = ModelGuest(
            mayBeAdmitted: !isInviter && received?.sessionKind != 2, charter: try? charter.charter(), own: ownKey,
            checks: guest.checks)
        events.append(.opened(isReadable ? .readable : .encrypted, session: session, maximum: peerMaximum))
    }
}
