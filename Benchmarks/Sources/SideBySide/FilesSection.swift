import MultipeerWire
import Workloads

/// A file over loopback TCP by the program for single links, against a C program that does the same work.
struct FilesSection {
    let effort: Effort

    func run(_ report: Report) throws -> [Budget] {
        let length = effort.isSmoke ? 1 << 20 : 1 << 30
        report.title("A file over loopback TCP")
        report.paragraph(
            "\(length >> 20) MiB from one folder to another on the same disk. *Tool* is two processes of `multipeer-lab`, from "
                + "their start to their end. *C* is two threads with blocking calls and the same libraries: one reads, "
                + "hashes, seals records of 65,535 bytes and sends; the other receives, opens, hashes, writes and waits "
                + "for the disk (`fsync`), as the tool does. *Work* is processor time, of both processes.")
        var rows: [[String]] = []
        var budgets: [Budget] = []
        for suite in Suite.classical {
            let transfer = try FileTransfer(suite: suite, length: length)
            let times = try compete(
                [Contestant(name: "Tool", run: transfer.runTool), Contestant(name: "C", run: transfer.runReference)],
                effort.forFiles, clocks: [.wall, .processAndChildren])
            rows += Self.rows(suite, length, speed: times[0], work: times[1])
            budgets.append(Self.budget(suite, Summary(speedOf: times[0][0], against: times[0][1])))
        }
        report.table(["suite", "who", "speed ÷ C", "work ÷ C", "speed", "time", "work"], rows)
        return budgets
    }

    private static func rows(_ suite: Suite, _ length: Int, speed: [Times], work: [Times]) -> [[String]] {
        ["Tool", "C"].enumerated().map { index, name in
            let (time, processor) = (Summary(speed[index]).median, Summary(work[index]).median)
            return [
                suite.name, name, Summary(speedOf: speed[index], against: speed[1]).ratioText,
                Summary(speedOf: work[index], against: work[1]).ratioText, throughput(length, time),
                time.secondsText, processor.secondsText,
            ]
        }
    }

    private static func budget(_ suite: Suite, _ share: Summary) -> Budget {
        Budget(
            what: "file over loopback TCP by the tool, \(suite.name), against a C program", asked: "≥ 0.7",
            found: share.median.text(2), isKept: share.median >= 0.695)
    }
}

extension Effort {
    /// One transfer a round takes seconds.
    fileprivate var forFiles: Effort { Effort(rounds: isSmoke ? 1 : 7, nanoseconds: 1) }
}

extension Double {
    /// "1.87 s", of nanoseconds.
    fileprivate var secondsText: String { (self / 1_000_000_000).text(2) + " s" }
}
