import Foundation
import Glibc
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

@Suite("The last lines of a terminal", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct LiveScreenTests {
    private typealias Step = Terminal.Step

    private static let chatting = ["chat", "--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified"]
    private static let listening = ["listen", "--port", "0", "--once", "--accept", "all", "--accept-unverified"]

    /// A chat of JSON, whose address others join.
    private static func host() async throws -> (tool: Tool, address: String) {
        let tool = try Tool(chatting + ["--json"], hasInput: true)
        return (tool, try await tool.address())
    }

    private static func rendered(_ text: String, columns: Int = 80, rows: Int = 24) -> FakeTerminal {
        var terminal = FakeTerminal(columns: columns, rows: rows)
        terminal.take(text)
        return terminal
    }

    @Test("Typed text stays below the output of others, and can be edited")
    func typing() async throws {
        let host = try await Self.host()
        let guest = try Terminal.start(
            Self.chatting + [host.address],
            steps: [
                Step(text: "is here", keys: "hexl"), Step(text: "hexl", keys: "\u{7F}\u{7F}"),
                Step(text: "0mhe", keys: ""),
                Step(text: "from the host"), Step(text: "0mhe", keys: "llo\n"), Step(text: "is gone", keys: "\u{4}"),
            ])
        try await eventually { !host.tool.events.all("memberConnected").isEmpty }
        // It comes when the guest has erased what it typed wrong. A half of the line was shown before that, too.
        try await eventually { guest.shown.contains(/hexl(?s:.)*0mhe$/) }
        host.tool.type("from the host")
        try await eventually { host.tool.events.all("message").first?["text"]?.string == "hello" }
        host.tool.endInput()
        #expect(await host.tool.finish().status == 0)
        let finished = await guest.finish()
        #expect(finished.status == 0 && finished.errors.contains("same mode"), "\(finished.errors)")
        let terminal = Self.rendered(finished.output)
        #expect(terminal.faults.isEmpty)
        let place = try #require(terminal.lines.firstIndex { $0.hasSuffix(": from the host") })
        #expect(terminal.lines[place + 1] == "> hello")
        #expect(!terminal.lines.contains(">"), "the prompt disappears at the end: \(terminal.lines)")
    }

    @Test(
        "The terminal gets its mode back, however the tool stops",
        arguments: [
            (Terminal.interrupt, nil, 130), ("\u{1C}", nil, 131), ("", SIGTERM, 143), ("", SIGHUP, 129),
            ("", SIGABRT, 134),
            ("", SIGSEGV, 139), ("", SIGTRAP, 133),
        ] as [(String, Int32?, Int32)])
    func restored(keys: String, signal: Int32?, status: Int32) async throws {
        let chat = try Terminal.start(Self.chatting, steps: [Step(text: "> ", keys: keys, signal: signal)])
        let finished = await chat.finish()
        #expect(finished.status == status)
        #expect(finished.errors.contains("same mode"))
    }

    @Test("Ctrl-Z restores the terminal, and the typed text is back when the tool continues")
    func stopped() async throws {
        // A job of its own, with somebody who looks after it: nobody else can be stopped from a terminal.
        let script = """
            import os, pty, signal, sys, termios, time
            (hold, go), (report, told), (wait, resume), (look, begin) = os.pipe(), os.pipe(), os.pipe(), os.pipe()
            pid, terminal = pty.fork()
            if pid == 0:
                job = os.fork()
                if job == 0:
                    os.read(hold, 1)
                    os.environ["TERM"] = "xterm"
                    os.execv(sys.argv[1], sys.argv[1:])
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.setpgid(job, job)
                os.tcsetpgrp(0, job)
                os.read(look, 1)
                os.write(go, b"x")
                os.write(told, b"stopped" if os.WIFSTOPPED(os.waitpid(job, os.WUNTRACED)[1]) else b"ended")
                os.read(wait, 1)
                os.kill(job, signal.SIGCONT)
                os._exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
            mode = termios.tcgetattr(terminal)
            os.write(begin, b"x")
            def until(text):
                seen = b""
                while text not in seen:
                    seen += os.read(terminal, 4096)
            until(b"> ")
            os.write(terminal, b"ab")
            until(b"ab")
            raw = termios.tcgetattr(terminal)
            os.write(terminal, b"\\x1a")
            said = os.read(report, 16).decode()
            stopped = termios.tcgetattr(terminal)
            os.write(resume, b"x")
            while termios.tcgetattr(terminal) != raw:
                time.sleep(0.01)
            until(b"ab")
            os.write(terminal, b"c")
            until(b"abc")
            os.write(terminal, b"\\x15\\x04")
            try:
                while os.read(terminal, 4096): pass
            except OSError: pass
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            print(said, raw != mode, stopped == mode, termios.tcgetattr(terminal) == mode, status)
            """
        let run = try await Tool.run(
            ["python3", "-c", script, Tool.multipeer] + Self.chatting, program: "/usr/bin/env")
        #expect(run.output == "stopped True True True 0\n", "\(run.errors)")
    }

    @Test("A dumb terminal gets no escapes: questions, answers and results are lines")
    func dumb() async throws {
        let listener = try Terminal.start(
            ["listen", "--port", "0", "--once", "--json", "--accept", "ask", "--accept-unverified"],
            steps: [Step(text: "[y/N]", keys: "y\n")], kind: .init(name: "dumb"))
        let connector = try await Tool.run(["connect", try await listener.address(), "--accept-unverified"])
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [0, 0])
        #expect(!finished.output.contains("\u{1B}"))
        #expect(finished.output.contains("[y/N] y\r\n"))
    }

    @Test("NO_COLOR removes the colours, and nothing else")
    func noColour() async throws {
        let host = try await Self.host()
        let guest = try Terminal.start(
            Self.chatting + [host.address],
            steps: [Step(text: "is here", keys: "hello\n"), Step(text: "> hello", keys: "\u{4}")],
            kind: .init(hasColours: false))
        let finished = await guest.finish()
        #expect(finished.status == 0)
        #expect(finished.output.contains("\u{1B}[J") && !finished.output.contains("\u{1B}[0m"))
        host.tool.endInput()
        _ = await host.tool.finish()
    }

    @Test("Each of several files has a bar and one line, on a terminal of any width", arguments: [20, 44, 80, 200])
    func bars(columns: Int) async throws {
        let scratch = try Scratch()
        let paths = try (1...3).map { try scratch.write("big\($0).bin", TransferTests.bytes(3_000_000)) }
        let listener = try Tool(Self.listening + ["--json", "--save", scratch / "in"])
        let connector = try Terminal.start(
            ["connect", try await listener.address(), "--accept-unverified"] + paths.flatMap { ["--file", $0] },
            kind: .init(columns: columns))
        let (shown, received) = (await connector.finish(), await listener.finish())
        #expect([shown.status, received.status] == [0, 0])
        let terminal = Self.rendered(shown.output, columns: columns)
        #expect(terminal.faults.isEmpty)
        let lines = terminal.lines.joined()
        for number in 1...3 { #expect(lines.contains("big\(number).bin, 2929 KiB")) }
        #expect(!lines.contains(" %"), "the bars disappear: \(terminal.lines)")
        // More than one was there at a time.
        let bars = shown.output.split(separator: "\u{1B}[J").map {
            $0.split(whereSeparator: \.isNewline).count { $0.contains(" %") }
        }
        #expect(bars.max() ?? 0 > 1)
    }

    @Test("-v shows keys and hashes, and -q only failures and messages")
    func verbosity() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("small", [1, 2, 3])
        let hash = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"
        for (option, isVerbose, isQuiet) in [("-v", true, false), ("-q", false, true), ("--match-name", false, false)] {
            let options = option.hasPrefix("--") ? [] : [option]
            let listener = try Tool(Self.listening + ["--json", "--save", scratch / "in"])
            let run = try await Tool.run(
                ["connect", try await listener.address(), "--accept-unverified", "--file", path] + options)
            let received = await listener.finish()
            #expect([run.status, received.status] == [0, 0])
            let peer = try #require(received.events.first("listening")?["peer"]?.string)
            #expect(run.output.contains(hash) == isVerbose)
            #expect(run.output.contains(peer) == isVerbose)
            #expect(run.output.contains("file sent:") == !isQuiet)
            if isQuiet { #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)") }
        }
        let failed = try await Tool.run(["connect", "127.0.0.1:1", "--accept-unverified", "-q"])
        #expect(failed.status == 69 && failed.errors.contains("remedy:") && failed.output.isEmpty)
        let both = try await Tool.run(["connect", "127.0.0.1:1", "--accept-unverified", "-q", "-v"])
        #expect(both.status == 64)
    }

    @Test("Text that the remote person types is printed as a line of a shell")
    func pastable() async throws {
        let scratch = try Scratch()
        let chat = try Tool(
            ["chat", "--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified"], hasInput: true)
        let command = try await chat.line(containing: "multipeer chat ").drop { $0 == " " }
        let address = try #require(command.split(separator: " ").last)
        let guest = try Tool(Self.chatting + [String(address)], hasInput: true)
        _ = try await guest.line(containing: "is here")
        guest.endInput()
        chat.endInput()
        #expect([await guest.finish().status, await chat.finish().status] == [0, 0])
        let odd = scratch / "it's a socket"
        let listener = try Tool(["listen", "--unix", odd, "--accept", "all", "--accept-unverified"])
        let line = try await listener.line(containing: "multipeer-lab connect ")
        let word = try #require(line.range(of: "multipeer-lab connect ")).upperBound
        let echoed = try await Tool.run(["-c", "printf '%s\\n' " + line[word...]], program: "/bin/sh")
        #expect(echoed.output.split(separator: "\n").first.map(String.init) == "unix:" + odd)
        listener.send(SIGTERM)
        _ = await listener.finish()
    }
}
