import MultipeerTestSupport
import Testing

/// `verify` at two pseudo-terminals, and `pair`, on the loopback interface. Each test has a service of its own.
@Suite("Keys verified at terminals, SPEC §25", .enabled(if: Terminal.isAvailable), .timeLimit(.minutes(3)))
struct VerificationCommandTests {
    private typealias Step = Terminal.Step

    private let options: [String]
    private let scratch: Scratch

    init() throws {
        let label = String((0..<8).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
        options = ["--interface", "lo", "--discovery", "embedded", "--service", label]
        scratch = try Scratch()
    }

    private func store(_ name: String) -> [String] { ["--store", scratch / name, "--name", name] }

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

    @Test("Both screens show the same, both people say so, and both keys are verified; Enter alone says nothing")
    func same() async throws {
        let (statuses, shown) = try await compare(["\n", "yes\n"], ["yes\n"])
        #expect(statuses == [0, 0], "\(shown)")
        #expect(Self.string(shown[0]) != nil && Self.string(shown[0]) == Self.string(shown[1]))
        #expect(try await known("Ben") == ["string"])
        #expect(try await known("Anna") == ["string"])
    }

    @Test("One person says that they differ: both commands fail, and nobody is remembered")
    func differ() async throws {
        let (statuses, shown) = try await compare([], ["no\n"])
        #expect(statuses == [77, 77], "\(shown)")
        #expect(try await known("Ben") == [])
        #expect(try await known("Anna") == [])
    }

    @Test("Without a terminal there is nobody to compare")
    func noTerminal() async throws {
        let finished = try await Tool.run(["verify", "Ben"] + store("Anna") + options)
        #expect(finished.status == 64 && finished.errors.contains("multipeer pair"))
    }

    @Test(
        "What cannot be a code is told before anything is tried",
        arguments: ["4-tulip", "4-tulip-orbitt", "multipeer:x"])
    func noCode(text: String) async throws {
        for command in [["pair", text], ["send", "/dev/null", "--code", text]] {
            let finished = try await Tool.run(command + options)
            #expect(finished.status == 64 && finished.errors.contains(text.hasPrefix("multipeer") ? "copy" : "no code"))
        }
    }
}
