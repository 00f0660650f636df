import ArgumentParser
import MultipeerCommandLine

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
        print(shell.script(of: MultipeerCommand.self, named: "multipeer"))
    }
}
