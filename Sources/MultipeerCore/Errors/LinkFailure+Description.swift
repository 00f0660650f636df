import MultipeerCertificates
import MultipeerCrypto
public import MultipeerWire

extension LinkFailure: CustomStringConvertible {
    /// Stage and reason, in a sentence without a full stop.
    public var description: String { "\(stage.description): \(reason)" }

    /// The reason alone, in a clause.
    public var reason: String {
        isTooManyQuestions ? "the peer does not ask its app about you so often" : cause.description
    }

    /// What a person can do about it, in a sentence without a full stop.
    public var remedy: String { isTooManyQuestions ? "wait a minute, and try again" : cause.remedy }

    /// Whether the peer has asked its app about the local peer as often as it does for now (SPEC §19).
    public var isTooManyQuestions: Bool { stage == .identified && cause == .peerClosed(.limitExceeded) }
}

extension LinkStage: CustomStringConvertible {
    public var description: String {
        switch self {
        case .hello: "negotiation"
        case .proof: "identity proof"
        case .info: "peer info"
        case .identified: "waiting for an invitation"
        case .pairing: "one-time code"
        case .resuming: "resumption"
        case .inviting, .invited: "invitation"
        case .certificates: "certificate exchange"
        case .open, .draining: "session"
        case .closing, .closed: "closing"
        }
    }
}

extension LinkFailureCause: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let error): "the peer's bytes do not decode: \(error.reason) in \(error.field)"
        case .violation(let violation): violation.description
        case .incompatible(let incompatibility): incompatibility.description
        case .certificate(let rejection): "the peer is not trusted: \(rejection.reason)"
        case .invitation(let end): end.description
        case .verification(let failure): failure.description
        case .peerClosed(let code): "the peer closed the link: \(code.meaning)"
        case .timedOut: "it took too long"
        case .silent: "nothing came from the peer for too long"
        case .truncated: "the connection ended in the middle"
        case .crypto(let failure): "cryptography failed: \(failure)"
        case .limit(let limit): limit.description
        }
    }

    var remedy: String {
        switch self {
        case .malformed, .violation(.unexpectedRecord), .violation(.unexpectedFrame), .violation(.limitExceeded),
            .violation(.illegalChoice), .violation(.policyViolation), .violation(.creditExceeded),
            .violation(.entryInvalid):
            "check that the peer runs the same version of Multipeer, and report a bug if it does"
        case .violation(.decryptFailed), .violation(.handshakeFailed), .violation(.wrongProtection),
            .violation(.proofInvalid):
            "someone may be tampering with the connection: try another network"
        case .violation(.commitmentInvalid):
            "stop: somebody tries to make the short strings equal"
        case .violation(.unexpectedIdentity):
            "another peer answers at this address: compare peer IDs with the person whom you mean"
        case .violation(.ownIdentity): "connect to another peer: this one has the same identity file"
        case .incompatible(let incompatibility): incompatibility.remedy
        case .certificate(let rejection): rejection.remedy
        case .invitation(let end): end.remedy
        case .verification(let failure): failure.remedy
        case .peerClosed(let code): code.remedy
        case .timedOut: "check that the peer is running and its user is there, or wait longer"
        case .truncated, .silent: "check the network and that the peer still runs, and try again"
        case .crypto: "report a bug with the code"
        case .limit(let limit): limit.remedy
        }
    }
}

extension LocalLimit: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noRoom: "this program has no room for the link, or needed it for another one"
        case .sendingStalled: "the peer does not take what you send"
        case .receivingStalled: "the peer does not continue what it has begun to send"
        case .messageStalled: "the peer does not continue a message, and others wait for the memory"
        case .outputWaits: "the peer asks for more answers than it takes"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .noRoom: "try again later, or allow more links"
        case .sendingStalled, .receivingStalled, .messageStalled, .outputWaits:
            "check that the peer still runs and the network works, or allow more time"
        }
    }
}

extension PeerViolation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpectedRecord(let kind): "the peer sent a record of kind \(kind) out of order"
        case .unexpectedFrame(let type): "the peer sent a frame of type \(type) that this stage does not allow"
        case .limitExceeded: "the peer sent more than is allowed"
        case .creditExceeded: "the peer sent more than it was granted"
        case .entryInvalid: "the peer sent an admission or an entry that does not verify"
        case .decryptFailed: "a record does not verify"
        case .wrongProtection: "a frame came under the wrong protection"
        case .illegalChoice: "the peer chose a version, suite or extension that was not offered"
        case .handshakeFailed: "the handshake does not verify"
        case .proofInvalid: "the peer's proof of identity does not verify"
        case .unexpectedIdentity(let key): "the peer is not the expected one but \(key)"
        case .ownIdentity: "the peer shows your own identity key"
        case .policyViolation: "the peer claims an encryption outcome that both preferences do not give"
        case .commitmentInvalid: "the peer reveals a nonce that it had not committed to"
        }
    }
}

extension Incompatibility: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noCommonVersion: "the peer speaks no version of the protocol that this program speaks"
        case .noCommonSuite: "the peer has no cipher suite that this program has"
        case .refused(.busy): "the peer is busy"
        case .refused(.unsupportedVersion): "the peer speaks another version of the protocol"
        case .refused(.unsupportedSuite): "the peer has no common cipher suite"
        case .refused(.malformedHello): "the peer did not understand the hello"
        case .refused(let code): "the peer refused with code \(code.rawValue)"
        case .unsupportedFrame(let type): "the peer needs a feature that this program lacks (frame type \(type))"
        case .unsupportedField(let error): "the peer needs a feature that this program lacks (\(error.field))"
        case .encryptionPolicy(let local, let remote):
            "encryption is \(local) here and \(remote) there, which cannot be reconciled"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .refused(.busy): "try again later"
        // One peer has `none` and the other `required`. The advice goes to the peer with `none`: a remedy never lowers
        // security.
        case .encryptionPolicy(.none, _): "allow encryption here: set it to optional"
        case .encryptionPolicy: "have the peer allow encryption: it has to set it to optional"
        case .noCommonSuite, .refused(.unsupportedSuite): "allow a cipher suite that both peers have"
        default: "have both peers use the same version of Multipeer"
        }
    }
}

extension InvitationEnd: CustomStringConvertible {
    public var description: String {
        switch self {
        case .declinedByPeer: "the peer declined"
        case .peerBusy: "the peer has no room for another session"
        case .noAnswer: "nobody answered in time"
        case .superseded: "another link to the same peer takes its place"
        case .noSession: "the peer is not in that session"
        case .sessionFull: "the peer takes no more members"
        case .declined: "the local peer declined"
        case .withdrawnByPeer: "the peer withdrew its invitation"
        case .withdrawn: "the local peer withdrew its invitation"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .declinedByPeer: "ask the remote person"
        case .declined: "nothing to do; the peer may invite again"
        case .peerBusy, .sessionFull: "try again later"
        case .noSession: "invite the peer to the session"
        case .noAnswer: "check that the remote person is there, or wait longer"
        case .superseded: "nothing to do: the other link continues"
        case .withdrawnByPeer, .withdrawn: "invite again"
        }
    }
}

extension VerificationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .codeWrong: "the two peers have different codes"
        case .codeUnavailable: "this program shows no code of that number, or another peer is trying it"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .codeWrong:
            "show a new code and type that one; if it was typed without a mistake, somebody may be between the two peers"
        case .codeUnavailable: "show a code, and type that one"
        }
    }
}

extension CloseCode {
    /// The registry's name, or the number.
    public var name: String {
        for entry in Self.registry where entry.code == self { return "\(entry.name)" }
        return "0x" + String(rawValue, radix: 16)
    }

    fileprivate var meaning: String {
        switch self {
        case .noError: "it is done"
        case .certificateRequired: "it wants a certificate"
        case .certificateRejected: "it does not trust you"
        case .certificateExpired: "your certificate is out of its validity period"
        case .unknownAuthority: "it does not know the authority of your certificate"
        case .unexpectedIdentity: "it expected another peer"
        case .verdictTimeout: "nobody judged the certificates in time"
        case .shuttingDown: "its program ends"
        case .moved: "it continues over another link"
        case .duplicateLink: "it keeps another link to you, or needed the place for another peer"
        case .limitExceeded: "you needed more of it than it gives, or made no progress for too long"
        case .silent: "it received nothing from you for too long"
        case .codeWrong: "it has another code"
        case .codeUnavailable: "it shows no code of this number, or another peer is trying it"
        case .stringsDiffer: "its person has compared the short strings, and they differ"
        default: name
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .certificateRequired: "give a certificate and its key"
        case .certificateRejected: "show a certificate, or have your key pinned, as the peer's policy asks"
        case .certificateExpired: "renew the certificate, and check the clocks of both hosts"
        case .unknownAuthority: "use a certificate of an authority that the peer trusts"
        case .unexpectedIdentity: "give the remote person your peer ID"
        case .verdictTimeout, .shuttingDown, .noError, .silent: "try again"
        case .moved: "continue over the other link"
        case .duplicateLink, .limitExceeded, .internalError: "try again later"
        case .codeWrong, .codeUnavailable: "have the peer show a new code, and type that one"
        case .stringsDiffer: "stop: somebody may be between the two peers"
        default: "check that both peers run the same version of Multipeer, and report a bug if they do"
        }
    }
}
