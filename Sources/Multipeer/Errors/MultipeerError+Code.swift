import MultipeerCore
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

extension MultipeerError {
    /// What an app decides by.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The local task was cancelled, or the local peer withdrew.
        case cancelled
        /// The session or the local peer has ended.
        case stopped
        /// The peer is not connected.
        case notConnected
        /// The peer is connected already, or one of both has invited the other.
        case alreadyConnected
        /// Nothing answers at the address.
        case unreachable
        /// The peer, or its person, did not answer in time.
        case timedOut
        /// A person or an app said no.
        case declined
        /// The peer has no room now, and may have some later.
        case busy
        /// The peer ended the connection in good order before anything was agreed on.
        case closed
        /// The connection broke.
        case connectionLost
        /// One of both does not trust the other's key or certificate.
        case notTrusted
        /// Another peer answers than the one that was meant.
        case wrongPeer
        /// The one-time code is wrong, was used, or is shown no more.
        case wrongCode
        /// The peers have no version, suite or encryption policy in common.
        case incompatible
        /// A peer broke the protocol, or somebody tampers with the connection.
        case protocolViolation
        /// The app or the session's rules do not allow it.
        case notAllowed
        /// The session has as many members as it may have.
        case sessionFull
        /// A limit is reached: try again later, or with less at once.
        case limitReached
        /// The message or file is too large for the peer.
        case tooLarge
        /// The app's own argument is not valid.
        case invalidArgument
        /// The stream's direction has ended.
        case streamEnded
        /// The local peer cannot listen there.
        case cannotListen
        /// Nothing can be advertised or looked for.
        case discoveryUnavailable
        /// A file cannot be read or written, at either peer.
        case storage
        /// What was kept or transferred is not what it should be.
        case damaged
        /// Cryptography failed: a library is missing or broken.
        case cryptography
    }

    /// What an app decides by.
    public var code: Code { cause.code }
}

extension MultipeerError.Cause {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .cancelled: .cancelled
        case .stopped: .stopped
        case .notConnected: .notConnected
        case .closed: .closed
        case .otherName: .wrongPeer
        case .link(let failure): failure.isTooManyQuestions ? .limitReached : failure.cause.code
        case .unreachable(let error): error.code
        case .request(let error): error.code
        case .messageTooLong: .tooLarge
        case .streamEnded: .streamEnded
        case .transfer(let error): error.code
        case .bind: .cannotListen
        case .discovery: .discoveryUnavailable
        case .name, .noStore: .invalidArgument
        case .store(.crypto), .crypto: .cryptography
        case .store, .storage, .notRemembered: .storage
        case .inUse: .alreadyConnected
        case .foreign, .notMember: .damaged
        }
    }
}

extension ConnectError {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .invalidEndpoint: .invalidArgument
        case .resolutionFailed, .unreachable: .unreachable
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        }
    }
}

extension NodeRequestError {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .unknownLink: .closed
        case .unknownSession: .stopped
        case .unknownMember, .notConnected: .notConnected
        case .alreadyLinked: .alreadyConnected
        case .blocked, .mayNotAdmit: .notAllowed
        case .sessionFull: .sessionFull
        case .tooMuchUntaken, .tooManyCodes, .tooManyComparisons: .limitReached
        case .invalidMemory: .damaged
        case .codeUsed: .wrongCode
        case .link(let error): error.code
        case .crypto: .cryptography
        }
    }
}

extension RequestError {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .wrongStage, .staleToken: .closed
        case .invalidInvitation, .invalidFile, .invalidStream, .wrongChunkLength, .invalidExport: .invalidArgument
        case .messageTooLong: .tooLarge
        case .tooManyFiles, .tooManyStreams, .codeTriedBefore, .comparedBefore: .limitReached
        case .unknownFile, .unknownStream: .streamEnded
        case .verificationUnavailable: .incompatible
        case .crypto: .cryptography
        }
    }
}

extension TransferError {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .storage(let error): error.reason == .cancelled ? .cancelled : .storage
        case .cancelled(let reason, _): reason.code
        case .unanswered: .timedOut
        case .busy: .busy
        case .linkEnded(.failed): .connectionLost
        case .linkEnded: .notConnected
        case .refused(let error): error.code
        }
    }
}

extension FileCancel.Reason {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .declined: .declined
        case .cancelled: .cancelled
        case .interrupted: .closed
        case .stalled: .timedOut
        case .tooLarge: .tooLarge
        case .storageFailed, .sourceFailed, .noSpace, .noPermission, .sourceChanged: .storage
        case .hashMismatch, .beginningDiffers, .badManifest: .damaged
        }
    }
}

extension LinkFailureCause {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .violation(.unexpectedIdentity), .violation(.ownIdentity): .wrongPeer
        case .malformed, .violation: .protocolViolation
        case .incompatible(.refused(.busy)): .busy
        case .incompatible: .incompatible
        case .certificate: .notTrusted
        case .invitation(let end): end.code
        case .verification: .wrongCode
        case .peerClosed(let code): code.code
        case .timedOut: .timedOut
        case .silent, .truncated: .connectionLost
        case .crypto: .cryptography
        case .limit: .limitReached
        }
    }
}

extension InvitationEnd {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .declinedByPeer, .declined: .declined
        case .peerBusy: .busy
        case .noAnswer: .timedOut
        case .superseded, .noSession, .withdrawnByPeer: .closed
        case .sessionFull: .sessionFull
        case .withdrawn: .cancelled
        }
    }
}

extension CloseCode {
    fileprivate var code: MultipeerError.Code {
        switch self {
        case .noError, .shuttingDown, .duplicateLink, .moved: .closed
        case .silent: .connectionLost
        case .handshakeTimeout, .invitationTimeout, .verdictTimeout: .timedOut
        case .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority, .bindingInvalid,
            .policyViolation, .stringsDiffer:
            .notTrusted
        case .unexpectedIdentity, .ownIdentity: .wrongPeer
        case .codeWrong, .codeUnavailable: .wrongCode
        case .limitExceeded: .limitReached
        case .unsupported: .incompatible
        default: .protocolViolation
        }
    }
}
