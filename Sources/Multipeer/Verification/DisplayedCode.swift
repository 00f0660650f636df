import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// A one-time code that the local peer shows (``Peer/showCode(number:)``). It is good for ten minutes and one guess,
/// and only as long as the app keeps it.
public final class DisplayedCode: Sendable {
    /// What the other person types. It is a secret of the two.
    public let code: OneTimeCode
    /// How long it was good when it was drawn.
    public let lifetime: Duration
    /// Whether wrong codes have come so often within an hour that somebody may be guessing: tell the person (SPEC §25.5).
    public let isGuessingSuspected: Bool
    private let host: PeerHost
    private let abandoned = Mutex(0)
    private let wasAbandoned = Signal()
    private let outcomes = AsyncQueue<CodeOutcome>(watermarks: .unbounded)

    init(_ shown: ShownCode, lifetime: Duration, host: PeerHost) {
        code = shown.code
        self.lifetime = lifetime
        isGuessingSuspected = shown.isGuessingSuspected
        self.host = host
    }

    deinit {
        host.node.submit { [code] (node, now) in node.hide(code, at: now) }
    }

    /// Waits until the code is good no longer, and returns why. Only the first caller learns it; nil for others, and if the task is
    /// cancelled.
    public func outcome() async -> CodeOutcome? { await outcomes.next() }

    /// Waits until further peers have begun to try the code and have gone before they did, and returns how many have done so in all:
    /// the code is as good as before, but somebody may be in the way. Nil once the code has ended, and if the task is cancelled.
    public func abandonedAttempts() async -> Int? {
        guard await wasAbandoned.wait() else { return nil }
        return abandoned.withLock(\.self)
    }

    func abandon() {
        abandoned.withLock { $0 += 1 }
        wasAbandoned.set()
    }

    /// Shows the code no more. Peers that try it just now still may.
    public func withdraw() async {
        await host.hide(code)
        end(.withdrawn)
    }

    /// Only the first counts.
    func end(_ outcome: CodeOutcome) {
        outcomes.push(outcome, cost: 0)
        outcomes.finish()
        wasAbandoned.finish()
    }
}

/// How a code ended.
@nonexhaustive
public enum CodeOutcome: Hashable, Sendable {
    /// This peer has typed it: its key is verified, and remembered as such.
    case verified(PeerID)
    /// This peer has tried another one. Show a new code if the person asks for one.
    case wrong(PeerID)
    /// Nobody has typed it in time.
    case expired
    /// It was taken from the screen, or another one is shown.
    case withdrawn
}
