import Multipeer

/// Files from member to member: `Session.sendFile` until the receiver has stored it.
public final class SessionFiles: Sendable {
    private let pair: SessionPair
    private let folder: ScratchFolder
    private let taken: FilesTaken

    /// Opens a session, and makes a file of `length` bytes.
    public init(length: Int) throws {
        folder = try ScratchFolder(fileLength: length)
        pair = try SessionPair()
        taken = FilesTaken(in: pair.receiver, into: folder.received)
    }

    /// Sends the file `count` times.
    public func run(_ count: Int) throws {
        let (sender, receiver, folder) = (pair.sender, pair.receiver.peer.id, folder)
        try blocking {
            for _ in 0..<count {
                try await sender.sendFile(folder.source, to: receiver)
                try folder.removeTarget()
            }
        }
    }
}
