package import ArgumentParser
import CProcess

/// This process, as a program of the command line.
package enum Program {
    /// The name by which it was called.
    package static var name: String {
        CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map { String($0) } ?? "multipeer"
    }

    /// Runs the command, unless its arguments are not what the person wrote.
    package static func run(_ command: (some AsyncParsableCommand).Type) async {
        // It fails on no Linux that has the call; without it the program runs as it always did.
        _ = multipeer_keep_memory_private()
        guard let failure = RawArguments.failure else { return await command.main(nil) }
        let output = Output(isJSON: CommandLine.arguments.contains("--json"))
        output.fail(failure, link: nil)
        await output.finish()
        command.exit(withError: failure.status.code)
    }
}
