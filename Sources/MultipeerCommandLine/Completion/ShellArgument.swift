package import ArgumentParser

/// A shell that can complete.
package enum ShellArgument: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    package var shell: CompletionShell {
        switch self {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
    }

    /// The completion script of a program.
    package func script(of command: (some ParsableCommand).Type, named name: String) -> String {
        let script = command.completionScript(for: shell)
        return self == .bash ? script + "\n" + BashWords.script(of: name) : script
    }
}
