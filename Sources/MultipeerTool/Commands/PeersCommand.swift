import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerStorage

/// `multipeer peers`
struct PeersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "List, forget and rename the peers that are remembered, and say whose files are always taken.",
        discussion: """
            Keys are remembered. A name is a label: PEER is a peer ID, or a name that only one peer has. Files of a peer that are always \
            taken are those for which a person has answered "always" at multipeer receive.

            Examples:
              multipeer peers list
              multipeer peers rename Ben "Ben at work"
              multipeer peers always Ben
              multipeer peers ask Ben
              multipeer peers forget Ben
            """,
        subcommands: [ListPeers.self, ForgetPeer.self, RenamePeer.self, AlwaysPeer.self, AskPeer.self])
}

struct ListPeers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all peers that are remembered, in the order of first use.",
        discussion: """
            Examples:
              multipeer peers list
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let known = try KnownPeersAccess(store)
            let always = try await known.always()
            for peer in try await known.all() {
                output.report(KnownPeerEvent(kind: .listed, peer: peer, isAlwaysTaken: always.contains(peer.key)))
            }
            return .done
        }
    }
}

struct ForgetPeer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a peer, so that the next one under its name or at its address is new.",
        discussion: """
            Examples:
              multipeer peers forget Ben
            """)

    @Argument(help: "The peer ID, or the name.", completion: .knownPeer)
    var peer: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let known = try KnownPeersAccess(store)
            for peer in try await known.forget(peer) { output.report(KnownPeerEvent(kind: .forgotten, peer: peer)) }
            return .done
        }
    }
}

struct RenamePeer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Call a peer by a name of your own. Nobody else may come under that name, nor under the peer's.",
        discussion: """
            Examples:
              multipeer peers rename Ben "Ben at work"
              multipeer peers rename "Ben at work"
            """)

    @Argument(help: "The peer ID, or the name.", completion: .knownPeer)
    var peer: String

    @Argument(help: "The new name. Without it, the peer has its own name again.", transform: Arguments.displayName)
    var name: DisplayName?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let known = try KnownPeersAccess(store)
            for peer in try await known.rename(peer, to: name) {
                output.report(KnownPeerEvent(kind: .renamed, peer: peer))
            }
            return .done
        }
    }
}

struct AlwaysPeer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "always",
        abstract: "Take all files of a peer that is remembered, without a question of multipeer receive.",
        discussion: """
            Examples:
              multipeer peers always Ben
            """)

    @Argument(help: "The peer ID, or the name.", completion: .knownPeer)
    var peer: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let known = try KnownPeersAccess(store)
            for peer in try await known.set(peer, isAlwaysTaken: true) {
                output.report(KnownPeerEvent(kind: .always, peer: peer, isAlwaysTaken: true))
            }
            return .done
        }
    }
}

struct AskPeer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Ask again about each file of a peer whose files were always taken.",
        discussion: """
            Examples:
              multipeer peers ask Ben
            """)

    @Argument(help: "The peer ID, or the name.", completion: .knownPeer)
    var peer: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { output throws(CommandFailure) in
            let known = try KnownPeersAccess(store)
            for peer in try await known.set(peer, isAlwaysTaken: false) {
                output.report(KnownPeerEvent(kind: .asked, peer: peer, isAlwaysTaken: false))
            }
            return .done
        }
    }
}

/// The store of known peers, for commands.
struct KnownPeersAccess {
    private let file: KnownPeersFile
    private let alwaysTaken: AlwaysTakenFile

    init(_ options: StoreOptions) throws(CommandFailure) {
        let store = try options.open()
        file = KnownPeersFile(path: store.knownPeersPath)
        alwaysTaken = store.alwaysTaken
    }

    /// The peers whose files are always taken.
    func always() async throws(CommandFailure) -> Set<IdentityKey> {
        try await translating { () async throws(StorageError) in try await alwaysTaken.all() }
    }

    /// Takes files of a peer from now on, or asks about them. Returns the entries of the peer.
    func set(_ text: String, isAlwaysTaken: Bool) async throws(CommandFailure) -> [KnownPeer] {
        let key = try await key(of: text)
        return try await translating { () async throws(StorageError) in
            try await alwaysTaken.set(key, isTaken: isAlwaysTaken)
            return try await file.all().filter { $0.key == key }
        }
    }

    func all() async throws(CommandFailure) -> [KnownPeer] {
        try await translating { () async throws(StorageError) in try await file.all() }
    }

    func forget(_ text: String) async throws(CommandFailure) -> [KnownPeer] {
        let key = try await key(of: text)
        return try await translating { () async throws(StorageError) in
            try await alwaysTaken.set(key, isTaken: false)
            return try await file.forget(key)
        }
    }

    func rename(_ text: String, to label: DisplayName?) async throws(CommandFailure) -> [KnownPeer] {
        let key = try await key(of: text)
        return try await translating { () async throws(StorageError) in try await file.rename(key, to: label) }
    }

    /// The one key that a person means. A name that looks like a peer ID is one.
    private func key(of text: String) async throws(CommandFailure) -> IdentityKey {
        let peers = try await all()
        var keys: [IdentityKey] = []
        if let key = IdentityKey(text.lowercased()) {
            keys = peers.contains { $0.key == key } ? [key] : []
        } else if let name = try? DisplayName(text) {
            let meant = TypedName.meant(by: name.description, among: peers) {
                [$0.name, $0.label].compactMap { $0?.description }
            }
            for peer in meant where !keys.contains(peer.key) { keys.append(peer.key) }
        }
        guard let key = keys.first else {
            throw CommandFailure(
                "known-peers", "no peer is remembered as \(SafeText.escape(text))",
                remedy: "List the peers: multipeer peers list", .input)
        }
        guard keys.count == 1 else {
            throw CommandFailure(
                "known-peers", "\(keys.count) peers are remembered as \(SafeText.escape(text))",
                remedy: "Give one of the peer IDs: \(keys.prefix(8).map(\.description).joined(separator: ", "))", .input
            )
        }
        return key
    }

    private func translating<Value>(
        _ body: () async throws(StorageError) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(StorageError) {
            return try await body()
        } catch {
            throw CommandFailure(error)
        }
    }
}
