import ArgumentParser

/// `multipeer completion`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script of a shell.",
        discussion: """
            It completes commands, options, files, interfaces, peers that are remembered, and addresses that this user has \
            connected to. The Debian package installs it for all three shells.

            Examples:
              source <(multipeer completion bash)
              multipeer completion zsh > ~/.zfunc/_multipeer
              multipeer completion fish > ~/.config/fish/completions/multipeer.fish
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: ShellArgument

    func run() {
        let script = MultipeerCommand.completionScript(for: shell.shell)
        print(shell == .bash ? script + "\n" + BashWords.script : script)
    }
}

/// A shell that can complete.
enum ShellArgument: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    var shell: CompletionShell {
        switch self {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
    }
}
