import MultipeerCertificates
import MultipeerCore
import MultipeerWire

/// The one mapping from the failures of a link to exit statuses.
extension ExitStatus {
    init(_ failure: LinkFailure) {
        self = Self.status(of: failure.cause)
    }

    private static func status(of cause: LinkFailureCause) -> ExitStatus {
        switch cause {
        case .malformed, .violation: .protocolFailure
        case .incompatible(let incompatibility): status(of: incompatibility)
        case .certificate(let rejection): status(of: rejection)
        case .invitation(.noAnswer): .timedOut
        case .invitation: .refused
        case .peerClosed(let code): status(of: code)
        case .timedOut: .timedOut
        case .truncated: .unreachable
        case .crypto: .software
        }
    }

    private static func status(of incompatibility: Incompatibility) -> ExitStatus {
        switch incompatibility {
        case .encryptionPolicy: .refused
        case .refused(.busy): .unreachable
        case .noCommonVersion, .noCommonSuite, .refused, .unsupportedFrame, .unsupportedField: .protocolFailure
        }
    }

    /// A certificate whose key did not sign the link is a failed authentication; all else is somebody's policy.
    private static func status(of rejection: CertificateRejection) -> ExitStatus {
        switch rejection {
        case .verdictTimeout: .timedOut
        case .bindingInvalid: .protocolFailure
        default: .refused
        }
    }

    /// What the peer said when it closed: the same status as on its own side.
    private static func status(of code: CloseCode) -> ExitStatus {
        switch code {
        case .noError, .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority,
            .duplicateLink:
            .refused
        case .handshakeTimeout, .invitationTimeout, .verdictTimeout: .timedOut
        case .shuttingDown: .unreachable
        default: .protocolFailure
        }
    }

    /// What became of a file, and on whose word.
    init(_ reason: FileCancel.Reason, byPeer: Bool) {
        self =
            switch reason {
            case .declined, .tooLarge, .cancelled: .refused
            case .storageFailed: byPeer ? .refused : .output
            case .sourceFailed: byPeer ? .refused : .input
            case .hashMismatch: .protocolFailure
            }
    }
}
