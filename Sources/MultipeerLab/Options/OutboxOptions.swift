import ArgumentParser
import MultipeerCommandLine
import MultipeerSodium
import MultipeerStorage

/// The options for files to send, which `listen` and `connect` have in common.
struct OutboxOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file or folder to send to each peer. Repeatable. The part that a peer holds already is not sent again.",
            valueName: "path"),
        completion: .file())
    var file: [String] = []

    /// Opens the files, before the network is used, so that a wrong path is reported early.
    func outbox(_ prepared: PreparedSession, store: StoreOptions, stays: Bool) async throws(CommandFailure) -> Outbox {
        var outbox = Outbox(stays: stays)
        for path in file {
            do throws(StorageError) {
                outbox.files.append(try await OutgoingFile.open(path))
            } catch {
                throw CommandFailure(error)
            }
        }
        // Nobody recognises an identity that ends with the process.
        if !file.isEmpty, !prepared.identity.isEphemeral {
            outbox.tags = try store.open().tags(sodium: prepared.sodium)
        }
        return outbox
    }
}
