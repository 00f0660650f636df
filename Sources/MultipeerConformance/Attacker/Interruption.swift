public import MultipeerCrypto

/// Why a case does not run to its end, in the tester's words. These are verdicts and nothing else, so they carry text.
public enum Interruption: Error, Hashable, Sendable {
    /// The peer did what it must not do, or not what it must.
    case failed(String)
    /// The case does not apply to this peer.
    case skipped(String)
    /// Nothing can be said: the place where the case begins was not reached.
    case inconclusive(String)
    /// Something else came than was awaited. What that means depends on what was being tried.
    case unexpected(String)
    /// Nothing came in time.
    case silence(awaiting: String)
    /// The peer broke a rule that holds at all times.
    case broke(rule: String, String)
    /// The tester's own cryptography failed.
    case own(CryptoFailure)

    init(_ trouble: NetworkTrouble, awaiting: String) {
        self =
            switch trouble {
            case .timedOut: .silence(awaiting: awaiting)
            case .unknownHost: .inconclusive("the peer's host has no address")
            case .system(let errno): .inconclusive("\(awaiting): the system says error \(errno)")
            }
    }
}

/// Runs own cryptography.
func own<Value: ~Copyable>(_ body: () throws(CryptoFailure) -> Value) throws(Interruption) -> Value {
    do throws(CryptoFailure) {
        return try body()
    } catch {
        throw .own(error)
    }
}
