import Foundation
import MultipeerTestSupport
import Testing

/// What `--help` says, of each command and subcommand.
@Suite("Help", .endsIfItHangs)
struct HelpTests {
    private struct Command {
        let path: [String]
        let help: JSONValue

        var name: String { path.joined(separator: " ") }
        var discussion: String { help["discussion"]?.string ?? "" }
    }

    private static func commands() async throws -> [Command] {
        let dumped = try await Tool.run(["--experimental-dump-help"])
        let root = try JSONDecoder().decode(JSONValue.self, from: Data(dumped.output.utf8))
        return all(of: try #require(root["command"]), at: [])
    }

    private static func all(of help: JSONValue, at path: [String]) -> [Command] {
        let children = (help["subcommands"]?.elements ?? []).filter { $0["commandName"]?.string != "help" }
        return [Command(path: path, help: help)]
            + children.flatMap { all(of: $0, at: path + [$0["commandName"]?.string ?? "?"]) }
    }

    @Test("Each command has examples, which are commands of this tool")
    func examples() async throws {
        let commands = try await Self.commands()
        let names = Set(commands.map(\.name))
        for command in commands {
            let parts = command.discussion.split(separator: "Examples:\n", omittingEmptySubsequences: false)
            let lines = parts.count == 2 ? parts[1].split(separator: "\n") : []
            #expect(!lines.isEmpty, "\(command.name) has no examples")
            for line in lines {
                let words = line.split(separator: " ").drop { $0 != "multipeer" }.dropFirst().prefix(2).map(String.init)
                let isCommand = names.contains(words.joined(separator: " ")) || names.contains(words.first ?? "?")
                #expect(isCommand || line.contains("source <("), "\(command.name): \(line)")
            }
        }
    }

    @Test("No line is longer than the terminal, and the most important lines come first")
    func lines() async throws {
        for command in try await Self.commands() {
            let help = try await Tool.run(command.path + ["--help"], environment: ["COLUMNS": "80"])
            let lines: [Substring] = help.output.split { $0 == "\n" }
            let long = lines.filter { $0.count > 80 }.joined(separator: "\n")
            #expect(help.status == 0 && long.isEmpty, "\(command.name): \(long)")
        }
        let first = try await Self.commands().dropFirst().first { $0.path.count == 1 }
        #expect(first?.name == "send")
    }

    @Test("No sentence begins with Who or Whoever")
    func sentences() async throws {
        for command in try await Self.commands() {
            let help = try await Tool.run(command.path + ["--help"], environment: ["COLUMNS": "1000"])
            let isFound = help.output.contains(#/(^|[.:] +|\n *)Who(ever|m)? /#)
            #expect(!isFound, "\(command.name)")
        }
    }
}
