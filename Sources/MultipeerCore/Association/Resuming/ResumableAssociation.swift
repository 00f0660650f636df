import MultipeerCrypto
import MultipeerWire

/// An association that can continue over another link (SPEC §13.9): what its peers share over all of its links, and between two links
/// the association itself.
///
/// A class: the node has it, and the link that carries it. Like both, it is used on one thread at a time.
final class ResumableAssociation {
    /// What every link of the association takes over from the first.
    let terms: Terms
    /// Its name, 16 bytes.
    let name: [UInt8]
    /// Nil once it has ended (R13.9-1).
    private var secret: ResumeSecret?
    private(set) var epoch = Epoch()
    /// Where the peer has proved itself on a link of it (R13.9-10).
    private(set) var places: [MemberAddress] = []
    /// The part in the session of the newest link.
    var session: SessionPart
    /// The link that carries the association, or carried it last.
    private(set) weak var carrier: OpenLink?
    /// The association between two links.
    private var parked: Association?
    /// The newest link of the association: it sends or has sent RESUME or RESUMED, or carries it.
    private(set) weak var newest: LinkContext?
    /// Whether RESUME of the local peer waits for its answer.
    private(set) var awaitsAnswer = false
    /// Whether it has ended, for the local peer.
    private(set) var isOver = false
    private weak var book: AssociationBook?

    /// What every link takes over.
    struct Terms {
        /// What the first link has settled. Its suite and handshake hash are its own.
        let summary: LinkSummary
        /// When the certificates that the verdict rests on are over.
        let trustEnd: Instant?
        /// Whether the local peer has the lesser identity key, and so is the controller (SPEC §4.3).
        let hasLesserKey: Bool
    }

    /// A link has opened by READY, and carries it.
    init(
        _ terms: Terms, secret: ResumeSecret, session: SessionPart, in book: AssociationBook, over link: LinkContext
    ) {
        (self.terms, self.secret, self.session, self.book, newest) = (terms, secret, session, book, link)
        name = secret.association
        book.add(self)
    }

    /// The remote peer.
    var peer: IdentityKey { terms.summary.peer.key }

    /// Whether no link carries it.
    var isParked: Bool { parked != nil }

    /// How many places are tried.
    private static let mostPlaces = 4

    /// The peer has proved itself at a place, on a link of it.
    func noteProof(at place: MemberAddress?) {
        guard let place, !places.contains(place) else { return }
        places.insert(place, at: 0)
        if places.count > Self.mostPlaces { places.removeLast() }
    }

    /// A link carries it from now on.
    func begin(on link: OpenLink) { carrier = link }

    /// The link that carries it has ended, or another one is about to take it over.
    func park(_ association: consuming Association) {
        association.park()
        parked = consume association
        carrier = nil
    }

    // MARK: RESUME and RESUMED

    /// RESUME of the local peer goes out on a link: every other one ends.
    /// - Returns: Nil once it has ended.
    func makeResume(over link: LinkContext, handshakeHash: Digest) throws(CryptoFailure) -> Resume? {
        guard let secret else { return nil }
        let (received, files) = move(to: link)
        awaitsAnswer = true
        var resume = Resume(association: name, epoch: epoch.own, received: received, files: files)
        resume.proof = try secret.proof(of: resume.proved, by: link.role, handshakeHash: handshakeHash)
        return resume
    }

    /// RESUMED of the local peer goes out on a link.
    /// - Returns: Nil once it has ended.
    func makeResumed(over link: LinkContext, handshakeHash: Digest) throws(CryptoFailure) -> Resumed? {
        guard let secret else { return nil }
        let (received, files) = move(to: link)
        awaitsAnswer = false
        var resumed = Resumed(received: received, files: files)
        resumed.proof = try secret.proof(of: resumed.proved, by: link.role, handshakeHash: handshakeHash)
        return resumed
    }

    /// Whether the proof of RESUME or RESUMED is right.
    func isValid(
        _ proof: [UInt8], of said: [UInt8], by role: LinkRole, handshakeHash: Digest
    ) throws(CryptoFailure) -> Bool {
        guard let secret else { return false }
        return try secret.isValid(proof, of: said, by: role, handshakeHash: handshakeHash)
    }

    /// Whether what RESUME or RESUMED states is possible (R13.6-2, R13.9-9).
    /// - Throws: `malformed`.
    func judge(received: UInt64, files: [FilePosition]) throws(LinkFailureCause) {
        if let carrier {
            try carrier.association.judge(received: received, files: files)
        } else {
            try parked?.judge(received: received, files: files)
        }
    }

    /// Judges the epoch of RESUME, which the peer shows by it, and whether it is late: a RESUME that its sender made before it acknowledged
    /// more can have the epoch that it has shown since (R13.9-5).
    func judge(_ resume: Resume) -> Epoch.Judgement {
        let judgement = epoch.judge(resume.epoch)
        guard case .newest = judgement else { return judgement }
        epoch.asked(resume.epoch)
        let acknowledged = carrier?.association.kept.acknowledged ?? parked?.kept.acknowledged ?? 0
        return resume.received < acknowledged ? .outdated : .newest
    }

    /// RESUME of the peer is answered. Returns the epoch that the first frame of an open link after RESUMED shows.
    func noteAnswer(to resume: Resume) -> UInt64 { epoch.answered(resume.epoch) }

    /// RESUMED of the peer has come.
    func noteResumed(after resume: Resume) {
        epoch.resumed(after: resume.epoch)
        awaitsAnswer = false
    }

    func confirm(_ shown: UInt64) { epoch.confirmed(shown) }

    /// No other link reads for it any more (R13.9-4), so that what the local peer has of it stays as it is: the count and the positions.
    private func move(to link: LinkContext) -> (received: UInt64, files: [FilePosition]) {
        carrier?.give(to: self)
        if newest !== link {
            newest = link
            book?.hasMoves = true
        }
        return (parked?.ack.processed ?? 0, parked?.receivedPositions ?? [])
    }

    /// The link of RESUME has ended before its answer.
    func stopWaiting(on link: LinkContext) {
        if newest === link { awaitsAnswer = false }
    }

    /// Gives the association to the link that continues it. Nil once it has ended.
    func take() -> Association? { parked.take() }

    // MARK: Between links

    /// Lends the association between two links to what the app does. Nil while a link carries it, and after its end.
    @discardableResult
    func withParked<Result>(_ body: (inout Association) -> Result) -> Result? {
        guard var association = parked.take() else { return nil }
        let result = body(&association)
        parked = consume association
        return result
    }

    /// The association continues over no other link: its app has closed it, or it is about to end.
    func forget() {
        isOver = true
        secret = nil
        book?.remove(self)
    }

    /// The association ends. What was unfinished is reported, if no link carries it.
    func end(into effects: inout EffectQueue) {
        forget()
        guard var association = parked.take() else { return }
        association.end(into: &effects)
    }
}
