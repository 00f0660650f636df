import Logging
import MultipeerTestSupport
import NIOPosix
import Synchronization
import Testing

@testable import Multipeer

@Suite("What an app chooses for a peer", .endsIfItHangs)
struct PeerOptionsTests {
    /// Keeps what is logged.
    private struct Memory: LogHandler {
        final class Lines: Sendable {
            let list = Mutex<[String]>([])
        }

        let lines: Lines
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.list.withLock { $0.append("\(event.message)") } }
    }

    @Test("A peer's links are served on the app's event loop, which can be shut down after the peer")
    func eventLoop() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (anna, ben) = (
            try await Friend("Anna"),
            try await Friend("Ben", peer: try await Peer.temporary(named: "Ben", options: PeerOptions(eventLoop: loop)))
        )
        #expect(ben.peer.host.node.eventLoop === loop && anna.peer.host.node.eventLoop !== loop)
        try await anna.session.invite(ben.address)
        #expect(try await anna.session.send("hello", to: ben.id).outcome() == .delivered)
        await ben.session.leave()
        await ben.peer.shutDown()
        try await group.shutdownGracefully()
    }

    @Test("A peer's links report to the app's logger, without names and payload")
    func logger() async throws {
        let lines = Memory.Lines()
        let logger = Logger(label: "test") { _ in Memory(lines: lines) }
        let (anna, ben) = (
            try await Friend(
                "Anna", peer: try await Peer.temporary(named: "Anna", options: PeerOptions(logger: logger))),
            try await Friend("Ben")
        )
        try await anna.session.invite(ben.address)
        #expect(try await anna.session.send("secret", to: ben.id).outcome() == .delivered)
        await anna.session.leave()
        try await eventually { lines.list.withLock { $0.contains("link finished") } }
        let text = lines.list.withLock { $0.joined(separator: "\n") }
        #expect(text.contains("peer identified") && text.contains("session open"))
        #expect(!text.contains("secret") && !text.contains("Ben"))
    }
}
