import MultipeerScriptedPeer
import MultipeerWire

/// An association that is to continue over another link (SPEC §13.9), as the tester knows it from its first one.
struct KeptAssociation {
    /// Its name, 16 bytes.
    let name: [UInt8]
    let secret: [UInt8]
    /// How often it has continued.
    var epoch: UInt64 = 0
    /// What has passed.
    var continuation: PeerBehavior.Continuation
    /// The counted frames of the peer, in order.
    let counted: [[UInt8]]

    /// The same for a tester that has processed none of them. It must not have acknowledged any.
    var unprocessed: KeptAssociation {
        var kept = self
        kept.continuation.repeats = counted
        kept.continuation.ledger.received = 0
        return kept
    }
}

extension Play {
    // MARK: The link that is lost

    /// What is needed to continue the association of the open link, of which the peer has processed all that the tester has sent.
    func keepAssociation() throws(Interruption) -> KeptAssociation {
        try roundTrip()
        let known = try own { () throws(ScriptedPeerError) in try peer.script.resumption() }
        return KeptAssociation(
            name: known.association, secret: known.secret,
            continuation: passed,
            counted: peer.script.frames.filter { $0.known?.isCounted ?? false }.map(\.encoded))
    }

    /// Lets the open link end without CLOSE, and begins another one as the same peer, up to *identified*.
    func lose() throws(Interruption) -> KeptAssociation {
        let kept = try keepAssociation()
        try loseLink(of: kept)
        return kept
    }

    /// The same for a link on which an association has continued.
    func lose(_ kept: inout KeptAssociation) throws(Interruption) {
        try roundTrip()
        kept.continuation = passed
        kept.epoch += 1
        try loseLink(of: kept)
    }

    /// What has passed on the open link, and on those before.
    private var passed: PeerBehavior.Continuation {
        PeerBehavior.Continuation(ledger: ledger, outcome: peer.behavior.outcome)
    }

    private func loseLink(of kept: KeptAssociation) throws(Interruption) {
        peer.endSending()
        _ = try expectTruncatedEnd()
        try beginAnother(for: kept)
    }

    /// Begins another link as the same peer. RESUME of a peer that connects comes with its PROOF.
    func beginAnother(for kept: KeptAssociation) throws(Interruption) {
        let inviter = peer.inviter
        try connectAgain()
        (peer.behavior.continuation, peer.inviter) = (kept.continuation, inviter)
        try reach(.identified)
    }

    // MARK: The tester resumes

    /// RESUME of the tester, which is honest unless said otherwise.
    func resume(
        _ kept: KeptAssociation, epoch: UInt64? = nil, received: UInt64? = nil
    ) throws(Interruption) -> Resume {
        var resume = Resume(
            association: kept.name, epoch: epoch ?? kept.epoch,
            received: received ?? kept.continuation.ledger.received, files: [])
        resume.proof = try proof(of: resume.proved, by: role, kept)
        return resume
    }

    /// Sends RESUME, and expects RESUMED with a right proof, which counts what the tester has sent.
    private func resume(sending resume: Resume, _ kept: KeptAssociation) throws(Interruption) -> Resumed {
        try peer.send(resume.encoded())
        let frame = try take(.resumed)
        guard let resumed = try? Resumed(payload: frame.payload.span) else {
            throw .broke(rule: "R13.9-5", "the peer's RESUMED does not decode")
        }
        guard try proof(of: resumed.proved, by: role.other, kept) == resumed.proof else {
            throw .failed("R13.9-5: the proof of RESUMED is wrong")
        }
        try check(resumed.received, kept)
        stage = .open
        return resumed
    }

    // MARK: The peer resumes

    /// Waits for the peer's RESUME, whose proof, epoch and count must be right.
    @discardableResult
    func awaitResume(_ kept: KeptAssociation) throws(Interruption) -> Resume {
        let frame = try take(.resume)
        guard let resume = try? Resume(payload: frame.payload.span) else {
            throw .broke(rule: "R13.9-4", "the peer's RESUME does not decode")
        }
        guard resume.association == kept.name else { throw .failed("R13.9-4: RESUME names another association") }
        guard try proof(of: resume.proved, by: role.other, kept) == resume.proof else {
            throw .failed("R13.9-4: the proof of RESUME is wrong")
        }
        guard resume.epoch == kept.epoch else {
            throw .failed("R13.9-4: RESUME has epoch \(resume.epoch) in place of \(kept.epoch)")
        }
        try check(resume.received, kept)
        return resume
    }

    /// RESUMED of the tester, which is honest unless said otherwise.
    func resumed(_ kept: KeptAssociation, received: UInt64? = nil) throws(Interruption) -> Resumed {
        var resumed = Resumed(received: received ?? kept.continuation.ledger.received, files: [])
        resumed.proof = try proof(of: resumed.proved, by: role, kept)
        return resumed
    }

    /// Sends RESUMED, which opens the link.
    func send(resumed: Resumed) throws(Interruption) {
        peer.behavior.resume()
        try peer.send(resumed.encoded())
        stage = .open
    }

    // MARK: Both

    /// Continues the association on the link that has begun, whoever has to ask for it. Returns up to where the peer has files.
    @discardableResult
    func continueAssociation(_ kept: KeptAssociation) throws(Interruption) -> [FilePosition] {
        peer.behavior.continuation = kept.continuation
        if role == .initiator { return try resume(sending: try resume(kept), kept).files }
        let resume = try awaitResume(kept)
        try send(resumed: try resumed(kept))
        return resume.files
    }

    private func proof(
        of said: [UInt8], by role: StreamRole, _ kept: KeptAssociation
    ) throws(Interruption) -> [UInt8] {
        try own { () throws(ScriptedPeerError) in
            try peer.script.resumeProof(of: said, by: role, secret: kept.secret)
        }
    }

    private func check(_ received: UInt64, _ kept: KeptAssociation) throws(Interruption) {
        let sent = kept.continuation.ledger.framesSent
        guard received == sent else {
            throw .failed("R13.9-4: the peer states \(received) counted frames, and has processed \(sent)")
        }
    }
}
