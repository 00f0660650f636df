import MultipeerCertificates
package import MultipeerCore
package import MultipeerWire

/// The only mapping from the failures of a link to exit statuses.
extension ExitStatus {
    package init(_ failure: LinkFailure) {
        self = failure.isTooManyQuestions ? .unreachable : Self.status(of: failure.cause)
    }

    private static func status(of cause: LinkFailureCause) -> ExitStatus {
        switch cause {
        case .malformed, .violation: .protocolFailure
        case .incompatible(let incompatibility): status(of: incompatibility)
        case .certificate(let rejection): status(of: rejection)
        case .invitation(.noAnswer): .timedOut
        case .invitation, .verification: .refused
        case .peerClosed(let code): status(of: code)
        case .timedOut: .timedOut
        case .truncated, .silent: .unreachable
        case .crypto: .software
        case .limit(.noRoom): .unreachable
        case .limit: .timedOut
        }
    }

    private static func status(of incompatibility: Incompatibility) -> ExitStatus {
        switch incompatibility {
        case .encryptionPolicy: .refused
        case .refused(.busy): .unreachable
        case .noCommonVersion, .noCommonSuite, .refused, .unsupportedFrame, .unsupportedField: .protocolFailure
        }
    }

    /// Returns the status of a rejection. A certificate whose key did not sign the link is a failed authentication.
    /// Everything else is a matter of policy.
    private static func status(of rejection: CertificateRejection) -> ExitStatus {
        switch rejection {
        case .verdictTimeout: .timedOut
        case .bindingInvalid: .protocolFailure
        default: .refused
        }
    }

    /// Returns the status for the peer's close code. It is the status that the peer itself ends with.
    private static func status(of code: CloseCode) -> ExitStatus {
        switch code {
        case .noError, .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority,
            .duplicateLink, .codeWrong, .codeUnavailable, .stringsDiffer:
            .refused
        case .handshakeTimeout, .invitationTimeout, .verdictTimeout: .timedOut
        case .shuttingDown, .silent: .unreachable
        default: .protocolFailure
        }
    }

    /// Creates the status for a cancelled file, from the reason and the peer that cancelled it.
    package init(_ reason: FileCancel.Reason, byPeer: Bool) {
        self =
            switch reason {
            case .declined, .tooLarge, .cancelled: .refused
            case .storageFailed: byPeer ? .refused : .output
            case .noSpace: byPeer ? .unreachable : .output
            case .sourceFailed, .sourceChanged, .beginningDiffers: byPeer ? .refused : .input
            case .noPermission: .refused
            case .hashMismatch, .badManifest: .protocolFailure
            case .interrupted: .unreachable
            case .stalled: .timedOut
            }
    }
}
