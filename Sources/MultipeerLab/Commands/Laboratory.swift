import ArgumentParser
import MultipeerCommandLine

/// `multipeer-lab`: what implementers use.
@main
struct LaboratoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "multipeer-lab",
        abstract: "Test implementations of Multipeer: vectors, live peers, single links and captures.",
        discussion: """
            For implementers, and for scripts that need one link alone. What people use is in multipeer. The identity and the known \
            peers are those of multipeer. Exit statuses are the same as well: docs/command-line.md lists all.

            Examples:
              multipeer-lab vectors verify Vectors/v1
              multipeer-lab conformance --connect 127.0.0.1:7000
              multipeer-lab listen --port 7000 --accept all --trust-on-first-use
              multipeer-lab decode capture.bin
            """,
        version: "0.1.0",
        subcommands: [
            ListenCommand.self, ConnectCommand.self, DecodeCommand.self, ConformanceCommand.self, VectorsCommand.self,
            CompletionCommand.self,
        ])

    static func main() async { await Program.run(Self.self) }
}
