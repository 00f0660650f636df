import ArgumentParser
import MultipeerCommandLine

/// `multipeer-lab completion`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script of a shell.",
        discussion: """
            It completes commands, options, files, and addresses that this user has connected to. The Debian package installs it for \
            all three shells.

            Examples:
              source <(multipeer-lab completion bash)
              multipeer-lab completion zsh > ~/.zfunc/_multipeer-lab
              multipeer-lab completion fish > ~/.config/fish/completions/multipeer-lab.fish
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: ShellArgument

    func run() {
        print(shell.script(of: LaboratoryCommand.self, named: "multipeer-lab"))
    }
}
