import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What must hold between both peers.
extension SessionWorld {
    func checkAgreement() throws(OracleFailure) {
        if let one = peers[0].memory.summary { try checkSummary(one, 0) }
        if let one = peers[1].memory.summary { try checkSummary(one, 1) }
        if let one = peers[0].memory.summary, let two = peers[1].memory.summary {
            try requireEqual(one.handshakeHash, two.handshakeHash, "handshake hash")
            try requireEqual(one.suite, two.suite, "suite")
            try requireEqual(one.session, two.session, "session")
            try requireEqual(one.encryption, two.encryption, "encryption")
        }
        if setting.tracesRecords {
            for peer in peers { try requireEqual(peer.traced.value, peer.transmitted.value, "traced bytes") }
        }
        if peers.allSatisfy(\.memory.isFinished) { try checkComplete() }
    }

    /// The encryption that both peers' apps asked for, by the table of SPEC §11, and the inviter's session.
    private func checkSummary(_ summary: LinkSummary, _ side: Int) throws(OracleFailure) {
        let inviter = peers[side].memory.acceptedOutcome != nil ? side : 1 - side
        guard let invitation = peers[inviter].memory.invitation,
            let answer = peers[1 - inviter].memory.terms
        else { throw OracleFailure("a session that nobody invited to or accepted") }
        let outcome = Self.table[Int(invitation.terms.encryption.rawValue)][Int(answer.encryption.rawValue)]
        try requireEqual(summary.encryption, outcome, "encryption, by the table of §11")
        guard let received = peers[1 - inviter].memory.received else { throw OracleFailure("nobody was invited") }
        try requireEqual(
            summary.session.rawBytes, ModelInvite.session(of: received.charter.encoded), "the session (SPEC §4.3)")
    }

    /// SPEC §11, inviter by invitee: none, optional, required.
    private static let table: [[EncryptionOutcome?]] = [
        [.readable, .readable, nil],
        [.readable, .encrypted, .encrypted],
        [nil, .encrypted, .encrypted],
    ]

    /// Both say that the session ended in good order: then nothing was lost, but what came to a side whose app had closed with
    /// a code, which ignores all but CLOSE (R16.1-3).
    private func checkComplete() throws(OracleFailure) {
        for side in 0...1 {
            guard case .finished(let unsent) = peers[side].memory.end, !peers[1 - side].memory.hasClosedWithCode else {
                continue
            }
            let (sent, received) = (peers[side].memory.sent.count, peers[1 - side].memory.receivedMessages)
            let backs = peers[side].memory.takenBack.count
            try requireEqual(
                received, sent - unsent - backs, "messages of side \(side) that arrived, both being finished")
        }
    }

    func checkFinished(_ unsent: Int, _ side: Int) throws(OracleFailure) {
        let (peer, other) = (peers[side], peers[1 - side])
        try require(peer.memory.summary != nil, "finished without a session")
        try require(unsent <= peer.memory.sent.count, "more unsent messages than there are")
        if peer.memory.hasClosedWithCode { return }
        // The peer's CLOSE came: it has sent its last byte, and all of them are here.
        try require([.closing, .closed].contains(other.link.stage), "finished, and the peer has not closed")
        try require(!peer.hasStreamEnded, "finished by the end of the stream")
        try require(wires[1 - side].arrived == wires[1 - side].sent || wires[1 - side].isTampered, "finished too early")
    }

    /// Honest links on an honest stream accuse each other of nothing.
    func checkFailure(_ failure: LinkFailure, _ side: Int) throws(OracleFailure) {
        try failure.requireReadable()
        guard !wires[0].isTampered, !wires[1].isTampered else { return }
        let (peer, other) = (peers[side], peers[1 - side])
        switch failure.cause {
        case .verification(let failure): try check(failure, of: side)
        case .malformed, .crypto, .limit, .silent:
            throw OracleFailure("side \(side), without tampering: \(failure)")
        case .violation(.unexpectedIdentity):
            try require(setting.expectation == 2 && side == 0, "\(failure)")
        case .violation: throw OracleFailure("side \(side), without tampering: \(failure)")
        case .incompatible(.refused), .incompatible(.noCommonSuite):
            try require(setting.refusesAsBusy || setting.commonSuite == nil, "\(failure)")
        case .incompatible(.encryptionPolicy): try checkRefused(side)
        case .incompatible: throw OracleFailure("side \(side), without tampering: \(failure)")
        case .certificate(let rejection):
            try require(rejection == .verdictTimeout || peer.memory.hasJudged, "\(failure)")
        case .truncated:
            try require(peer.hasStreamEnded, "truncated, and the stream continues")
            try require(!peer.isEndLate, "truncated, and the deadline had passed before (R18-2)")
        case .peerClosed(let code): try check(code, toldBy: other)
        case .invitation, .timedOut: break
        @unknown default: throw OracleFailure("a cause that the model does not know: \(failure)")
        }
    }

    private func checkRefused(_ side: Int) throws(OracleFailure) {
        let preferences = peers.compactMap { $0.memory.terms?.encryption }
        try require(preferences.contains(.none) && preferences.contains(.required), "refused: \(preferences)")
    }

    /// A peer says only what it has a reason for.
    private func check(_ code: CloseCode, toldBy other: SessionPeer) throws(OracleFailure) {
        guard let end = other.memory.end else { throw OracleFailure("\(code.name) by a link that has not ended") }
        if code == .noError { return }
        if case .failed(let failure) = end {
            switch failure.cause {
            case .certificate, .timedOut, .violation(.unexpectedIdentity), .invitation, .verification: return
            case .malformed, .violation, .incompatible, .peerClosed, .truncated, .crypto, .limit,
                .silent:
                break
            @unknown default: break
            }
        }
        try require(other.memory.hasClosedWithCode, "\(code.name), and its app has not closed with a code")
    }
}
