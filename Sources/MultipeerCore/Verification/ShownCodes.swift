public import MultipeerCrypto

/// A one-time code that the local peer shows.
public struct ShownCode: Hashable, Sendable {
    /// What a person reads.
    public let code: OneTimeCode
    /// When it is good no longer: ten minutes after it was drawn (SPEC §25.4).
    public let expiry: Instant
    /// Whether wrong codes have been confirmed so often within an hour that somebody may be guessing: tell the person
    /// (SPEC §25.5).
    public let isGuessingSuspected: Bool
}

/// The code that a peer shows, and the peer that tries it: one code for all of its links (SPEC §25.4 to §25.6).
struct ShownCodes: Sendable {
    /// How long a code is good.
    static let lifetime: Duration = .seconds(600)
    /// How many codes may be shown within an hour after wrong confirmations, and nothing be said.
    static let mostAfterGuesses = 5

    /// What a link's end says of its attempt.
    enum AttemptEnd {
        /// None was under way, or the code was burned on another link.
        case none
        /// CODE_CONFIRM never came. The code is as good as before (R25.6-8).
        case abandoned
        /// CODE_CONFIRM was wrong.
        case wrong
    }

    private struct Attempt {
        let code: PresentedCode
        /// Whether its CODE_CONFIRM took the guess.
        var isBurned = false
    }

    private var shown: (code: ShownCode, presented: PresentedCode)?
    /// The attempts that are under way: one a link, and as many as there are links (R25.6-6).
    private var attempts: [LinkNumber: Attempt] = [:]
    /// Whether the last code was burned by a wrong confirmation.
    private var wasGuessed = false
    private var afterGuesses = RateWindow(limit: mostAfterGuesses, length: .seconds(3_600))

    /// The code that is shown.
    func current(at now: Instant) -> ShownCode? { shown.flatMap { $0.code.expiry > now ? $0.code : nil } }

    /// When the code is good no longer.
    var deadline: Instant? { shown?.code.expiry }

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
        shown = (new, PresentedCode(code))
        return new
    }

    /// Shows no code any more. Attempts that are under way continue.
    mutating func hide() { shown = nil }

    /// Takes the code off the screen if its time is over. Returns whether it was.
    mutating func expire(at now: Instant) -> Bool {
        guard let shown, shown.code.expiry <= now else { return false }
        hide()
        return true
    }

    /// CODE_BEGIN came for a number. Returns the code to answer with; nil for `code_unavailable` (R25.6-6).
    mutating func begin(on link: LinkNumber, number: Int, at now: Instant) -> PresentedCode? {
        guard let code = shown?.presented, !code.isBurned, current(at: now)?.code.number == number else { return nil }
        attempts[link] = Attempt(code: code)
        return code
    }

    /// CODE_CONFIRM came, and the link has taken the guess: the code is good no longer, whatever comes of it (R25.5-5).
    mutating func burn(on link: LinkNumber) {
        guard let code = attempts[link]?.code else { return }
        attempts[link]?.isBurned = true
        if shown?.presented === code { shown = nil }
    }

    /// The same for a link that takes no guess by itself, because it is played.
    mutating func guess(on link: LinkNumber) {
        if attempts[link]?.code.takeGuess() == true { burn(on: link) }
    }

    /// The confirmation was right.
    mutating func verified(on link: LinkNumber) { attempts[link] = nil }

    /// A link has ended.
    mutating func ended(_ link: LinkNumber) -> AttemptEnd {
        guard let attempt = attempts.removeValue(forKey: link) else { return .none }
        guard attempt.isBurned else { return attempt.code.isBurned ? .none : .abandoned }
        wasGuessed = true
        return .wrong
    }
}
