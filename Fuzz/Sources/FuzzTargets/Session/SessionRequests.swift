import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What apps ask for. Every misuse is foreseen, and changes nothing.
extension SessionWorld {
    /// Asks a link. `isTimed` requests say when they come, so they can be late.
    @discardableResult
    func request(
        _ side: Int, _ name: String, isTimed: Bool = true, isAllowed: Bool, _ body: (inout Link) throws -> Void
    ) throws -> Bool {
        let peer = peers[side]
        let isLate = isTimed && peer.isDue(at: now)
        let acknowledges = isTimed && peer.isAcknowledging(at: now)
        let before = peer.snapshot(acknowledges: acknowledges)
        if isTimed { peer.toldTime = now }
        do {
            try body(&peer.link)
        } catch is RequestError {
            record.add(0x20)
            if isLate {
                try require(
                    [.closing, .closed].contains(peer.link.stage), "a late \(name) leads to \(peer.link.stage)")
            } else if before.stage == .draining, acknowledges, peer.link.stage == .closing {
                // What was due was not an ACK: the queue has stood still too long, so CLOSE goes without the rest of it (§16.1).
                try require(!isAllowed, "\(name) is a misuse in \(before.stage)")
            } else {
                try require(!isAllowed, "\(name) is a misuse in \(before.stage)")
                try requireEqual(peer.snapshot(acknowledges: acknowledges), before, "a misuse of \(name)")
                if let effect = peer.link.nextEffect() { throw OracleFailure("a misuse of \(name): \(effect)") }
            }
            return false
        }
        try require(isAllowed && !isLate, "\(name) is allowed in \(before.stage), late: \(isLate)")
        return true
    }

    // MARK: Invitations

    func invite(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        let peer = peers[side]
        let invitation = SessionChoices.invitation(of: side, setting.key(side), first, second)
        let stage = peer.link.stage
        let isValid = SessionChoices.isValid(invitation)
        let isAllowed =
            isValid && peer.memory.invitation == nil && [.hello, .proof, .info, .identified, .pairing].contains(stage)
        // What is no invitation is refused without a look at the clock.
        guard
            try request(
                side, "invite", isTimed: isValid, isAllowed: isAllowed, { try $0.invite(invitation, at: now) })
        else { return }
        peer.memory.invitation = invitation
        peer.stageOfInvitation = stage
        // An initiator that expects this peer need not know its name (R8.2-6).
        if stage == .identified || side == 0 && setting.expectation > 0 && stage == .info {
            peer.memory.inviteSentAt = now
        }
    }

    func accept(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        let peer = peers[side]
        guard let token = SessionChoices.token(peer.memory.invitationTokens, peers[1 - side], second) else { return }
        let terms = SessionChoices.terms(of: side, first)
        guard
            try request(side, "accept", isAllowed: isOpen(token, side), { try $0.accept(token, with: terms, at: now) })
        else { return }
        peer.memory.hasAnsweredInvitation = true
        peer.memory.acceptedTerms = terms
    }

    func decline(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        let peer = peers[side]
        guard let token = SessionChoices.token(peer.memory.invitationTokens, peers[1 - side], second) else { return }
        let reason: DeclineReason = [.declined, .busy][Int(first) % 2]
        guard try request(side, "decline", isAllowed: isOpen(token, side), { try $0.decline(token, reason, at: now) })
        else { return }
        peer.memory.hasAnsweredInvitation = true
    }

    /// Whether the link still waits for the answer to this invitation.
    private func isOpen(_ token: LinkToken, _ side: Int) -> Bool {
        let memory = peers[side].memory
        return peers[side].link.stage == .invited && memory.invitationTokens.last == token
            && !memory.hasAnsweredInvitation
    }

    func cancelInvitation(_ side: Int) throws {
        let peer = peers[side]
        // An invitation that has not gone out is never sent. In *info* INVITE is the last frame that waits.
        let isUnsent =
            switch peer.link.stage {
            case .hello, .proof, .pairing: peer.memory.invitation != nil
            case .info: peer.memory.invitation != nil && (side == 1 || setting.expectation == 0 || peer.link.hasOutput)
            default: false
            }
        let isAllowed = isUnsent || peer.link.stage == .inviting
        try request(side, "cancelInvitation", isAllowed: isAllowed) { try $0.cancelInvitation(at: now) }
    }

    // MARK: Certificates

    func judge(_ side: Int, _ verdict: Verdict, _ second: UInt8) throws {
        let memory = peers[side].memory
        guard let token = SessionChoices.token(memory.judgementTokens, peers[1 - side], second) else { return }
        let isAllowed =
            peers[side].link.stage == .certificates && memory.judgementTokens.last == token && !memory.hasJudged
        guard try request(side, "resolve", isAllowed: isAllowed, { try $0.submitVerdict(verdict, for: token, at: now) })
        else { return }
        peers[side].memory.hasJudged = true
        if case .accepted(let basis) = verdict { peers[side].memory.verdict = basis }
    }

    // MARK: Messages

    func send(_ side: Int, count: Int) throws {
        let peer = peers[side]
        guard count <= budget else { return }
        let message = SessionFile.message(of: side, number: peer.memory.sent.count, count: count)
        let maximum = peer.memory.summary?.peerMaximumMessage ?? 0
        let isAllowed = isSending(side) && UInt64(count) <= maximum
        var tag: MessageTag?
        let isTaken = try request(side, "send", isTimed: false, isAllowed: isAllowed) {
            tag = try $0.send(message, at: peers[side].toldTime)
        }
        guard isTaken, let tag else { return }
        try requireEqual(tag.number, UInt64(peer.memory.sent.count) + 1, "the tag of a message")
        peer.memory.sent.append(message)
        peer.memory.tags.append(tag)
        budget -= count
    }

    /// Whether a side's session takes payload from its app.
    func isSending(_ side: Int) -> Bool {
        peers[side].link.stage == .open && !peers[side].memory.hasClosed
    }

    // MARK: Closing

    func close(_ side: Int) throws {
        let peer = peers[side]
        let isWaiting = isSending(side) && peer.link.queuedByteCount > 0
        peer.link.close(at: now)
        peer.toldTime = now
        peer.memory.hasClosed = true
        let stage = peer.link.stage
        try require(!isWaiting || stage == .draining, "closed before all that waits has gone out, and in \(stage)")
        try require([.draining, .closing, .closed].contains(stage), "closed by its app, and in \(stage)")
    }

    func close(_ side: Int, _ code: CloseCode) throws {
        let peer = peers[side]
        let isOver = peer.link.stage == .closing || peer.link.stage == .closed
        peer.link.close(code, at: now)
        peer.toldTime = now
        peer.memory.hasClosed = true
        if !isOver, code != .noError { peer.memory.hasClosedWithCode = true }
    }
}

/// Arguments of requests, from two bytes.
enum SessionChoices {
    static func terms(of side: Int, _ byte: UInt8) -> SessionTerms {
        let preference = EncryptionPreference.allCases[Int(byte) % 3]
        return SessionTerms(encryption: preference, certificate: byte & 0x40 != 0 ? certificates[side] : nil)
    }

    static func invitation(
        of side: Int, _ key: IdentityKey, _ first: UInt8, _ second: UInt8
    ) -> OutgoingInvitation {
        let timeouts: [Duration] = [
            .seconds(30), .seconds(1), .milliseconds(1), .seconds(600), .seconds(30), .microseconds(999),
            .seconds(601), .milliseconds(-1),
        ]
        let contexts = [0, 0, 5, 900, 16_384, 16_385, 60, 300]
        let part = [UInt8](repeating: second & 0x80, count: first & 0x10 == 0 ? 32 : 31)
        // A peer that has founded a session invites to it by an empty chain (R8.2-7).
        let charter = first & 0x20 == 0 ? nil : Charter(founder: key.rawBytes, nonce: part)
        return OutgoingInvitation(
            terms: terms(of: side, first), charter: charter,
            context: SessionFile.content(of: side, file: 9, from: 0, count: contexts[Int(second >> 3 & 7)]),
            timeout: timeouts[Int(second & 7)])
    }

    /// SPEC §8.2: 32 bytes each of a charter's parts, at most 16,384 of context, 1 ms to 10 minutes.
    static func isValid(_ invitation: OutgoingInvitation) -> Bool {
        (invitation.charter?.nonce.count ?? 32) == 32 && invitation.context.count <= 16_384
            && invitation.timeout >= .milliseconds(1) && invitation.timeout <= .seconds(600)
    }

    /// Mostly the last token; else an older one, or one of the other link's.
    static func token(_ tokens: [LinkToken], _ other: SessionPeer, _ byte: UInt8) -> LinkToken? {
        if byte < 0xE0 { return tokens.last }
        let foreign = other.memory.judgementTokens + other.memory.invitationTokens + tokens
        return foreign.isEmpty ? nil : foreign[Int(byte) % foreign.count]
    }

    private static let certificates = [certificate(1), certificate(2)]

    private static func certificate(_ byte: UInt8) -> LocalCertificate {
        let leaf = [UInt8](repeating: byte, count: 40)
        do {
            let chain = try UnverifiedCertificateChain([Certificate(der: leaf), Certificate(der: [byte])])
            return LocalCertificate(chain: chain, signer: InsecureBinding(leaf: leaf))
        } catch { fatalError("\(error)") }
    }
}
