import Foundation
import MultipeerTestSupport
import Testing

/// What `--help` says, of each command and subcommand of both programs.
@Suite("Help", .endsIfItHangs)
struct HelpTests {
    private static let programs = [Tool.multipeer, Tool.laboratory]

    private struct Command {
        let path: [String]
        let help: JSONValue

        var name: String { path.joined(separator: " ") }
        var discussion: String { help["discussion"]?.string ?? "" }
    }

    private static func commands(of program: String) async throws -> [Command] {
        let dumped = try await Tool.run(["--experimental-dump-help"], program: program)
        let root = try JSONDecoder().decode(JSONValue.self, from: Data(dumped.output.utf8))
        return all(of: try #require(root["command"]), at: [])
    }

    private static func all(of help: JSONValue, at path: [String]) -> [Command] {
        let children = (help["subcommands"]?.elements ?? []).filter { $0["commandName"]?.string != "help" }
        return [Command(path: path, help: help)]
            + children.flatMap { all(of: $0, at: path + [$0["commandName"]?.string ?? "?"]) }
    }

    @Test("Each command has examples, which are commands of this program", arguments: programs)
    func examples(program: String) async throws {
        let commands = try await Self.commands(of: program)
        let own = URL(fileURLWithPath: program).lastPathComponent
        let names = Set(commands.map(\.name))
        for command in commands {
            let parts = command.discussion.split(separator: "Examples:\n", omittingEmptySubsequences: false)
            let lines = parts.count == 2 ? parts[1].split(separator: "\n") : []
            #expect(!lines.isEmpty, "\(command.name) has no examples")
            for line in lines {
                let words = line.split(separator: " ").drop { $0 != own }.dropFirst().prefix(2).map(String.init)
                let isCommand = names.contains(words.joined(separator: " ")) || names.contains(words.first ?? "?")
                #expect(isCommand || line.contains("source <("), "\(command.name): \(line)")
            }
        }
    }

    @Test("No line is longer than the terminal", arguments: programs)
    func lines(program: String) async throws {
        for command in try await Self.commands(of: program) {
            let help = try await Tool.run(command.path + ["--help"], program: program, environment: ["COLUMNS": "80"])
            let lines: [Substring] = help.output.split { $0 == "\n" }
            let long = lines.filter { $0.count > 80 }.joined(separator: "\n")
            #expect(help.status == 0 && long.isEmpty, "\(command.name): \(long)")
        }
    }

    @Test("The most important commands come first, and people see none of the laboratory")
    func order() async throws {
        let commands = try await Self.commands(of: Tool.multipeer).filter { $0.path.count == 1 }.map(\.name)
        #expect(commands.first == "send")
        let laboratory = try await Self.commands(of: Tool.laboratory).filter { $0.path.count == 1 }.map(\.name)
        #expect(Set(commands).intersection(laboratory) == ["completion"])
    }

    @Test("No sentence begins with Who or Whoever", arguments: programs)
    func sentences(program: String) async throws {
        for command in try await Self.commands(of: program) {
            let help = try await Tool.run(command.path + ["--help"], program: program, environment: ["COLUMNS": "1000"])
            let isFound = help.output.contains(#/(^|[.:] +|\n *)Who(ever|m)? /#)
            #expect(!isFound, "\(command.name)")
        }
    }
}
