import MultipeerCrypto
import MultipeerWire

/// What this member says of itself in one session, and how it stays the one that is believed (SPEC §14.7).
struct OwnEntry: Sendable {
    /// How long it takes at least between two answers to an entry of oneself (R14.7-2).
    static let pause: Duration = .seconds(10)
    /// How long it takes at least between two entries because a full roster dropped one's own (SPEC §14.4).
    static let renewalPause: Duration = .seconds(600)
    /// After how many answers the app is told that another program uses its identity (R14.7-2).
    static let suspiciousAnswers = 3

    /// What an entry of oneself, from elsewhere, leads to.
    struct Answer: Equatable {
        /// Whether a new entry is to be signed now, by ``sign(_:by:in:hashing:)``.
        var signsNow = false
        /// Whether the app is told that another program uses its identity, or that nothing can be above that entry.
        var isSuspicious = false
    }

    private(set) var instance: UInt64
    private var nextSequence: UInt64 = 0
    /// The newest entry that was signed.
    private(set) var newest: VerifiedEntry?
    private var answers = 0
    private var answeredAt: Instant?
    private var renewedAt: Instant?
    /// An instance to get above, once it is time.
    private var challenge: UInt64?

    /// Begins a run.
    /// - Parameters:
    ///   - milliseconds: The time, in milliseconds since 1970, or a random number below 2^32 without a clock.
    ///   - remembered: The greatest instance that is remembered of oneself in this session (R14.7-1).
    init(milliseconds: UInt64, remembered: UInt64? = nil) {
        let above = remembered.map { min($0, VarInt.maximum - 1) + 1 } ?? 0
        instance = max(min(milliseconds, VarInt.maximum), above)
    }

    /// Signs the next entry of the run. `content` is what it says; member, instance and sequence are put in.
    /// - Throws: ``CryptoFailure`` of the signer.
    mutating func sign(
        _ content: RosterEntry.Content, by signer: any IdentitySigner, in session: SessionCharter,
        hashing: any Hashing
    ) throws(CryptoFailure) -> VerifiedEntry {
        var content = content
        content.member = signer.identityKey.rawBytes
        content.instance = instance
        content.sequence = nextSequence
        let entry = try VerifiedEntry.signed(content, by: signer, in: session, hashing: hashing)
        nextSequence += 1
        newest = entry
        return entry
    }

    /// When ``timeout(at:)`` may have an answer.
    var deadline: Instant? { challenge == nil ? nil : answeredAt?.advanced(by: Self.pause) }

    /// A valid entry of this member came from elsewhere (R14.7-2).
    mutating func receive(_ entry: VerifiedEntry, at now: Instant) -> Answer {
        guard let newest, entry.version > newest.version || entry.version.contradicts(newest.version) else {
            return Answer()
        }
        guard entry.entry.content.instance < VarInt.maximum else { return Answer(isSuspicious: true) }
        challenge = max(challenge ?? 0, entry.entry.content.instance)
        return timeout(at: now)
    }

    /// Answers what had to wait.
    mutating func timeout(at now: Instant) -> Answer {
        guard let challenge else { return Answer() }
        if let answeredAt, now < answeredAt.advanced(by: Self.pause) { return Answer() }
        self.challenge = nil
        answeredAt = now
        answers += 1
        raise(above: challenge)
        return Answer(signsNow: true, isSuspicious: answers >= Self.suspiciousAnswers)
    }

    /// A full roster has dropped the own entry. Whether a new one is to be signed now (SPEC §14.4). A greater instance comes
    /// before a lesser one there, so that the new one takes the time, in milliseconds since 1970.
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
