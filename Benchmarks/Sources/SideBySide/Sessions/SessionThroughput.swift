import MultipeerWire
import Workloads

/// Messages, streams and files between two members, against a bare link.
struct SessionThroughput {
    let peers: Peers
    let effort: Effort

    private struct Kind {
        let name: String
        /// The bytes of one piece of work.
        let length: Int
        let effort: Effort
        let session: (Int) throws -> Void
        let link: (Int) throws -> Void
    }

    func run(_ report: Report) throws {
        report.paragraph(
            "*Session* is two peers of `Multipeer` in this process, connected over loopback TCP: `send` to the receiver's event, "
                + "`write` to the receiver's `bytes`, `sendFile` until the receiver has stored the file. *Link* is the same with "
                + "`LinkConnection`, and `FileTransfers` for files. Both take \(peers.preferredSuite?.name ?? "?"), which both "
                + "sides prefer. Ratios above 1 say that the session is the faster, or does it with less work.")
        var rows: [[String]] = []
        for kind in try kinds() {
            let times = try compete(
                [Contestant(name: "session", run: kind.session), Contestant(name: "link", run: kind.link)], kind.effort,
                clocks: [.wall, .process])
            rows.append(row(kind, speed: times[0], work: times[1]))
        }
        report.table(
            ["what", "speed ÷ link", "work ÷ link", "session", "link", "work, session", "work, link"], rows)
    }

    private func row(_ kind: Kind, speed: [Times], work: [Times]) -> [String] {
        [
            kind.name, Summary(speedOf: speed[0], against: speed[1]).ratioText,
            Summary(speedOf: work[0], against: work[1]).ratioText,
        ] + speed.map { throughput(kind.length, Summary($0).median) } + work.map { Summary($0).median.nanosecondsText }
    }

    private func kinds() throws -> [Kind] {
        try [64, 65_536].map { try messages($0) } + [try stream(65_536), try file(effort.isSmoke ? 1 << 20 : 1 << 26)]
    }

    private func messages(_ length: Int) throws -> Kind {
        let session = try SessionMessages(length: length)
        let link = try NIOTransfer(peers, suite: nil, length: length)
        return Kind(
            name: "messages of \(RecordsSection.name(length))", length: length, effort: effort.longer,
            session: session.run, link: link.run)
    }

    private func stream(_ length: Int) throws -> Kind {
        let session = try SessionStreams(length: length)
        let link = try LinkStreams(peers, length: length)
        return Kind(
            name: "stream, writes of \(RecordsSection.name(length))", length: length, effort: effort.longer,
            session: session.run, link: link.run)
    }

    private func file(_ length: Int) throws -> Kind {
        let session = try SessionFiles(length: length)
        let link = try LinkFiles(peers, length: length)
        return Kind(
            name: "file of \(length >> 20) MiB", length: length, effort: effort.longer, session: session.run,
            link: link.run)
    }
}
