import MultipeerTestSupport

/// An example at a pseudo-terminal, with a person who types when the terminal shows what is awaited.
enum PersonAtTerminal {
    static let isAvailable = PseudoTerminal.isAvailable

    /// - Parameter kind: What kind of terminal it is; `dumb` is one that cannot redraw lines.
    static func start(
        _ program: String, _ arguments: [String], kind: String = "xterm", home: Scratch? = nil,
        steps: [PseudoTerminal.Step]
    ) throws -> Program {
        let path = Program.folder.appendingPathComponent(program).path
        return try Program(
            "/usr/bin/env",
            PseudoTerminal.arguments(
                [path] + arguments, steps: steps, kind: .init(name: kind, hasColours: false)), home: home)
    }
}
