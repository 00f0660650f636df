import Glibc

/// Somebody who does the same work as others, in another way.
struct Contestant {
    let name: String
    /// Does the work `count` times.
    let run: (_ count: Int) throws -> Void
}

/// How thoroughly to measure.
struct Effort {
    /// Rounds that count; each measures every contestant once.
    let rounds: Int
    /// How long a contestant works in a round, in nanoseconds.
    let nanoseconds: UInt64

    /// Whether this only proves that everything runs.
    var isSmoke: Bool { rounds == Self.smoke.rounds }

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
    /// That, and the processor time of all child processes that have ended.
    case processAndChildren

    var now: UInt64 {
        switch self {
        case .thread: Self.read(CLOCK_THREAD_CPUTIME_ID)
        case .wall: Self.read(CLOCK_MONOTONIC)
        case .process: Self.read(CLOCK_PROCESS_CPUTIME_ID)
        case .processAndChildren: Self.read(CLOCK_PROCESS_CPUTIME_ID) + Self.childrenTime
        }
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static var childrenTime: UInt64 {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1_000
        }
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
