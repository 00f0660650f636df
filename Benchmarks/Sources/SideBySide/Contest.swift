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

    /// For what several threads do together, which takes a while to get going.
    var longer: Effort { Effort(rounds: rounds, nanoseconds: 5 * nanoseconds) }

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
    /// The processor time of all threads of the process together.
    case process

    var now: UInt64 {
        let clock =
            switch self {
            case .thread: CLOCK_THREAD_CPUTIME_ID
            case .wall: CLOCK_MONOTONIC
            case .process: CLOCK_PROCESS_CPUTIME_ID
            }
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Times of one contestant, in nanoseconds for one piece of work, a round each.
typealias Times = [Double]

/// Lets all contestants work in every round, one after the other, so that whatever slows the machine down for a while
/// slows all of them down.
func compete(_ contestants: [Contestant], _ effort: Effort) throws -> [Times] {
    try compete(contestants, effort, clocks: [.thread])[0]
}

/// The same, by several clocks at once; one list of times for each. The first says how long a round is.
func compete(_ contestants: [Contestant], _ effort: Effort, clocks: [Clock]) throws -> [[Times]] {
    let counts = try contestants.map { try calibrate($0, effort, clocks[0]) }
    var times = clocks.map { _ in contestants.map { _ in Times() } }
    for round in 0..<effort.rounds {
        for turn in contestants.indices {
            // Another one begins each round: nobody always follows the same neighbour's caches.
            let index = (turn + round) % contestants.count
            let starts = clocks.map(\.now)
            try contestants[index].run(counts[index])
            for (number, clock) in clocks.enumerated() {
                times[number][index].append(Double(clock.now - starts[number]) / Double(counts[index]))
            }
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
