import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerSodium
import MultipeerStorage
import MultipeerTransfers

/// Files over a bare link: what ``SessionFiles`` does, with `LinkConnection` and `FileTransfers` alone.
public final class LinkFiles: Sendable {
    private let links: BareLinks
    private let folder: ScratchFolder
    private let transfers: FileTransfers
    private let tasks: [Task<Void, Never>]

    /// Opens a link with the suite that both peers prefer, and makes a file of `length` bytes.
    public init(_ peers: Peers, length: Int) throws {
        let links = try BareLinks(peers, suite: nil)
        let folder = try ScratchFolder(fileLength: length)
        let settings = FileTransferSettings(digest: peers.crypto.bulkDigest)
        let sending = FileTransfers(over: links.sender, settings: settings)
        let receiving = FileTransfers(over: links.receiver, settings: settings)
        let sender = peers.sides[0].identity.identityKey
        tasks = [
            Task { for await event in links.sender.events { sending.report(event) } },
            Task {
                for await event in links.receiver.events {
                    receiving.report(event)
                    guard case .incomingFile(.offered(let offer)) = event else { continue }
                    // The sender hears of a failure.
                    Task { _ = try? await receiving.receive(offer, from: sender, into: folder.received) }
                }
            },
        ]
        (self.links, self.folder, transfers) = (links, folder, sending)
    }

    deinit { for task in tasks { task.cancel() } }

    /// Sends the file `count` times.
    public func run(_ count: Int) throws {
        let (transfers, folder) = (transfers, folder)
        try blocking {
            for _ in 0..<count {
                _ = try await transfers.send(try await OutgoingFile.open(folder.source))
                try folder.removeTarget()
            }
        }
    }
}
