import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire

/// An event of one link, for the person or program that watches the command.
enum SessionEvent: Sendable {
    case connected(address: String?)
    case identified(PeerID)
    case invited(PeerID, ReceivedInvitation)
    case invitationAccepted(EncryptionOutcome)
    case opened(LinkSummary)
    case message([UInt8])
    case fileOffered(name: String, localName: String, size: UInt64, isAccepted: Bool)
    /// The receiver holds the first `offset` bytes from an earlier link.
    case fileResumed(FileDirection, name: String, offset: UInt64, size: UInt64)
    case fileProgress(FileProgress)
    case fileReceived(name: String, path: String, size: UInt64, Digest, isKept: Bool)
    case fileSent(name: String, path: String, size: UInt64, Digest, leftOut: Int, isKept: Bool)
    /// Something in a folder is not sent.
    case leftOut(name: String, OmittedMembers)
    case namesDiffer(FileDirection, name: String, Renaming)
    case fileFailed(FileDirection, name: String, CommandFailure)
    case streamSent(name: String, size: UInt64)
    case streamReceived(name: String, size: UInt64)
    case streamFailed(FileDirection, name: String, CommandFailure)
    case closed
}

/// The direction of a file or stream.
enum FileDirection: String, Sendable {
    case sent, received
}

/// The progress of a file.
struct FileProgress: Sendable {
    let direction: FileDirection
    /// The name. For a received file it is the one that the peer sent.
    let name: String
    let transferred: UInt64
    let size: UInt64
    /// How many bytes come in a second, if that is known.
    var bytesPerSecond: Double?
    /// How long the rest takes, if that is known.
    var timeLeft: Duration?

    /// The progress from 0 to 100. An empty file is complete at once.
    var percent: UInt64 { size == 0 ? 100 : UInt64(Double(transferred) / Double(size) * 100) }
}

extension FileProgress {
    init(_ progress: TransferProgress, _ direction: FileDirection) {
        self.init(
            direction: direction, name: progress.name, transferred: progress.transferred, size: progress.size,
            bytesPerSecond: progress.bytesPerSecond, timeLeft: progress.timeLeft)
    }
}

/// A session event with the number of its link.
struct NumberedEvent: Report {
    let event: SessionEvent
    let link: Int
    /// Whether people see the number. They do where there can be several links at a time.
    let showsNumber: Bool

    var members: [(String, JSON)] {
        let members = event.members
        return [("event", .string(members.name)), ("link", .integer(UInt64(link)))] + members.rest
    }

    var leastVerbosity: Verbosity { event.leastVerbosity }

    func details(_ palette: Palette) -> String { event.details(palette) }

    func text(_ palette: Palette) -> String {
        let text = event.text(palette)
        return showsNumber ? palette.dim("[\(link)]") + " " + text : text
    }
}
