public import MultipeerCrypto

/// What the tester knows of one-time codes (SPEC §25.4), as a person would who stands between both screens.
public protocol CodeSource: Sendable {
    /// The code that the live peer shows now, or types at the tester; nil if there is none in time.
    func code(until deadline: Deadline) -> OneTimeCode?

    /// The tester has sent CODE_CONFIRM for this code, so that the peer shows it no more (R25.5-5).
    func burned(_ code: OneTimeCode)
}

/// One code, as for a peer that types it.
public struct FixedCode: CodeSource {
    private let code: OneTimeCode

    public init(_ code: OneTimeCode) { self.code = code }

    public func code(until deadline: Deadline) -> OneTimeCode? { code }

    /// Somebody else types it the next time.
    public func burned(_ code: OneTimeCode) {}
}
