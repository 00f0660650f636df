public import MultipeerCrypto
import Synchronization

/// A one-time code that is shown, with the one guess that it is good for (SPEC §25.5).
///
/// All links that are answered with a code share this object, on whatever threads they run. The first link that hears CODE_CONFIRM takes
/// the guess. The others compare nothing with the code any more, whatever their peers send (R25.5-5).
public final class PresentedCode: Sendable {
    /// What a person reads.
    public let code: OneTimeCode
    private let guess = Atomic(false)

    /// Creates a code that nobody has guessed at.
    public init(_ code: OneTimeCode) {
        self.code = code
    }

    /// Whether somebody has guessed, rightly or wrongly.
    public var isBurned: Bool { guess.load(ordering: .acquiring) }

    /// Burns the code. Returns whether this caller has the guess.
    func takeGuess() -> Bool {
        guess.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }
}
