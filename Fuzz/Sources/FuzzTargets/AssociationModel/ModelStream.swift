/// A stream, as the tables of SPEC §15.6 describe both of its directions.
struct ModelStream {
    enum Sending { case sending, finishing, ended }
    enum Receiving { case receiving, stopping, ended }

    let isOwn: Bool
    var sending = Sending.sending
    var receiving = Receiving.receiving
    /// What the peer takes; `used` is what was seen on the wire.
    var allowance: ModelAllowance
    /// Bytes that the app has given.
    var written: UInt64 = 0
    /// What the peer sends.
    var window: ModelWindow
    /// The limit at first.
    let firstLimit: UInt64
    var hasTakenEnd = false

    /// The local app opens it.
    static func own(credit: UInt64) -> ModelStream {
        var stream = ModelStream(isOwn: true, allowance: 32_768, limit: credit)
        if credit == 0 { stream.receiving = .ended }
        return stream
    }

    /// The peer opens it.
    static func ofPeer(credit: UInt64) -> ModelStream {
        var stream = ModelStream(isOwn: false, allowance: credit, limit: 32_768)
        if credit == 0 { stream.sending = .ended }
        return stream
    }

    private init(isOwn: Bool, allowance: UInt64, limit: UInt64) {
        self.isOwn = isOwn
        self.allowance = ModelAllowance(limit: allowance)
        window = ModelWindow(window: min(limit, 32_768), limit: limit)
        firstLimit = limit
    }

    var hasEnded: Bool { sending == .ended && receiving == .ended }
    /// Whether the app has taken every byte and the end (§13.5).
    var isDrained: Bool { window.released == window.used && hasTakenEnd }
    var waiting: UInt64 { sending == .ended ? 0 : written - allowance.used }

    /// The app will take nothing more.
    mutating func drop() { window.released = window.used }
}
