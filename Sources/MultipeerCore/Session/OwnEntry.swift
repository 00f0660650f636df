import MultipeerCrypto
import MultipeerWire

/// What this member says of itself in one session, and how it stays the one that is believed (SPEC §14.7).
struct OwnEntry: Sendable {
    /// How long it takes at least between two answers to an entry of oneself (R14.7-2).
    static let pause: Duration = .seconds(10)
    /// How long it takes at least between two entries because a full roster dropped one's own (SPEC §14.4).
    static let renewalPause: Duration = .seconds(600)
    /// After how many answers the app hears that another program uses its identity (R14.7-2).
    static let suspiciousAnswers = 3
    /// How many entries are signed within 60 s, answers and the one by which a member leaves apart (R14.6-8).
    static let signingRate = 16

    /// What an entry of oneself, from elsewhere, leads to.
    struct Answer: Equatable {
        /// Whether a new entry is to be signed now, by ``sign(_:by:in:hashing:at:)``.
        var signsNow = false
        /// Whether the app hears that another program uses its identity, or that nothing can be above that entry.
        var isSuspicious = false
    }

    private(set) var instance: UInt64
    private var nextSequence: UInt64 = 0
    /// The newest entry that was signed.
    private(set) var newest: VerifiedEntry?
    private var answers = 0
    private var answeredAt: Instant?
    private var renewedAt: Instant?
    /// An entry of oneself to get above, once it is time.
    private var challenge: EntryVersion?
    private var signed = RateWindow(limit: signingRate)

    /// Begins a run.
    /// - Parameters:
    ///   - milliseconds: The time, in milliseconds since 1970, or a random number below 2^32 without a clock.
    ///   - remembered: The greatest instance that is remembered of oneself in this session (R14.7-1).
    init(milliseconds: UInt64, remembered: UInt64? = nil) {
        let above = remembered.map { min($0, VarInt.maximum - 1) + 1 } ?? 0
        instance = max(min(milliseconds, VarInt.maximum), above)
    }

    // MARK: Signing

    /// When the app may change what the entry says, so that not more than 16 are signed within 60 s; nil for now (R14.6-8).
    func nextChange(at now: Instant) -> Instant? { signed.nextRoom(at: now) }

    /// Signs the next entry of the run. `content` is what it says; member, instance and sequence are put in.
    /// - Throws: ``CryptoFailure`` of the signer.
    mutating func sign(
        _ content: RosterEntry.Content, by signer: any IdentitySigner, in session: SessionCharter,
        hashing: any Hashing, at now: Instant
    ) throws(CryptoFailure) -> VerifiedEntry {
        // After the last sequence a new instance begins.
        if nextSequence > VarInt.maximum { raise(above: instance) }
        var content = content
        content.member = signer.identityKey.rawBytes
        content.instance = instance
        content.sequence = nextSequence
        let entry = try VerifiedEntry.signed(content, by: signer, in: session, hashing: hashing)
        _ = signed.take(1, at: now)
        nextSequence += 1
        newest = entry
        return entry
    }

    // MARK: Entries of oneself, from elsewhere

    /// When ``timeout(at:)`` may have an answer.
    var deadline: Instant? { challenge == nil ? nil : answeredAt?.advanced(by: Self.pause) }

    /// A valid entry of this member came from elsewhere (R14.7-2).
    mutating func receive(_ entry: VerifiedEntry, at now: Instant) -> Answer {
        let version = entry.version
        guard newest != nil else {
            // Nothing was said yet: the first entry begins above it.
            if version.instance >= instance { raise(above: version.instance) }
            return Answer()
        }
        guard isChallenged(by: version) else { return Answer() }
        guard version.instance < VarInt.maximum else { return Answer(isSuspicious: true) }
        if challenge.map({ $0 < version }) ?? true { challenge = version }
        return timeout(at: now)
    }

    /// Answers what had to wait, unless there is no need any more.
    mutating func timeout(at now: Instant) -> Answer {
        guard let challenge else { return Answer() }
        if let answeredAt, now < answeredAt.advanced(by: Self.pause) { return Answer() }
        self.challenge = nil
        guard isChallenged(by: challenge) else { return Answer() }
        answeredAt = now
        answers += 1
        raise(above: challenge.instance)
        return Answer(signsNow: true, isSuspicious: answers >= Self.suspiciousAnswers)
    }

    private func isChallenged(by version: EntryVersion) -> Bool {
        guard let newest else { return false }
        return version > newest.version || version.contradicts(newest.version)
    }

    /// A full roster has dropped the local entry. Whether a new one is to be signed now (SPEC §14.4). A greater
    /// instance comes before a lesser one there, so that the new one takes the time, in milliseconds since 1970.
    mutating func renews(milliseconds: UInt64, at now: Instant) -> Bool {
        if let renewedAt, now < renewedAt.advanced(by: Self.renewalPause) { return false }
        guard instance < VarInt.maximum else { return false }
        renewedAt = now
        raise(above: milliseconds == 0 ? instance : milliseconds - 1)
        return true
    }

    private mutating func raise(above other: UInt64) {
        instance = min(max(instance, other), VarInt.maximum - 1) + 1
        nextSequence = 0
    }
}
