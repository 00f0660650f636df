import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage

/// `multipeer identity`
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Create, show and rename this user's identity: one key and one name.",
        discussion: """
            The commands that find peers nearby create an identity where there is none. Its name is that of the computer, with the \
            user's name where several people share the computer. Other people know it by its key, whatever it is called.

            Examples:
              multipeer identity create Ben
              multipeer identity show
              multipeer identity rename "Ben at work"
            """,
        subcommands: [CreateIdentity.self, ShowIdentity.self, RenameIdentity.self])
}

struct CreateIdentity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an identity. An existing identity is never replaced.",
        discussion: """
            Examples:
              multipeer identity create Ben
            """)

    @Argument(help: "The name that other peers see.", transform: Arguments.displayName)
    var name: DisplayName

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let store = try store.open()
            let peer = try store.create(name: name, sodium: try Cryptography.start())
            output.report(CommandEvent.identity(peer, path: store.identityPath, .created))
            return .done
        }
    }
}

struct ShowIdentity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show this user's identity: its name, and the peer ID to give to others.",
        discussion: """
            Examples:
              multipeer identity show
              multipeer identity show --json
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let store = try store.open()
            guard let identity = try store.load(sodium: try Cryptography.start()) else { throw .noIdentity(in: store) }
            output.report(CommandEvent.identity(identity.peer, path: store.identityPath, .shown))
            return .done
        }
    }
}

struct RenameIdentity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give this user's identity another name. Its key stays, so peers that know it still do.",
        discussion: """
            Programs that run already show the old name until they end.

            Examples:
              multipeer identity rename "Ben at work"
            """)

    @Argument(help: "The name that other peers see from now on.", transform: Arguments.displayName)
    var name: DisplayName

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let store = try store.open()
            guard let identity = try store.rename(to: name, sodium: try Cryptography.start()) else {
                throw .noIdentity(in: store)
            }
            output.report(CommandEvent.identity(identity.peer, path: store.identityPath, .renamed))
            return .done
        }
    }
}

extension CommandFailure {
    fileprivate static func noIdentity(in store: IdentityStore) -> CommandFailure {
        CommandFailure(
            "identity", "\(SafeText.escape(store.identityPath)): there is no identity yet",
            remedy: "Create one: multipeer identity create NAME", .input)
    }
}
