import Workloads

/// How late messages come that go over the link, and as datagrams. The difference shows where a network loses packets
/// (`Scripts/benchmark --loss`).
struct DelaysSection {
    let effort: Effort

    func run(_ report: Report) throws {
        let count = effort.isSmoke ? 20 : 1_000
        report.title("Delays")
        report.paragraph(
            "\(count) messages of 100 B, one every 10 ms, from the sender's call to the receiver's app. Over the link all come, in order; "
                + "datagrams may be lost. Ratios are times of the link to those of datagrams.")
        let delays = try MessageDelays()
        let (link, datagrams) = (try delays.measure(.link, count), try delays.measure(.datagrams, count))
        let fractions = [0.5, 0.9, 0.99, 1]
        let row = { (name: String, sample: [Double]) in
            [name, "\(sample.count)"] + fractions.map { sample.isEmpty ? "–" : sample.quantile($0).nanosecondsText }
        }
        report.table(
            ["way", "came", "median", "90 %", "99 %", "longest"],
            [
                row("link", link), row("datagrams", datagrams),
                ["link ÷ datagrams", ""]
                    + fractions.map {
                        link.isEmpty || datagrams.isEmpty ? "–" : (link.quantile($0) / datagrams.quantile($0)).text(2)
                    },
            ])
    }
}
