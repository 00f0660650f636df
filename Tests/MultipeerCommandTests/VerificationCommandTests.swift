import Glibc
import Multipeer
import MultipeerTestSupport
import Testing

/// `verify` at two pseudo-terminals, and `pair`, on the loopback interface. Each test has a service of its own.
@Suite("Keys verified at terminals, SPEC §25", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct VerificationCommandTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private static let question = "show the same? Type yes or no: "

    /// The verification of the only known peer of a store.
    private func known(_ name: String) async throws -> [String] {
        let listed = try await Tool.run(["peers", "list", "--json", "--store", scratch / name])
        return listed.events.all("knownPeer").map { $0["verification"]?.string ?? "none" }
    }

    private static func steps(_ answers: [String]) -> [Step] { answers.map { Step(text: question, keys: $0) } }

    /// Two terminals that compare: what each person answers, time and again, and how both commands end.
    private func compare(_ bens: [String], _ annas: [String]) async throws -> (statuses: [Int32], shown: [String]) {
        let ben = try Terminal.start(
            ["verify"] + store("Ben") + options, steps: Self.steps(bens))
        try await eventually { ben.shown.contains("advertised as Ben") }
        let anna = try Terminal.start(
            ["verify", "Ben"] + store("Anna") + options, steps: Self.steps(annas))
        let (one, other) = (await ben.finish(), await anna.finish())
        return ([one.status, other.status], [one.output, other.output])
    }

    /// Digits and words as a screen shows them.
    private static func string(_ text: String) -> String? {
        text.firstMatch(of: /[0-9]{3} [0-9]{3}   [a-z]+ [a-z]+ [a-z]+/).map { String($0.output) }
    }

    @Test("Both screens show the same, both people confirm, and both keys are verified; Enter alone confirms nothing")
    func same() async throws {
        let (statuses, shown) = try await compare(["\n", "yes\n"], ["yes\n"])
        #expect(statuses == [0, 0], "\(shown)")
        #expect(Self.string(shown[0]) != nil && Self.string(shown[0]) == Self.string(shown[1]))
        #expect(try await known("Ben") == ["string"])
        #expect(try await known("Anna") == ["string"])
    }

    @Test("If one person sees a difference, both commands fail, and no key is remembered")
    func differ() async throws {
        let (statuses, shown) = try await compare([], ["no\n"])
        #expect(statuses == [77, 77], "\(shown)")
        #expect(try await known("Ben") == [])
        #expect(try await known("Anna") == [])
    }

    @Test("If one person confirms and the other then refuses, the command fails, and the confirmation is revoked")
    func takenBack() async throws {
        let ben = try Terminal.start(["verify"] + store("Ben") + options, steps: Self.steps(["yes\n"]))
        try await eventually { ben.shown.contains(/port [0-9]+/) }
        let port = try #require(ben.shown.firstMatch(of: /port ([0-9]+)/)?.1)
        let session = Multipeer.Session(of: try await Peer.temporary(named: "Anna"), trust: .everyone)
        let member = try await session.invite(Endpoint(parsing: "127.0.0.1:\(port)"), context: "verify")
        let comparison = try await session.compare(with: member.id)
        try await eventually { ben.shown.contains("Anna is verified") }
        #expect(try await known("Ben") == ["string"])
        await comparison.deny()
        let finished = await ben.finish()
        #expect(finished.status == 77, "\(finished.output)")
        #expect(finished.output.contains("does not count as verified any more"))
        #expect(try await known("Ben") == [])
        await session.leave()
    }

    @Test("In a chat, too, a confirmation is revoked once the member's person says that the strings differ")
    func takenBackInChat() async throws {
        let made = try await Tool.run(["identity", "create", "Ben", "--store", scratch / "Ben"])
        #expect(made.status == 0)
        let chat = try Tool(
            ["chat", "--json", "--stay", "--listen", "127.0.0.1:0", "--accept", "all", "--trust-on-first-use"]
                + store("Ben"), hasInput: true)
        let session = Multipeer.Session(of: try await Peer.temporary(named: "Anna"), trust: .everyone)
        let member = try await session.invite(Endpoint(parsing: try await chat.address()))
        _ = try await chat.event("memberConnected")
        chat.type("/verify Anna")
        let comparison = try await session.compare(with: member.id)
        _ = try await chat.event("comparison")
        chat.type("/same Anna")
        _ = try await chat.event("memberVerified")
        #expect(try await known("Ben") == ["string"])
        await comparison.deny()
        _ = try await chat.event("memberDisconnected")
        // What was remembered before: the key, which nobody had verified.
        try await eventually { (try? await known("Ben")) == ["none"] }
        chat.send(SIGTERM)
        #expect(await chat.finish().errors.contains("does not count as verified any more"))
        await session.leave()
    }

    @Test(
        "After a wrong code the person is asked whether to show a new one, and the new one works",
        arguments: ["receive", "pair"])
    func newCode(command: String) async throws {
        let ben = try Terminal.start(
            [command] + (command == "pair" ? [] : ["--code", "--once", "--dir", scratch / "in"]) + store("Ben")
                + options,
            steps: [Step(text: "Show a new code? [y/N] ", keys: "y\n")])
        let first = try await code(of: ben, number: 1)
        let wrong =
            String(first.prefix { $0 != "-" }) + (first.hasSuffix("-tulip-orbit") ? "-orbit-tulip" : "-tulip-orbit")
        let guess = try await type(wrong, as: "Cleo", command)
        #expect(guess.status == 77 && guess.errors.contains("new code"), "\(guess.errors)")
        let second = try await code(of: ben, number: 2)
        // Anybody can call itself Cleo, and a person that types a wrong code is rather somebody else.
        #expect(ben.shown.contains(/Cleo \(new, [0-9a-f]{8}…\) has typed a wrong code/), "\(ben.shown)")
        #expect(second != first)
        let right = try await type(second, as: "Anna", command)
        #expect(right.status == 0, "\(right.errors)")
        #expect(await ben.finish().status == 0)
        #expect(try await known("Ben") == ["code"])
        #expect(try await known("Anna") == ["code"])
    }

    @Test("A person who declines a new code gets none, and the command fails")
    func noNewCode() async throws {
        let ben = try Terminal.start(
            ["pair"] + store("Ben") + options, steps: [Step(text: "Show a new code? [y/N] ", keys: "\n")])
        let first = try await code(of: ben, number: 1)
        _ = try await type(String(first.prefix { $0 != "-" }) + "-tulip-tulip", as: "Cleo", "pair")
        let finished = await ben.finish()
        #expect(finished.status == 77 && finished.output.contains("a wrong code was typed"), "\(finished.output)")
        #expect(try await known("Ben") == [])
    }

    /// The code that a terminal shows, the first or a later one.
    private func code(of terminal: Tool, number: Int) async throws -> String {
        func shown() -> [Substring] {
            // The digits and words are between sequences that make them bold. The link has them as well.
            terminal.shown.matches(of: /code (?:\x1B\[[0-9;]*m)?([0-9]+-[a-z]+-[a-z]+)/).map(\.output.1)
        }
        try await eventually { shown().count >= number }
        return String(shown()[number - 1])
    }

    private func type(_ code: String, as name: String, _ command: String) async throws -> Tool.Finished {
        let arguments =
            command == "pair"
            ? ["pair", code] : ["send", try scratch.write("note", Array("note".utf8)), "--code", code]
        return try await Tool.run(arguments + store(name) + options)
    }

    @Test("Without a terminal there is nobody to compare")
    func noTerminal() async throws {
        let finished = try await Tool.run(["verify", "Ben"] + store("Anna") + options)
        #expect(finished.status == 64 && finished.errors.contains("multipeer pair"))
    }

    @Test(
        "Text that cannot be a code is reported before anything is tried",
        arguments: ["4-tulip", "4-tulip-orbitt", "multipeer:x"])
    func noCode(text: String) async throws {
        for command in [["pair", text], ["send", "/dev/null", "--code", text]] {
            let finished = try await Tool.run(command + options)
            #expect(finished.status == 64 && finished.errors.contains(text.hasPrefix("multipeer") ? "copy" : "no code"))
        }
    }
}
