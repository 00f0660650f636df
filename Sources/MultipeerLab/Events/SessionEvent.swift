import MultipeerCertificates
import MultipeerCommandLine
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
