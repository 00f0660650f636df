import MultipeerTestSupport
import Testing

/// The prompt and the list are the framework's own, so both peers have a terminal.
@Suite(
    "The remote control, as processes", .enabled(if: PersonAtTerminal.isAvailable), .endsIfItHangs)
struct RemoteControlTests {
    private typealias Step = PseudoTerminal.Step

    private let tv = ownName("TV")
    private let hand = ownName("Hand")

    private func screen(_ steps: [Step], kind: String = "xterm") throws -> Program {
        try PersonAtTerminal.start("RemoteControl", ["screen", tv], kind: kind, steps: steps)
    }

    private func remote(_ steps: [Step], kind: String = "xterm") throws -> Program {
        try PersonAtTerminal.start("RemoteControl", ["remote", hand], kind: kind, steps: steps)
    }

    @Test(
        "A screen is chosen from the list, its person accepts, and small messages stream", arguments: ["xterm", "dumb"])
    func stream(kind: String) async throws {
        let screen = try screen([Step(text: "Connect with \(hand)? [y/N] ", keys: "y\n")], kind: kind)
        let remote = try remote(
            [
                Step(text: tv, keys: "\(tv)\n"), Step(text: "Done", keys: "done\n"),
                Step(text: "circle  quit", keys: "100 50\ncircle\n"),
            ], kind: kind)
        try await screen.sees("Somebody has a remote")
        try await screen.sees("A remote is connected")
        let line = try await screen.sees("Click at ")
        // Where the pointer is comes with each gesture. Moves may be dropped, and the click may not.
        let words = line.split(separator: " ")
        #expect(line.contains("Click at 100, 50 after "))
        let moves = try #require(words.dropLast().last.flatMap { Int($0) })
        #expect((1...361).contains(moves))
        #expect(!remote.shown.contains("Not sent"))
        remote.crash()
        _ = remote
    }

    @Test("A screen whose person declines is not connected, and the list can be left without one")
    func refused() async throws {
        let screen = try screen([Step(text: "Connect with \(hand)? [y/N] ", keys: "n\n")])
        // Ctrl-D.
        let remote = try remote([Step(text: tv, keys: "\(tv)\n"), Step(text: "declined", keys: "\u{4}")])
        try await remote.sees("No screen was chosen")
        #expect(await remote.ends() == 1)
        #expect(!screen.shown.contains("A remote is connected"))
    }

    @Test("Without a terminal nobody is asked: the prompt declines, the list is cancelled, and both programs say why")
    func withoutTerminal() async throws {
        let screen = try Program("RemoteControl", ["screen", tv])
        try await screen.sees("Waiting for a remote")
        let pipe = try Program("RemoteControl", ["remote", hand])
        try await pipe.sees("standard input is not a terminal")
        try await pipe.sees("No screen was chosen")
        #expect(await pipe.ends() == 1)
        let remote = try remote([Step(text: tv, keys: "\(tv)\n"), Step(text: "declined", keys: "\u{4}")])
        try await screen.sees("standard input is not a terminal")
        #expect(await remote.ends() == 1)
    }
}
