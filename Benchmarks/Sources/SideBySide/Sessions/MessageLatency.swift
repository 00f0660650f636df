import Workloads

/// How long a message takes beside a file on the same link, and there and back.
struct MessageLatency {
    let effort: Effort

    /// Round trips of one contestant.
    private struct Trips {
        let name: String
        let run: (_ count: Int) throws -> [Double]
        var all: [Double] = []
        /// Of each round.
        var medians: Times = []
        var slowest: Times = []
    }

    func run(_ report: Report) throws {
        let count = effort.isSmoke ? 2 : 100
        report.paragraph(
            "There and back: a message of 64 B, which the remote peer answers with the same, \(count) times in each of "
                + "\(effort.rounds) rounds. *Beside a file* means that a file goes to the remote peer over the same link all "
                + "the time. *TCP* is two threads in C and a bare connection that carries both one after the other. Its "
                + "receiver hashes the file, and nobody reads, seals or stores it: it flows faster than a real one, and the "
                + "wait behind it is shorter. *Queue* is what the app has queued of the file when the message comes: nothing, "
                + "or the 1 MiB that Multipeer's own queue for messages takes; what the socket holds comes on top. Ratios are "
                + "times: above 1, the row is the slower.")
        let trips = try measure(count)
        report.table(
            [
                "round trip of 64 B", "median ÷ session alone", "99 % ÷ session alone", "median ÷ TCP behind a file",
                "99 % ÷ TCP behind a file", "median", "99 %",
            ], trips.map { row($0, alone: trips[1], behind: trips[3]) })
    }

    private func row(_ trips: Trips, alone: Trips, behind: Trips) -> [String] {
        [
            trips.name, Summary(speedOf: alone.medians, against: trips.medians).ratioText,
            Summary(speedOf: alone.slowest, against: trips.slowest).ratioText,
            Summary(speedOf: behind.medians, against: trips.medians).ratioText,
            Summary(speedOf: behind.slowest, against: trips.slowest).ratioText,
            trips.all.quantile(0.5).nanosecondsText, trips.all.quantile(0.99).nanosecondsText,
        ]
    }

    /// All take turns, and another one begins each round.
    private func measure(_ count: Int) throws -> [Trips] {
        var trips = try contestants()
        for round in 0..<effort.rounds {
            for turn in trips.indices {
                let index = (turn + round) % trips.count
                let samples = try trips[index].run(count)
                trips[index].all += samples
                trips[index].medians.append(samples.quantile(0.5))
                trips[index].slowest.append(samples.quantile(0.99))
            }
        }
        return trips
    }

    private func contestants() throws -> [Trips] {
        let session = try SessionLatency(fileLength: effort.isSmoke ? 1 << 23 : 1 << 26)
        let tcp = try TCPLatency()
        return [
            Trips(name: "session, beside a file", run: session.besideFile),
            Trips(name: "session, alone", run: session.alone),
            Trips(name: "TCP, behind a file, queue 0") { try tcp.behindFile($0, queued: 0) },
            Trips(name: "TCP, behind a file, queue 1 MiB") { try tcp.behindFile($0, queued: 1 << 20) },
            Trips(name: "TCP, alone", run: tcp.alone),
        ]
    }
}
