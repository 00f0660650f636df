// swift-format-ignore-file: AmbiguousTrailingClosureOverload
public import MultipeerCrypto
import MultipeerScriptedPeer

/// Why a case does not run to its end, in the tester's words. These are only verdicts, so they carry text.
public enum Interruption: Error, Hashable, Sendable {
    /// The peer did what it must not do, or did not do what it must.
    case failed(String)
    /// The case does not apply to this peer.
    case skipped(String)
    /// The case says nothing, because the link did not reach the place where the case begins.
    case inconclusive(String)
    /// Something other than the expected thing came. Its meaning depends on what was being tried.
    case unexpected(String)
    /// Nothing came in time.
    case silence(awaiting: String)
    /// The peer broke a rule that holds at all times.
    case broke(rule: String, String)
    /// The tester's own cryptography failed.
    case own(CryptoFailure)

    init(_ trouble: NetworkError, awaiting: String) {
        self =
            switch trouble {
            case .timedOut: .silence(awaiting: awaiting)
            case .unknownHost: .inconclusive("the peer's host has no address")
            case .system(let errno): .inconclusive("\(awaiting): the system says error \(errno)")
            }
    }

    /// What the scripted peer met.
    init(_ error: ScriptedPeerError) {
        self =
            switch error {
            case .noKeys: .inconclusive("there is no channel to seal a record for")
            case .wrongMagic: .broke(rule: "R6.1-1", "the stream does not begin with the magic")
            case .illegalRecord(let kind, let length):
                .broke(rule: "R6.2-1", "a record of kind \(kind) with \(length) bytes came")
            case .secondHello: .broke(rule: "R6.2-2", "a second HELLO came")
            case .malformedHello: .broke(rule: "R3.3-1", "the peer's HELLO does not decode")
            case .unknownChoice(let version, let suite):
                .broke(
                    rule: "R7.3-1",
                    "the peer chose version \(FrameText.list([version])), suite \(FrameText.list([suite]))")
            case .handshakeFailed: .broke(rule: "R9.3-1", "the peer's confirmation does not verify")
            case .earlyRecord: .broke(rule: "R6.2-2", "a protected record came before there are keys")
            case .notVerified: .broke(rule: "R12.4-1", "a record came that does not verify")
            case .malformedFrames: .broke(rule: "R6.3-1", "a record holds something that is no frame")
            case .crypto(let failure): .own(failure)
            }
    }
}

/// Runs the tester's own cryptography.
func own<Value: ~Copyable>(_ body: () throws(CryptoFailure) -> Value) throws(Interruption) -> Value {
    do throws(CryptoFailure) {
        return try body()
    } catch {
        throw .own(error)
    }
}

/// Runs an operation of the scripted peer. The type of the error that the body throws selects the overload.
func own<Value>(_ body: () throws(ScriptedPeerError) -> Value) throws(Interruption) -> Value {
    do throws(ScriptedPeerError) {
        return try body()
    } catch {
        throw Interruption(error)
    }
}
