import MultipeerTestSupport

/// Runs the programs at a pseudo-terminal.
enum Terminal {
    typealias Step = PseudoTerminal.Step
    typealias Kind = PseudoTerminal.Kind

    static let isAvailable = PseudoTerminal.isAvailable
    static let interrupt = PseudoTerminal.interrupt

    /// Starts the program that has the command.
    ///
    /// - Parameter pipe: A command of the shell whose output is its standard input, in place of the terminal.
    static func start(
        _ arguments: [String], steps: [Step] = [], kind: Kind = Kind(), pipe: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Tool {
        var command = [Tool.program(of: arguments)] + arguments
        if let pipe { command = ["sh", "-c", pipe + #" | exec "$0" "$@""#] + command }
        return try Tool(
            PseudoTerminal.arguments(command, steps: steps, kind: kind), program: "/usr/bin/env",
            environment: environment)
    }
}
