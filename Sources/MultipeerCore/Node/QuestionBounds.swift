import MultipeerCrypto

/// How often an app is asked about invitations of one peer: a peer could invite and take it back for ever.
struct QuestionBounds: Sendable {
    /// How many questions about one peer there are within 60 s.
    static let rate = 16
    private var windows: [IdentityKey: RateWindow] = [:]

    mutating func mayAsk(about peer: IdentityKey, at now: Instant) -> Bool {
        if windows.count >= 1_024 { windows = windows.filter { $0.value.isInUse(at: now) } }
        var window = windows[peer] ?? RateWindow(limit: Self.rate)
        let may = window.take(1, at: now) == 1
        windows[peer] = window
        return may
    }
}
