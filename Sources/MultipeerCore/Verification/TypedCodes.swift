import MultipeerCrypto

/// The codes that were typed at this peer, for all of its links.
struct TypedCodes: Sendable {
    /// How long a burned code is refused (R25.5-6).
    static let memory: Duration = .seconds(600)
    /// For how many burned codes that is remembered. Nobody types faster; a person that does has to wait.
    static let mostBurned = 256

    /// Codes that are being tried.
    private var given: [LinkNumber: OneTimeCode] = [:]
    /// Burned codes, the oldest first, and when they are forgotten.
    private var burned: [(code: OneTimeCode, until: Instant)] = []

    /// When the oldest burned code is forgotten.
    var deadline: Instant? { burned.first?.until }

    /// Whether a code may be tried.
    /// - Throws: ``NodeRequestError/codeUsed``, ``NodeRequestError/tooManyCodes``.
    mutating func check(_ code: OneTimeCode, at now: Instant) throws(NodeRequestError) {
        forget(at: now)
        guard !burned.contains(where: { $0.code == code }), !given.values.contains(code) else { throw .codeUsed }
        guard burned.count + given.count < Self.mostBurned else { throw .tooManyCodes }
    }

    /// A code that may be tried is.
    mutating func give(_ code: OneTimeCode, on link: LinkNumber) { given[link] = code }

    /// CODE_CONFIRM is about to go out (R25.5-6).
    mutating func burn(on link: LinkNumber, at now: Instant) {
        guard let code = given.removeValue(forKey: link) else { return }
        burned.append((code, now.advanced(by: Self.memory)))
    }

    /// A link has ended, or its attempt is void: a code that is not burned may be tried again (R25.6-8).
    mutating func release(_ link: LinkNumber) { given[link] = nil }

    /// Codes live for ten minutes, burned ones too.
    mutating func forget(at now: Instant) { burned.removeAll { $0.until <= now } }
}
