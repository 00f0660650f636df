import MultipeerCrypto

/// What a peer knows of verification over all of its links: the code that it shows, those that were typed at it, and how often
/// short strings were compared (SPEC §25).
struct PairingState: Sendable {
    var shown = ShownCodes()
    var typed = TypedCodes()
    var comparisons = ComparisonLimit()

    /// When to call ``timeout(at:)``.
    var deadline: Instant? { Instant.earlier(shown.deadline, typed.deadline) }

    /// Forgets what is over. Returns whether the shown code is.
    mutating func timeout(at now: Instant) -> Bool {
        typed.forget(at: now)
        return shown.expire(at: now)
    }

    /// Both peers had the same code.
    mutating func verified(on link: LinkNumber) {
        shown.verified(on: link)
        typed.release(link)
    }

    /// A link has ended.
    mutating func ended(_ link: LinkNumber) -> ShownCodes.AttemptEnd {
        typed.release(link)
        return shown.ended(link)
    }
}
