import ArgumentParser
import MultipeerCommandLine

/// `multipeer`: what people use.
@main
struct MultipeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "multipeer",
        abstract: "Connect nearby peers and exchange messages and files, by an open protocol.",
        discussion: """
            Exit status: 0 done, 64 usage, 66 a local file cannot be read, 69 unreachable, 75 timed out, \
            76 protocol or authentication failure, 77 refused (declined, certificate, policy). \
            docs/command-line.md lists all. What implementers need is in multipeer-lab.

            Examples:
              multipeer receive --name Ben --dir ~/Downloads
              multipeer send holiday.jpg --to Ben
              multipeer nearby --seconds 5
            """,
        version: "0.1.0",
        subcommands: [
            SendCommand.self, ReceiveCommand.self, NearbyCommand.self, ChatCommand.self, PairCommand.self,
            VerifyCommand.self, PeersCommand.self, IdentityCommand.self, DoctorCommand.self, CertificateCommand.self,
            CompletionCommand.self,
        ])

    static func main() async {
        if let command = CommandLine.arguments.dropFirst().first, laboratory.contains(command) {
            exit(withError: ValidationError("This is a command of another program: multipeer-lab \(command)"))
        }
        await Program.run(Self.self)
    }

    /// The commands of `multipeer-lab`, for those who look for them here.
    private static let laboratory = ["listen", "connect", "decode", "conformance", "vectors"]
}
