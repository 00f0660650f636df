import ArgumentParser
import MultipeerCommandLine

/// The option of the commands that send and receive files.
struct StallOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long a file may make no progress, in either direction (default: 60).", valueName: "seconds"),
        transform: Arguments.stallTimeout)
    var stallTimeout: Duration = .seconds(60)
}
