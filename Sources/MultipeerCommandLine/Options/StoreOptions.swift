package import ArgumentParser

/// Options for the place of the identity.
package struct StoreOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "The folder with the identity and the known peers (default: $XDG_DATA_HOME/multipeer or ~/.local/share/multipeer).",
            valueName: "dir"),
        completion: .directory)
    package var store: String?

    package func open() throws(CommandFailure) -> IdentityStore { try IdentityStore(directory: store) }
}
