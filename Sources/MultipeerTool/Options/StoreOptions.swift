import ArgumentParser

/// Options for the place of the identity.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder with the identity and the known peers (default: $XDG_DATA_HOME/multipeer or ~/.local/share/multipeer).",
            valueName: "dir"),
        completion: .directory)
    var store: String?

    func open() throws(CommandFailure) -> IdentityStore { try IdentityStore(directory: store) }
}
