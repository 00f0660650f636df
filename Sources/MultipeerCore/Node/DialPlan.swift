/// When a member is dialled (SPEC §14.8). A round tries its addresses one after the other.
struct DialPlan: Sendable {
    /// How long it takes until the next address is tried.
    static let addressPause: Duration = .milliseconds(250)
    /// How long the member with the greater key waits for the other one to dial.
    static let courtesy: Duration = .milliseconds(500)
    static let firstPause: Duration = .seconds(60)
    static let longestPause: Duration = .seconds(3_600)

    /// When the next address is tried; nil if nothing is planned.
    private(set) var due: Instant?
    /// Which of the addresses that is.
    private(set) var index = 0
    /// Whether an address of this round was tried.
    var hasTried: Bool { began != nil }
    /// When the first address of this round was tried.
    private var began: Instant?
    /// How many addresses were tried in all: the member that was tried least comes first (R14.8-6).
    private(set) var tries: UInt64 = 0
    /// What the time to the next round is after one without success.
    private var pause = firstPause
    /// When a failed round lets the next one begin.
    private var notBefore: Instant?
    private var renewedAt: Instant?

    /// The member is to be dialled from `start` on, or as soon as its last round allows it. What is planned stays.
    mutating func want(from start: Instant) {
        guard due == nil else { return }
        rest()
        due = notBefore.map { max($0, start) } ?? start
    }

    /// Nothing is to be dialled now. How long a failed round lets wait stays.
    mutating func rest() {
        due = nil
        index = 0
        began = nil
    }

    /// An address was tried. The next one follows whatever becomes of it; after the last one the round's end is
    /// awaited.
    mutating func tried(of count: Int, at now: Instant) {
        tries += 1
        index += 1
        began = began ?? now
        due = index < count ? now.advanced(by: Self.addressPause) : nil
    }

    /// An address cannot be tried: the next one's turn.
    mutating func skip() { index += 1 }

    /// All addresses of the round have had their turn.
    mutating func roundDone() { due = nil }

    /// No address can be tried before `then`.
    mutating func wait(until then: Instant) {
        rest()
        due = then
    }

    /// No address has led to an open link. The pause counts from the beginning of the round, so that what became of the attempts does
    /// not show in it (R14.8-6). Where an association waits, the next round follows soon, and does not count for later ones (R13.9-10).
    mutating func roundFailed(isResuming: Bool = false, at now: Instant) {
        guard !isResuming else { return wait(until: max(now, (began ?? now).advanced(by: DialBounds.resumingPause))) }
        let next = max(now, (began ?? now).advanced(by: pause))
        rest()
        notBefore = next
        due = next
        pause = min(pause * 2, Self.longestPause)
    }

    /// The pauses begin anew: there was a link, or the app asks.
    mutating func renew() {
        pause = Self.firstPause
        notBefore = nil
        rest()
    }

    /// The pauses begin anew because the member began a new run: once an hour at most, or it could be made to dial at will.
    /// Returns whether they do.
    mutating func renewForNewRun(at now: Instant) -> Bool {
        guard notBefore != nil || hasTried else { return false }
        if let renewedAt, now < renewedAt.advanced(by: Self.longestPause) { return false }
        renewedAt = now
        renew()
        return true
    }
}
