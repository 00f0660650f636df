import ArgumentParser
import CProcess

/// The command-line tool.
@main
struct MultipeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "multipeer",
        abstract: "Connect nearby peers and exchange messages and files, by an open protocol.",
        discussion: """
            Exit status: 0 done, 64 usage, 66 a local file cannot be read, 69 unreachable, 75 timed out, \
            76 protocol or authentication failure, 77 refused (declined, certificate, policy). \
            docs/command-line.md lists all.

            Examples:
              multipeer receive --name Ben --dir ~/Downloads
              multipeer send holiday.jpg --to Ben
              multipeer nearby --seconds 5
            """,
        version: "0.1.0",
        subcommands: [
            SendCommand.self, ReceiveCommand.self, NearbyCommand.self, ChatCommand.self, PairCommand.self,
            VerifyCommand.self, PeersCommand.self, IdentityCommand.self, DoctorCommand.self, ListenCommand.self,
            ConnectCommand.self, CertificateCommand.self, DecodeCommand.self, CompletionCommand.self,
            ConformanceCommand.self, VectorsCommand.self,
        ])

    /// Runs the command, unless its arguments are not what the person wrote.
    static func main() async {
        // It fails on no Linux that has the call; without it the tool runs as it always did.
        _ = multipeer_keep_memory_private()
        guard let failure = RawArguments.failure else { return await main(nil) }
        let output = Output(isJSON: CommandLine.arguments.contains("--json"))
        output.fail(failure, link: nil)
        await output.finish()
        exit(withError: failure.status.code)
    }
}
