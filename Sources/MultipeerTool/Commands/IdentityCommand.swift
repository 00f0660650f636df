import ArgumentParser
import Multipeer
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage

/// `multipeer identity`
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Create and show this user's identity: one key and one name.",
        discussion: """
            Examples:
              multipeer identity create Ben
              multipeer identity show
            """,
        subcommands: [CreateIdentity.self, ShowIdentity.self])
}

struct CreateIdentity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an identity. An existing identity is never replaced.")

    @Argument(help: "The name that other peers see.", transform: Arguments.displayName)
    var name: DisplayName

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let store = try store.open()
            let peer = try store.create(name: name, sodium: try Cryptography.start())
            output.report(CommandEvent.identity(peer, path: store.identityPath, isNew: true))
            return .done
        }
    }
}

struct ShowIdentity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show this user's identity: its name, and the peer ID to give to others.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let store = try store.open()
            guard let identity = try store.load(sodium: try Cryptography.start()) else {
                throw CommandFailure(
                    "identity", "\(SafeText.escape(store.identityPath)): there is no identity yet",
                    remedy: "Create one: multipeer identity create NAME", .input)
            }
            output.report(CommandEvent.identity(identity.peer, path: store.identityPath, isNew: false))
            return .done
        }
    }
}
