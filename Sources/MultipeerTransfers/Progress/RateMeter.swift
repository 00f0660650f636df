import MultipeerCore

/// Measures how many bytes come in a second, over the last seconds.
struct RateMeter {
    /// How far it looks back.
    static let window: Duration = .seconds(5)
    /// What comes within this time is one sample, so that there are about fifty.
    private static let step: Duration = .milliseconds(100)
    /// Before that nothing is said: a first burst measures buffers, and not the link.
    private static let minimum: Duration = .milliseconds(500)

    private struct Sample {
        var time: Instant
        /// All bytes until then.
        var total: UInt64
    }

    /// The oldest is the beginning of the window, or before it.
    private var samples: [Sample]
    /// All bytes.
    private var total: UInt64 = 0

    var sampleCount: Int { samples.count }

    init(startingAt now: Instant) {
        samples = [Sample(time: now, total: 0)]
    }

    /// `count` bytes have come since the last call.
    mutating func add(_ count: UInt64, at now: Instant) {
        total += count
        if samples.count > 1, now.duration(since: samples[samples.count - 2].time) < Self.step {
            samples[samples.count - 1] = Sample(time: now, total: total)
        } else {
            samples.append(Sample(time: now, total: total))
        }
        while samples.count > 1, now.duration(since: samples[1].time) >= Self.window { samples.removeFirst() }
    }

    /// Bytes per second; nil while it is too early to say.
    func rate(at now: Instant) -> Double? {
        let first = samples.last { now.duration(since: $0.time) >= Self.window } ?? samples[0]
        let time = min(now.duration(since: first.time), Self.window)
        guard time >= Self.minimum else { return nil }
        return Double(total - first.total) / (time / .seconds(1))
    }
}
