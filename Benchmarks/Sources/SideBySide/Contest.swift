import Glibc

/// Somebody who does the same work as others, in another way.
struct Contestant {
    let name: String
    /// Does the work so many times.
    let run: (_ count: Int) throws -> Void
}

/// How thoroughly to measure.
struct Effort {
    /// Rounds that count; each measures every contestant once.
    let rounds: Int
    /// How long a contestant works in a round, in nanoseconds.
    let nanoseconds: UInt64

    static let full = Effort(rounds: 31, nanoseconds: 20_000_000)
    /// Proves that everything builds and runs. Its figures mean nothing.
    static let smoke = Effort(rounds: 1, nanoseconds: 200_000)
}

/// Which time counts.
enum Clock {
    /// The processor time of this thread: what other processes do on the machine does not count.
    case thread
    /// The time on the wall; where several threads work together.
    case wall

    var now: UInt64 {
        var time = timespec()
        clock_gettime(self == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Times of one contestant, in nanoseconds for one piece of work, a round each.
typealias Times = [Double]

/// Lets all contestants work in every round, one after the other, so that whatever slows the machine down for a while
/// slows all of them down.
func compete(_ contestants: [Contestant], _ effort: Effort, clock: Clock = .thread) throws -> [Times] {
    let counts = try contestants.map { try calibrate($0, effort, clock) }
    var times = contestants.map { _ in Times() }
    for round in 0..<effort.rounds {
        for turn in contestants.indices {
            // Another one begins each round: nobody always follows the same neighbour's caches.
            let index = (turn + round) % contestants.count
            let start = clock.now
            try contestants[index].run(counts[index])
            times[index].append(Double(clock.now - start) / Double(counts[index]))
        }
    }
    return times
}

/// How often to repeat the work to fill a round; also warms up.
private func calibrate(_ contestant: Contestant, _ effort: Effort, _ clock: Clock) throws -> Int {
    var count = 1
    while true {
        let start = clock.now
        try contestant.run(count)
        let elapsed = max(clock.now - start, 1)
        if elapsed >= effort.nanoseconds / 2 { return max(1, count * Int(effort.nanoseconds) / Int(elapsed)) }
        count *= 2
    }
}
