import MultipeerCertificates
import MultipeerCore
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Questions at a terminal", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct QuestionTests {
    private typealias Step = Terminal.Step

    private static let asking = ["listen", "--accept", "ask", "--accept-unverified", "--answer-within", "600"]
    /// A pool of one thread, which a question must not take.
    private static let smallPool = ["NIO_SINGLETON_BLOCKING_POOL_THREAD_COUNT": "1"]

    private let scratch: Scratch
    private let place: String

    init() throws {
        scratch = try Scratch()
        place = scratch / "socket"
    }

    private var listening: [String] { Self.asking + ["--unix", place, "--save", scratch / "in"] }

    /// A peer whose invitation waits for its answer, as the listener's line with `label` says.
    private func inviter(_ label: String, _ listener: Tool) async throws -> RawPeer {
        let peer = try await RawPeer("unix:" + place)
        try await peer.connection.invite(
            OutgoingInvitation(terms: SessionTerms(encryption: .optional), timeout: .seconds(600)))
        _ = try await listener.line(containing: label)
        return peer
    }

    @Test("A question that nobody answers is declined, and both commands say why")
    func unanswered() async throws {
        let listener = try Terminal.start(
            ["listen", "--once", "--accept", "ask", "--accept-unverified", "--unix", place, "--answer-within", "0.2"])
        _ = try await listener.line(containing: "listening")
        let connector = try await Tool.run(
            ["connect", "unix:" + place, "--accept-unverified", "--json", "--timeout", "600"])
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [75, 75])
        #expect(finished.output.contains("nobody answered in time"))
        #expect(connector.events.first("failed")?["reason"]?.string?.contains("nobody answered") == true)
    }

    @Test("An address has at most four questions; the fifth is declined at once")
    func bounds() async throws {
        let listener = try Terminal.start(
            listening, steps: [Step(text: "too many questions", keys: Terminal.interrupt)])
        _ = try await listener.line(containing: "listening")
        let first = try await inviter("[1] Raw", listener)
        let second = try await inviter("[2]\u{1B}[0m invited", listener)
        let third = try await inviter("[3]\u{1B}[0m invited", listener)
        let fourth = try await inviter("[4]\u{1B}[0m invited", listener)
        let fifth = try await Tool.run(
            ["connect", "unix:" + place, "--accept-unverified", "--json", "--timeout", "600"])
        #expect(fifth.status == 77)
        #expect(fifth.events.first("failed")?["reason"]?.string?.contains("no room") == true)
        #expect(await listener.finish().status == 0)
        withExtendedLifetime((first, second, third, fourth)) {}
    }

    @Test("A question does not delay files, and stays below the output")
    func besideFiles() async throws {
        let listener = try Terminal.start(
            listening,
            steps: [
                Step(text: "[1] Accept", keys: "y\n"), Step(text: "[2] Accept", keys: ""),
                Step(text: "file received", keys: ""), Step(text: "[2] Accept Raw", keys: "n\n"),
                Step(text: "the local peer declined", keys: Terminal.interrupt),
            ], environment: Self.smallPool)
        _ = try await listener.line(containing: "listening")
        let sender = try await RawPeer("unix:" + place)
        try await sender.open()
        let waiting = try await inviter("[2] Raw", listener)
        let content = TransferTests.bytes(1_000_000)
        #expect(try await sender.send(content, named: "file") == .delivered)
        #expect(try Scratch.read(scratch / "in/file") == content)
        #expect(await listener.finish().status == 0)
        withExtendedLifetime(waiting) {}
    }

    @Test("The question of an inviter that has left is replaced by the next one")
    func withdrawn() async throws {
        let listener = try Terminal.start(
            listening,
            steps: [Step(text: "[2] Accept", keys: "y\n"), Step(text: "[2]\u{1B}[0m closed", keys: Terminal.interrupt)])
        _ = try await listener.line(containing: "listening")
        let first = try await inviter("[1] Raw", listener)
        let second = try Tool(["connect", "unix:" + place, "--accept-unverified", "--json", "--timeout", "600"])
        _ = try await listener.line(containing: "[2]\u{1B}[0m invited")
        await first.abort()
        #expect(await second.finish().status == 0)
        #expect(await listener.finish().status == 0)
    }
}
