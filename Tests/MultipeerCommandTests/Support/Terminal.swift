import MultipeerTestSupport

/// Runs the tool at a pseudo-terminal.
enum Terminal {
    typealias Step = PseudoTerminal.Step
    typealias Kind = PseudoTerminal.Kind

    static let isAvailable = PseudoTerminal.isAvailable
    static let interrupt = PseudoTerminal.interrupt

    /// Starts the tool.
    ///
    /// - Parameter pipe: A command of the shell whose output is the tool's standard input, in place of the terminal.
    static func start(
        _ arguments: [String], steps: [Step] = [], kind: Kind = Kind(), pipe: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Tool {
        var command = [Tool.multipeer] + arguments
        if let pipe { command = ["sh", "-c", pipe + #" | exec "$0" "$@""#] + command }
        return try Tool(
            PseudoTerminal.arguments(command, steps: steps, kind: kind), program: "/usr/bin/env",
            environment: environment)
    }
}
