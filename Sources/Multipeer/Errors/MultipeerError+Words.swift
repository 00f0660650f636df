import MultipeerCore
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers

extension MultipeerError: CustomStringConvertible {
    /// Phase, reason and remedy. Text in it can come from a stranger or from the disk, so escape it for a terminal.
    public var description: String { "\(phaseText): \(reason). \(remedy)" }

    /// The phase; for a link that ended, how far the link had come.
    private var phaseText: String {
        if case .link(let failure) = cause { failure.stage.description } else { phase.rawValue }
    }

    /// What is wrong, in a clause without a full stop.
    public var reason: String {
        switch cause {
        case .cancelled: "the task was cancelled"
        case .stopped: "the session has ended"
        case .notConnected: "the peer is not connected"
        case .closed: "the peer closed the connection before anybody was connected"
        case .otherName(let peer):
            "the peer calls itself \(SafeText.escape(peer.shownName)), and not as it was advertised"
        case .link(let failure): failure.reason
        case .unreachable(let error): error.reason
        case .request(let error): error.reason
        case .messageTooLong(let maximum): "the peer accepts messages of at most \(maximum) bytes"
        case .streamEnded: "the stream has ended, or the peer reads no more of it"
        case .transfer(let error): error.reason
        case .bind(let error): error.reason
        case .discovery(let error): error.reason
        case .name(let error): error.reason
        case .store(let error): "\(error)"
        case .storage(let error): "\(error)"
        case .notRemembered(let failure): "the known peers could not be changed (\(failure))"
        case .noStore: "the identity ends with the process, and nobody would recognise it"
        case .inUse: "this peer is in that session already"
        case .foreign(let owner): "the kept session is another peer's (\(owner))"
        case .notMember: "the kept session does not make this peer a member"
        case .crypto(let failure): "cryptography failed: \(failure)"
        }
    }

    /// What a person can do, in a sentence without a full stop.
    public var remedy: String {
        switch cause {
        case .cancelled: phase == .sending ? "Send it again from a task that lives longer" : "Try again"
        case .stopped: "Begin a new session"
        case .notConnected: phase == .sending ? "Send it again when the peer is connected" : "Invite the peer first"
        case .closed: "Try again"
        case .otherName: "Look for it by that name, if it is the one that you mean"
        case .link(let failure): failure.remedy.capitalizedSentence
        case .unreachable(let error): error.remedy
        case .request(let error): error.remedy
        case .messageTooLong: "Send it as a file"
        case .streamEnded: "Open another stream"
        case .transfer(let error): error.remedy.withoutFullStop
        case .bind(let error): error.remedy
        case .discovery(let error): error.remedy
        case .name: "Choose a name of 1 to \(DisplayName.maximumLength) bytes that can be seen"
        case .store(.storage(let error)), .storage(let error): error.remedy.withoutFullStop
        case .store(.noHomeDirectory), .store(.variableIsNotText): "Name the folder of the identity"
        case .notRemembered: "Check the store, and verify again"
        case .noStore: "Load the peer from a store"
        case .inUse: "Choose another name"
        case .foreign: "Choose another name, or load the peer that has kept it"
        case .notMember: "Choose another name, and ask a member to be invited"
        case .store(.crypto), .crypto: "Check that libsodium and GnuTLS are installed"
        }
    }
}

extension String {
    /// With a capital letter at its beginning.
    fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() }

    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
