import MultipeerCore
import MultipeerStorage
import MultipeerWire

extension TransferError: CustomStringConvertible {
    /// Phase, reason and remedy. Text in it can come from the disk, so escape it for a terminal.
    public var description: String { "\(phase): \(reason). \(remedy)" }

    /// What failed, in two words.
    public var phase: String {
        switch self {
        case .storage: "file storage"
        case .cancelled, .unanswered, .busy, .linkEnded, .refused: "file transfer"
        }
    }

    /// What is wrong, in a clause without a full stop. Where it says "it", that is the file.
    public var reason: String {
        switch self {
        case .storage(let error): "\(error.path): \(error.reason)"
        case .cancelled(let reason, let byPeer): reason.words(byPeer: byPeer).reason
        case .unanswered: "nobody answered the peer's question about it in time"
        case .busy: "the peer ended the link or cannot take it now"
        case .linkEnded(.failed(let failure)): "the link ended before the file was complete (\(failure))"
        case .linkEnded: "the link ended before the file was complete"
        case .refused(.tooManyFiles): "the peer takes no more files at once"
        case .refused(.invalidFile): "its name has more than 255 bytes, or is not UTF-8"
        case .refused(let error): "the link does not take it (\(error))"
        }
    }

    /// What a person can do, in a sentence.
    public var remedy: String {
        switch self {
        case .storage(let error): error.remedy
        case .cancelled(let reason, let byPeer): reason.words(byPeer: byPeer).remedy
        case .unanswered: "Make sure that the remote person is there, and send it again."
        case .busy: "Send it again in a while: nobody has declined it."
        case .linkEnded: "Send it again when the peers are connected: what has arrived is kept."
        case .refused(.tooManyFiles): "Send fewer files at a time."
        case .refused(.invalidFile): "Give the file another name."
        case .refused: "Send it again. If that does not help, report a bug."
        }
    }
}

extension FileCancel.Reason {
    fileprivate func words(byPeer: Bool) -> (reason: String, remedy: String) {
        let who = byPeer ? "the peer" : "the local peer"
        return switch self {
        case .declined:
            (
                "\(who) declined it",
                byPeer ? "Ask the remote person." : "Nothing to do; the peer may offer it again."
            )
        case .cancelled: ("\(who) cancelled it", "Send it again.")
        case .storageFailed: ("\(who) could not store it", "Check disk space and permissions at the receiver.")
        case .sourceFailed:
            ("\(who) could not read it to the end", "Do not change the file while it is sent, and send it again.")
        case .hashMismatch: ("what arrived is not what was sent", "Send it again. If that does not help, report a bug.")
        case .tooLarge: ("it is too large for \(who)", "Send a smaller file.")
        case .beginningDiffers: ("what the receiver held is not the beginning of the file", "Send it again.")
        case .sourceChanged: ("it changed while it was sent", "Send it again, and do not change it meanwhile.")
        case .noSpace: ("the receiver has no room for it", "Make room at the receiver, and send it again.")
        case .noPermission: ("\(who) may not read or write it", "Check the permissions at both peers.")
        case .badManifest:
            ("the folder's list of files is wrong", "Send it again. If that does not help, report a bug.")
        case .interrupted: ("\(who) ended the link", "Send it again: what has arrived is kept.")
        case .stalled: ("it made no progress for too long", "Check the network, and send it again.")
        }
    }
}
