import MultipeerTestSupport
import Testing

@Suite("At a terminal", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct TerminalTests {
    private static let asking = ["listen", "--port", "0", "--once", "--json", "--accept", "ask", "--accept-unverified"]

    @Test(
        "The person is asked, and the peer's text is escaped",
        arguments: [("y\n", 0), ("yes\n", 0), ("n\n", 77), ("\n", 77), ("yikes\n", 77)] as [(String, Int32)])
    func ask(answer: String, status: Int32) async throws {
        let ben = try await Person("Ben")
        let listener = try Terminal.start(Self.asking, steps: [Terminal.Step(text: "[y/N]", keys: answer)])
        let address = try await listener.address()
        let connector = try await Tool.run(
            ["connect", address, "--accept-unverified", "--context", "\u{1B}[2Jhello\u{202E}"] + ben.store)
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [status, status])
        #expect(finished.output.contains("Ben (new, \(ben.peerID.prefix(8))…) invites you"))
        #expect(finished.output.contains(ben.peerID))
        #expect(finished.output.contains(#"\u{1B}[2Jhello\u{202E}"#))
        #expect(!finished.output.contains("\u{1B}[2J"))
    }

    @Test("A question that nobody answers times out for both peers, and disappears")
    func noAnswer() async throws {
        let listener = try Terminal.start(Self.asking)
        let address = try await listener.address()
        let connector = try await Tool.run(["connect", address, "--accept-unverified", "--timeout", "5"])
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [75, 75])
        #expect(finished.output.contains("invites you"))
    }

    @Test("A file shows a bar and colours at a terminal, and neither in a pipe")
    func bar() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("big.bin", TransferTests.bytes(2_000_000))
        for isTerminal in [true, false] {
            let listener = try Tool(
                ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"]
                    + ["--save", scratch / "in"])
            let arguments = ["connect", try await listener.address(), "--accept-unverified", "--file", path]
            let connector = isTerminal ? try Terminal.start(arguments) : try Tool(arguments)
            let (shown, received) = (await connector.finish(), await listener.finish())
            #expect([shown.status, received.status] == [0, 0])
            let text = shown.output + shown.errors
            #expect(text.contains("sending big.bin [") == isTerminal)
            #expect(text.contains("\u{1B}[") == isTerminal)
            #expect(text.contains("\r\u{1B}[J") == isTerminal)
            #expect(text.contains("file sent:"))
        }
    }
}

@Suite("Traces", .endsIfItHangs)
struct TraceTests {
    @Test("Every record of both directions, on standard error, without touching the events")
    func trace() async throws {
        let meeting = try await Meeting.runUnverified(
            listen: ["--trace"], connect: ["--trace", "--message", "traced", "--context", "why"])
        #expect(meeting.statuses == [0, 0])
        for side in [meeting.listener, meeting.connector] {
            for text in [
                "→ sent HELLO", "← received HELLO", "GREASE", "→ sent ENCRYPTED #0", "← received ENCRYPTED #0", "PROOF",
                "PEER_INFO", "INVITE", "context: 3 bytes \"why\"", "ACCEPT", "READY", "MESSAGE", "\"traced\"",
                "code: 0x00 (no_error)",
            ] {
                #expect(side.errors.contains(text), "\(text) is not in the trace")
            }
            #expect(!side.errors.contains("does not decode"))
            #expect(side.output.split(separator: "\n").count == side.events.count)
        }
    }
}
