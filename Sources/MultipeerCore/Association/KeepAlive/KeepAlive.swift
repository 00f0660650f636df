import MultipeerWire

/// When a peer that says nothing is asked, and when it is given up (SPEC §13.7, R13.7-3).
public struct KeepAliveTimes: Hashable, Sendable {
    /// After how long without a record PING is sent.
    public var ping: Duration
    /// After how long without a record that verifies the link is closed with `silent`; nil for never.
    public var silence: Duration?

    /// Creates times. The defaults are those of SPEC §13.7.
    public init(ping: Duration = .seconds(5), silence: Duration? = .seconds(15)) {
        self.ping = ping
        self.silence = silence
    }
}

/// Whether the peer is still there (SPEC §13.7).
struct KeepAlive: Sendable {
    /// Nil: the local peer never asks. It answers all the same.
    let times: KeepAliveTimes?
    private var lastHeard: Instant
    private var lastAsked: Instant
    /// PINGs sent, the data of the last one.
    private var pings: UInt64 = 0
    private var isPingDue = false
    private var owedPong: [UInt8]?
    private var sentAt: Instant?
    /// The time from the last PING that was answered to its PONG.
    private(set) var roundTrip: Duration?
    private var probe: Probe?
    /// When to look again. It moves only when it is reached, so that a record that comes costs no timer.
    private(set) var deadline: Instant?

    /// A question whether the peer is still there, which must not wait for the usual silence (R8.7-7).
    private struct Probe {
        /// How long the peer may be silent.
        let patience: Duration
        /// From when silence counts.
        let start: Instant
        /// Whether the PING that asks has gone out.
        var isAsked = false
    }

    init(times: KeepAliveTimes?, now: Instant) {
        self.times = times
        lastHeard = now
        lastAsked = now
        deadline = times.map { now.advanced(by: $0.ping) }
    }

    /// A record came and verified: any of them shows life.
    mutating func heard(at now: Instant) { lastHeard = now }

    /// PING came. If several wait for an answer, the last one gets it (R13.7-1).
    mutating func receive(_ ping: Ping) { owedPong = ping.data }

    /// PONG came. One that answers no PING is ignored (R13.7-2). Returns whether it answers the probe.
    mutating func receive(_ pong: Pong, at now: Instant) -> Bool {
        guard let sentAt, pong.data == Self.data(pings) else { return false }
        roundTrip = now.duration(since: sentAt)
        self.sentAt = nil
        guard probe?.isAsked == true else { return false }
        probe = nil
        return true
    }

    /// Asks the peer now whether it is there. Until it answers, it may be silent no longer than `patience`.
    mutating func probe(within patience: Duration, at now: Instant) {
        // A PONG that was asked for before shows nothing of what has come since.
        probe = Probe(patience: patience, start: probe?.start ?? now)
        isPingDue = true
        lastAsked = now
        deadline = Instant.earlier(deadline, silentAt)
    }

    /// Looks whether the peer has been silent too long, or is to be asked.
    /// - Parameter judgesSilence: Whether all that has come was read. If not, silence is looked at later.
    /// - Throws: `silent`.
    mutating func timeout(at now: Instant, judgesSilence: Bool = true) throws(LinkFailureCause) {
        guard let deadline, now >= deadline else { return }
        let silentAt = silentAt
        if let silentAt, now >= silentAt {
            guard judgesSilence else { return }
            throw .silent
        }
        guard let times else {
            self.deadline = silentAt
            return
        }
        var askAt = max(lastHeard, lastAsked).advanced(by: times.ping)
        if now >= askAt {
            isPingDue = true
            lastAsked = now
            askAt = now.advanced(by: times.ping)
        }
        self.deadline = silentAt.map { min($0, askAt) } ?? askAt
    }

    /// Whether the peer has been silent too long, as far as its records were read.
    func isSilent(at now: Instant) -> Bool { silentAt.map { $0 <= now } ?? false }

    /// When the peer has been silent too long.
    private var silentAt: Instant? {
        let usual = (times?.silence).map { lastHeard.advanced(by: $0) }
        let probed = probe.map { max($0.start, lastHeard).advanced(by: $0.patience) }
        return Instant.earlier(usual, probed)
    }

    /// Whether PING or PONG waits to be sent.
    var hasFrame: Bool { isPingDue || owedPong != nil }

    /// Returns PING and PONG, as far as they are due. They count as sent at `now`.
    mutating func takeFrames(at now: Instant) -> (ping: Ping?, pong: Pong?) {
        defer { (isPingDue, owedPong) = (false, nil) }
        guard isPingDue else { return (nil, owedPong.map(Pong.init)) }
        pings += 1
        sentAt = now
        probe?.isAsked = true
        return (Ping(data: Self.data(pings)), owedPong.map(Pong.init))
    }

    /// The number of a PING, big-endian.
    private static func data(_ number: UInt64) -> [UInt8] {
        (0..<Ping.dataLength).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
