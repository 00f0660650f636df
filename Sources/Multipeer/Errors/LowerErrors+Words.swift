import MultipeerCore
import MultipeerCrypto
import MultipeerNIO

// What the errors of the layers below say to people: a reason in a clause, and a remedy in a sentence, both without a full stop.

extension DisplayNameError {
    var reason: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let count): "the name has \(count) bytes"
        case .controlCharacter: "the name has characters that cannot be seen"
        case .blank: "the name is blank"
        }
    }
}

extension ConnectError {
    var reason: String {
        switch self {
        case .invalidEndpoint: "nobody can connect to this address"
        case .resolutionFailed: "the name has no address"
        case .unreachable(.refused): "nobody listens there"
        case .unreachable(.noRoute): "there is no route to the host"
        case .unreachable(.noSuchSocket): "the socket does not exist"
        case .unreachable(.notPermitted): "the system does not allow it"
        case .unreachable(.system(let errno)): "the system reports error \(errno)"
        case .timedOut: "nothing answers"
        case .cancelled: "it was cancelled"
        }
    }

    var remedy: String {
        switch self {
        case .invalidEndpoint, .resolutionFailed: "Check the address"
        case .unreachable(.refused), .unreachable(.noSuchSocket): "Make sure that the peer listens at this port"
        case .unreachable, .timedOut: "Check the network and its firewalls"
        case .cancelled: "Try again"
        }
    }
}

extension BindError {
    var reason: String {
        switch self {
        case .invalidEndpoint: "nobody can listen at this address"
        case .resolutionFailed: "the name has no address"
        case .addressInUse: "somebody else listens there"
        case .addressUnavailable: "the address does not belong to this host"
        case .notPermitted: "the system does not allow it"
        case .noSuchFolder: "the folder of the socket does not exist"
        case .pathOccupied: "something other than a socket is at the path"
        case .system(let errno): "the system reports error \(errno)"
        }
    }

    var remedy: String {
        switch self {
        case .invalidEndpoint, .resolutionFailed: "Check the address"
        case .addressInUse: "Choose another port, or end the program that listens there"
        case .addressUnavailable: "Choose an address of this host, or 0.0.0.0 for all of them"
        case .notPermitted: "Choose a port above 1023, or a folder that this user may write"
        case .noSuchFolder: "Create the folder"
        case .pathOccupied: "Choose another path"
        case .system: "Look up the system's error number"
        }
    }
}

extension NodeRequestError {
    var reason: String {
        switch self {
        case .unknownLink: "the connection has ended"
        case .unknownSession: "the local peer is in no such session"
        case .unknownMember: "the session has no such member"
        case .notConnected: "the peer is not connected"
        case .alreadyLinked: "there is a connection to that peer, or an invitation"
        case .blocked: "the peer is blocked"
        case .mayNotAdmit: "the local peer may not admit others to the session"
        case .sessionFull: "the session is full"
        case .tooMuchUntaken: "the app has not taken what the peer sent earlier"
        case .invalidMemory: "the kept session is not valid"
        case .codeUsed: "this code has been tried already"
        case .tooManyCodes: "too many codes have been tried"
        case .tooManyComparisons: "too many short strings have been compared without a confirmation"
        case .link(let error): error.reason
        case .crypto(let failure): "cryptography failed: \(failure)"
        }
    }

    var remedy: String {
        switch self {
        case .unknownLink: "Try again"
        case .alreadyLinked: "Wait for it, or leave it first"
        case .blocked: "Lift the block"
        case .mayNotAdmit: "Ask the founder to invite"
        case .sessionFull: "Wait until somebody leaves"
        case .tooMuchUntaken: "Take the session's events"
        case .codeUsed: "Have the peer show a new code"
        case .tooManyCodes, .tooManyComparisons: "Try again later"
        case .unknownSession, .unknownMember, .notConnected, .invalidMemory: "Begin a new session, and invite again"
        case .link(let error): error.remedy
        case .crypto: "Check that libsodium and GnuTLS are installed"
        }
    }
}

extension RequestError {
    fileprivate var reason: String {
        switch self {
        case .wrongStage(let stage): "the connection is at another stage (\(stage))"
        case .staleToken: "the question was answered before, or waits no longer"
        case .invalidInvitation:
            "the context has more than 16,384 bytes, or the timeout is not within 1 ms and 10 minutes"
        case .messageTooLong(let maximum): "the peer accepts messages of at most \(maximum) bytes"
        case .tooManyFiles: "the peer takes no more files at once"
        case .invalidFile: "the file's name has not 1 to 255 bytes, or its size is out of range"
        case .unknownFile: "the file is not under way"
        case .tooManyStreams: "the peer takes no more streams at once"
        case .invalidStream: "the stream's name has more than 255 bytes"
        case .unknownStream: "the stream has ended"
        case .wrongChunkLength: "the file has not this many bytes left"
        case .invalidExport: "the label, the context or the length of the export is out of range"
        case .verificationUnavailable: "the peer knows no codes and short strings"
        case .codeTriedBefore: "a code has been tried on this connection already"
        case .comparedBefore: "short strings have been compared on this connection already"
        case .crypto(let failure): "cryptography failed: \(failure)"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .wrongStage, .staleToken, .unknownFile, .unknownStream: "Try again"
        case .invalidInvitation: "Shorten the context, or choose another timeout"
        case .messageTooLong: "Send it as a file"
        case .tooManyFiles, .tooManyStreams: "Wait until others have ended"
        case .invalidFile, .invalidStream: "Choose a shorter name"
        case .wrongChunkLength, .invalidExport: "Check the argument"
        case .verificationUnavailable: "Compare peer IDs, or have the peer use a newer version"
        case .codeTriedBefore, .comparedBefore: "Disconnect, and connect again"
        case .crypto: "Check that libsodium and GnuTLS are installed"
        }
    }
}
