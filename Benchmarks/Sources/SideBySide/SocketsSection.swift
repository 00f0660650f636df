import MultipeerWire
import Workloads

/// Messages of 64 KiB over loopback TCP, against what the AEAD and a bare socket allow together.
struct SocketsSection {
    static let length = 65_536

    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws -> [Budget] {
        report.title("Messages over loopback TCP")
        report.paragraph(
            "64 KiB each, two cores. What *AEAD and socket* allow together is not a formula but a program: two threads "
                + "in C on a bare connection, one seals and sends, the other receives and opens; *socket* is the same "
                + "without the AEAD. *MultipeerNIO* is `LinkConnection.send` to the receiver's event, each side on an "
                + "event loop of its own, app and events on Swift's tasks. *Links* is two `Link`s on two threads with "
                + "blocking calls, as an embedder may do. *Speed* is time on the wall; *work* is the processor time of "
                + "all threads, which a busy machine disturbs less.")
        var rows: [[String]] = []
        var budgets: [Budget] = []
        for suite in Suite.classical {
            let (speed, work) = try transfer(suite)
            for (index, name) in Self.names.enumerated() {
                rows.append(
                    [
                        suite.name, name, Summary(speedOf: speed[index], against: speed[2]).ratioText,
                        Summary(speedOf: work[index], against: work[2]).ratioText,
                        throughput(Self.length, Summary(speed[index]).median),
                        Summary(work[index]).median.nanosecondsText,
                    ])
            }
            let share = Summary(speedOf: speed[0], against: speed[2])
            budgets.append(
                Budget(
                    what: "message of 64 KiB over loopback TCP, \(suite.name), against AEAD and socket",
                    asked: "≥ 0.85", found: share.median.text(2), isKept: share.median >= 0.845))
        }
        report.table(
            ["suite", "who", "speed ÷ AEAD and socket", "work ÷ AEAD and socket", "speed", "work a message"], rows)
        return budgets
    }

    private static let names = ["MultipeerNIO", "Links", "AEAD and socket", "socket"]

    private func transfer(_ suite: Suite) throws -> (speed: [Times], work: [Times]) {
        let nio = try NIOTransfer(peers, suite: suite, length: Self.length)
        let links = try SocketTransfer(peers, suite: suite, length: Self.length)
        let sealed = try TCPReference(suite: suite, length: Self.length)
        let bare = try TCPReference(suite: nil, length: Self.length)
        let works: [(Int) throws -> Void] = [
            { try nio.run($0) }, { try links.run($0) }, { try sealed.run($0) }, { try bare.run($0) },
        ]
        let times = try compete(
            zip(Self.names, works).map { Contestant(name: $0, run: $1) }, effort.longer, clocks: [.wall, .process])
        return (times[0], times[1])
    }
}
