import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

extension LinkFailure {
    /// The code that the peer receives, or nil where it receives none: the one place that maps errors to the wire (SPEC
    /// §18).
    var closeCode: CloseCode? {
        switch cause {
        case .malformed(let error): error.closeCode
        case .violation(let violation): violation.closeCode
        case .incompatible(let incompatibility): incompatibility.closeCode
        case .certificate(let rejection): rejection.closeCode
        case .timedOut: stage.timeoutCode
        case .silent: .silent
        case .crypto: .internalError
        case .limit: .limitExceeded
        case .invitation: .noError
        case .verification(let failure): failure.closeCode
        case .peerClosed: .noError
        case .truncated: nil
        }
    }
}

extension PeerViolation {
    fileprivate var closeCode: CloseCode? {
        switch self {
        case .unexpectedRecord: .unexpectedRecord
        case .unexpectedFrame: .unexpectedFrame
        case .limitExceeded: .limitExceeded
        case .creditExceeded: .creditExceeded
        case .entryInvalid: .entryInvalid
        case .decryptFailed: .decryptFailed
        case .wrongProtection: .wrongProtection
        case .proofInvalid: .proofInvalid
        case .unexpectedIdentity: .unexpectedIdentity
        case .ownIdentity: .ownIdentity
        case .policyViolation: .policyViolation
        case .commitmentInvalid: .commitmentInvalid
        // Before Split() there are no keys to say it with.
        case .illegalChoice, .handshakeFailed: nil
        }
    }
}

extension Incompatibility {
    fileprivate var closeCode: CloseCode? {
        switch self {
        case .unsupportedFrame: .unsupported
        case .unsupportedField(let error): error.closeCode
        case .encryptionPolicy: .noError
        // Said by REFUSAL, or heard by it.
        case .noCommonVersion, .noCommonSuite, .refused: nil
        }
    }
}

extension VerificationFailure {
    fileprivate var closeCode: CloseCode {
        switch self {
        case .codeWrong: .codeWrong
        case .codeUnavailable: .codeUnavailable
        }
    }
}

extension CertificateRejection {
    /// What a peer may know of its own certificate: enough for an honest one to mend it (SPEC §10.5).
    var closeCode: CloseCode {
        switch self {
        case .missing: .certificateRequired
        case .expired, .notYetValid: .certificateExpired
        case .unknownAuthority: .unknownAuthority
        case .malformed, .unsupportedKey, .weakKey, .bindingInvalid: .bindingInvalid
        case .verdictTimeout: .verdictTimeout
        case .invalidSignature, .weakSignature, .unsupportedVersion, .unknownCriticalExtension, .leafIsAuthority,
            .notAnAuthority, .pathTooLong, .nameConstraint, .keyUsage, .extendedKeyUsage, .nameMismatch,
            .nameHidden, .profileViolation, .pinMismatch, .identityChanged, .similarName, .addressChanged,
            .tooManyFirstUses, .refusedByApplication, .verifierMissing, .storeUnavailable, .storeFull:
            .certificateRejected
        }
    }
}

extension LinkStage {
    fileprivate var timeoutCode: CloseCode {
        switch self {
        case .hello, .proof, .info, .pairing, .resuming: .handshakeTimeout
        case .identified: .invitationTimeout
        case .certificates: .verdictTimeout
        case .inviting, .invited, .open, .draining, .closing, .closed: .noError
        }
    }
}
