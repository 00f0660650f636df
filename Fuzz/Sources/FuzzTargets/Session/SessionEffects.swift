import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What a link reports to its app, compared with what the remote peer's app did.
extension SessionWorld {
    func take(_ effect: LinkEffect, of side: Int) throws {
        let (peer, other) = (peers[side], peers[1 - side])
        if case .trace(let entry) = effect { return take(entry, of: peer) }
        record.add(UInt64(side) + 1)
        try require(peer.memory.end == nil, "\(effect) follows the end")
        switch effect {
        case .identified(let id):
            record.add(0x10)
            try require(peer.memory.identified == nil, "identified twice")
            try requireEqual(id.key, setting.key(1 - side), "whom the link identified")
            try requireEqual(id.displayName, SessionFixtures.names[1 - side], "the name")
            peer.memory.identified = id
        case .invited(let token, let received):
            record.add(0x11)
            try require(peer.memory.invitationTokens.isEmpty, "invited twice")
            try check(received, from: other)
            peer.memory.received = received
            peer.memory.invitationTokens.append(token)
        case .invitationAccepted(let outcome):
            record.add(0x13 + UInt64(outcome.rawValue) << 8)
            try require(peer.memory.invitation != nil && peer.memory.acceptedOutcome == nil, "accepted unasked")
            try require(other.memory.acceptedTerms != nil, "accepted by nobody")
            peer.memory.acceptedOutcome = outcome
        case .verify(let token, let evidence):
            record.add(0x14)
            try check(evidence, of: side)
            peer.memory.judgementTokens.append(token)
        case .opened(let summary): try opened(summary, side)
        case .message(let message): try take(message, of: side)
        case .messages(let range, let result): try take(range, result, of: side)
        case .stream(let event): try take(event, of: side)
        case .incomingFile(let event): try take(event, of: side)
        case .outgoingFile(let event): try take(event, of: side)
        case .closed(let end): try ended(end, side)
        case .trace: break
        case .memoryWanted, .memoryReturned: throw OracleFailure("memory, and nobody counts it")
        case .messageStalled: break
        case .probeAnswered: throw OracleFailure("an answer, and nobody has asked")
        case .datagramPath, .datagram: throw OracleFailure("a path, and nobody lists the feature")
        case .verification(let event): try take(event, of: side)
        @unknown default: throw OracleFailure("an effect that the model does not know: \(effect)")
        }
    }

    /// Traces show every byte that went out.
    private func take(_ entry: TraceEntry, of peer: SessionPeer) {
        if entry.direction == .sent { peer.traced.add(entry.wire.span) }
    }

    private func check(_ received: ReceivedInvitation, from other: SessionPeer) throws(OracleFailure) {
        guard let sent = other.memory.invitation else { throw OracleFailure("an invitation that nobody sent") }
        try requireEqual(received.context, sent.context, "context")
        try requireEqual(received.encryption, sent.terms.encryption, "preference")
        try requireEqual(received.showsCertificate, sent.terms.certificate != nil, "kind of identity")
        try requireEqual(received.timeout, sent.timeout, "timeout")
        try requireEqual(received.isNewSession, sent.charter == nil, "whether the session is new")
        if let charter = sent.charter {
            try requireEqual(received.charter, charter, "charter")
        } else {
            try requireEqual(received.charter.founder, setting.key(other.side).rawBytes, "founder (R8.2-5)")
        }
    }

    private func check(_ evidence: PeerEvidence, of side: Int) throws(OracleFailure) {
        let (peer, other) = (peers[side], peers[1 - side])
        try require(peer.memory.judgementTokens.isEmpty, "asked for two verdicts")
        try require(peer.memory.acceptedOutcome != nil || peer.memory.accepts, "a verdict before an acceptance")
        try requireEqual(evidence.peer.key, setting.key(1 - side), "whom to judge")
        let shown = other.memory.terms?.certificate
        try requireEqual(evidence.chain, shown?.chain, "the chain that the remote peer shows")
        try requireEqual(
            evidence.leafFingerprint, shown.map { InsecureBinding.fingerprint(of: $0.chain.leaf.der) }, "fingerprint")
    }

    private func opened(_ summary: LinkSummary, _ side: Int) throws {
        record.add(0x15)
        let (peer, other) = (peers[side], peers[1 - side])
        try require(peer.memory.summary == nil, "opened twice")
        try require(peer.memory.verdict != nil, "opened without the local verdict")
        try require(other.memory.verdict != nil, "opened without the remote verdict")
        try requireEqual(summary.trust, peer.memory.verdict, "trust")
        try requireEqual(summary.suite, setting.commonSuite, "suite")
        try requireEqual(summary.peer.key, setting.key(1 - side), "peer")
        try requireEqual(
            summary.peerMaximumMessage, UInt64(max(1, setting.maximumMessage[1 - side])), "the peer's longest message")
        peer.memory.summary = summary
    }

    private func take(_ message: [UInt8], of side: Int) throws {
        record.add(0x16)
        record.add(message.span)
        let (peer, other) = (peers[side], peers[1 - side])
        try require(peer.memory.summary != nil, "a message before the session is open")
        let (number, sent) = (peer.memory.receivedMessages, other.memory.sendable)
        try require(number < sent.count, "a message that nobody sent")
        try require(message == other.memory.sent[sent[number]], "message \(number) is not the one that was sent")
        peer.memory.receivedMessages += 1
        peer.memory.untaken += Link.messageCredit(ofLength: message.count)
    }

    private func ended(_ end: LinkEnd, _ side: Int) throws {
        record.add(0x17)
        peers[side].memory.end = end
        switch end {
        case .finished(let unsent):
            record.add(UInt64(unsent) + 0x100)
            try checkFinished(unsent, side)
        case .failed(let failure):
            record.add(UInt64(failure.stage.rawValue.utf8.count))
            try checkFailure(failure, side)
        @unknown default: throw OracleFailure("an end that the model does not know: \(end)")
        }
    }
}

extension SessionMemory {
    /// Whether the local peer is the invitee of an invitation that it accepted.
    var accepts: Bool { acceptedTerms != nil }
}
