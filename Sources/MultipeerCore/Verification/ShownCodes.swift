public import MultipeerCrypto

/// A one-time code that this side shows.
public struct ShownCode: Hashable, Sendable {
    /// What a person reads.
    public let code: OneTimeCode
    /// When it is good no longer: ten minutes after it was drawn (SPEC §25.4).
    public let expiry: Instant
    /// Whether wrong codes have been confirmed so often within an hour that somebody may be guessing: tell the person
    /// (SPEC §25.5).
    public let isGuessingSuspected: Bool
}

/// The code that a peer shows, and who tries it: one for all of its links (SPEC §25.4 to §25.6).
struct ShownCodes: Sendable {
    /// How long a code is good.
    static let lifetime: Duration = .seconds(600)
    /// How many codes may be shown within an hour after wrong confirmations, and nothing be said.
    static let mostAfterGuesses = 5

    /// One link at a time tries the code.
    private struct Attempt {
        let link: LinkNumber
        let code: OneTimeCode
        /// Whether CODE_CONFIRM has come.
        var isBurned = false
    }

    private var shown: ShownCode?
    private var attempt: Attempt?
    /// Whether the last code was burned by a wrong confirmation.
    private var wasGuessed = false
    private var afterGuesses = RateWindow(limit: mostAfterGuesses, length: .seconds(3_600))

    /// The code that is shown.
    func current(at now: Instant) -> ShownCode? { shown.flatMap { $0.expiry > now ? $0 : nil } }

    /// When the code is good no longer.
    var deadline: Instant? { shown?.expiry }

    /// Shows a new code in the place of any other.
    mutating func show(number: Int, random: inout any RandomSource, at now: Instant) -> ShownCode {
        show(OneTimeCode(number: number, random: &random), at: now)
    }

    /// Shows a code that was drawn.
    @discardableResult
    mutating func show(_ code: OneTimeCode, at now: Instant) -> ShownCode {
        let isSuspected = wasGuessed && afterGuesses.take(1, at: now) == 0
        wasGuessed = false
        let new = ShownCode(
            code: code, expiry: now.advanced(by: Self.lifetime), isGuessingSuspected: isSuspected)
        shown = new
        return new
    }

    /// Shows no code any more. An attempt that is under way goes on.
    mutating func hide() { shown = nil }

    /// Takes the code off the screen if its time is over. Returns whether it was.
    mutating func expire(at now: Instant) -> Bool {
        guard let shown, shown.expiry <= now else { return false }
        hide()
        return true
    }

    /// CODE_BEGIN came for a number. Returns the code to answer with; nil for `code_unavailable` (R25.6-6).
    mutating func begin(on link: LinkNumber, number: Int, at now: Instant) -> OneTimeCode? {
        guard attempt == nil, let code = current(at: now)?.code, code.number == number else { return nil }
        attempt = Attempt(link: link, code: code)
        return code
    }

    /// CODE_CONFIRM came: the code is good no longer, whatever it says (R25.5-5).
    mutating func burn(on link: LinkNumber) {
        guard let code = attempt?.code, attempt?.link == link else { return }
        attempt?.isBurned = true
        if shown?.code == code { shown = nil }
    }

    /// The confirmation was right.
    mutating func verified(on link: LinkNumber) {
        if attempt?.link == link { attempt = nil }
    }

    /// A link has ended. Before CODE_CONFIRM, that leaves the code where it is (R25.6-8); behind it, the confirmation was wrong.
    mutating func ended(_ link: LinkNumber) {
        guard let attempt, attempt.link == link else { return }
        if attempt.isBurned { wasGuessed = true }
        self.attempt = nil
    }
}
