public import MultipeerCrypto

/// What a program remembers of codes over all of its links (SPEC §25), of which a test vector plays one by itself: as ``Node`` does,
/// whose other links are there by what they do.
@_spi(Observation)
public struct VerificationAccess: Sendable {
    private static let own = LinkNumber(rawValue: 1)
    private static let other = LinkNumber(rawValue: 2)

    private var pairing = PairingState()
    /// When the attempt on another link has taken too long (R25.6-8).
    private var otherDeadline: Instant?

    /// A program that shows no code, and at which none was typed.
    public init() {}

    /// Shows this code, in the place of any other.
    public mutating func show(_ code: OneTimeCode, at now: Instant) { pairing.shown.show(code, at: now) }

    /// Shows no code any more.
    public mutating func hide() { pairing.shown.hide() }

    /// CODE_BEGIN came on the link. Returns the code to answer with.
    public mutating func begin(number: Int, at now: Instant) -> PresentedCode? {
        expire(at: now)
        return pairing.shown.begin(on: Self.own, number: number, at: now)
    }

    /// Whether a code may be tried on the link.
    public mutating func mayGive(_ code: OneTimeCode, at now: Instant) -> Bool {
        (try? pairing.typed.check(code, at: now)) != nil
    }

    /// It is.
    public mutating func give(_ code: OneTimeCode) { pairing.typed.give(code, on: Self.own) }

    /// What the link reports.
    public mutating func note(_ event: VerificationEvent, at now: Instant) {
        switch event {
        case .codeBurned(.presenter): pairing.shown.burn(on: Self.own)
        case .codeBurned(.typist): pairing.typed.burn(on: Self.own, at: now)
        case .codeVoid: pairing.typed.release(Self.own)
        case .codeVerified: pairing.verified(on: Self.own)
        case .codeWanted, .codeAbandoned, .comparisonWanted, .shortString: break
        }
    }

    /// The link has ended.
    public mutating func ended() { _ = pairing.ended(Self.own) }

    // MARK: Another link

    /// The code that is shown is tried on another link, which has answered CODE_BEGIN.
    public mutating func otherBegins(at now: Instant) {
        expire(at: now)
        guard otherDeadline == nil, let code = pairing.shown.current(at: now)?.code,
            pairing.shown.begin(on: Self.other, number: code.number, at: now) != nil
        else { return }
        otherDeadline = now.advanced(by: .seconds(10))
    }

    /// CODE_CONFIRM came there.
    public mutating func otherConfirms(at now: Instant) {
        expire(at: now)
        pairing.shown.guess(on: Self.other)
    }

    /// The attempt there is over.
    public mutating func otherEnds() {
        otherDeadline = nil
        _ = pairing.ended(Self.other)
    }

    /// The local peer tries a code there.
    public mutating func otherGives(_ code: OneTimeCode, at now: Instant) {
        guard mayGive(code, at: now) else { return }
        pairing.typed.give(code, on: Self.other)
    }

    /// CODE_CONFIRM went there.
    public mutating func otherBurns(at now: Instant) { pairing.typed.burn(on: Self.other, at: now) }

    private mutating func expire(at now: Instant) {
        if let otherDeadline, otherDeadline <= now { otherEnds() }
    }
}
