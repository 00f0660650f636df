import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerWire
import Testing

@testable import Multipeer

@Suite("The one error of the API for apps")
struct MultipeerErrorTests {
    private static func link(_ cause: LinkFailureCause, at stage: LinkStage = .inviting) -> MultipeerError.Cause {
        .link(LinkFailure(stage: stage, cause: cause))
    }

    @Test(
        "What the layers below report becomes a code that apps decide by",
        arguments: [
            (link(.invitation(.declinedByPeer)), .declined), (link(.invitation(.peerBusy)), .busy),
            (link(.incompatible(.refused(.busy)), at: .hello), .busy), (link(.invitation(.sessionFull)), .sessionFull),
            (link(.invitation(.noAnswer)), .timedOut), (link(.invitation(.withdrawn)), .cancelled),
            (link(.certificate(.pinMismatch), at: .certificates), .notTrusted),
            (link(.peerClosed(.certificateRejected), at: .certificates), .notTrusted),
            (link(.peerClosed(.limitExceeded), at: .identified), .limitReached),
            (link(.peerClosed(.shuttingDown)), .closed), (link(.silent, at: .open), .connectionLost),
            (link(.verification(.codeWrong), at: .pairing), .wrongCode),
            (link(.violation(.ownIdentity), at: .proof), .wrongPeer),
            (link(.violation(.decryptFailed)), .protocolViolation),
            (link(.incompatible(.noCommonSuite), at: .hello), .incompatible),
            (.unreachable(.timedOut), .timedOut), (.unreachable(.unreachable(.refused)), .unreachable),
            (.unreachable(.invalidEndpoint), .invalidArgument), (.request(.alreadyLinked), .alreadyConnected),
            (.request(.mayNotAdmit), .notAllowed), (.request(.codeUsed), .wrongCode),
            (.request(.link(.invalidInvitation)), .invalidArgument), (.request(.tooMuchUntaken), .limitReached),
            (.transfer(.cancelled(.noSpace, byPeer: true)), .storage),
            (.transfer(.cancelled(.hashMismatch, byPeer: false)), .damaged), (.transfer(.unanswered), .timedOut),
            (.transfer(.linkEnded(.failed(LinkFailure(stage: .open, cause: .truncated)))), .connectionLost),
            (.transfer(.linkEnded(nil)), .notConnected), (.messageTooLong(maximum: 4), .tooLarge),
            (.bind(.addressInUse), .cannotListen), (.discovery(.noDaemon), .discoveryUnavailable),
            (.store(.crypto(.outOfSecretMemory)), .cryptography), (.store(.noHomeDirectory), .storage),
            (.inUse, .alreadyConnected), (.notMember, .damaged),
        ] as [(MultipeerError.Cause, MultipeerError.Code)])
    func codes(cause: MultipeerError.Cause, code: MultipeerError.Code) {
        let error = MultipeerError.connection(cause)
        #expect(error.code == code)
        // Phase, reason and remedy, each once.
        #expect(!error.reason.isEmpty && !error.reason.hasSuffix("."), "\(error.reason)")
        let first = error.remedy.first
        #expect(first?.isUppercase == true || first == "`", "\(error.remedy)")
        #expect(!error.remedy.hasSuffix("."), "\(error.remedy)")
        #expect(error.description.hasSuffix("\(error.reason). \(error.remedy)"))
    }

    @Test(
        "The phase of a link that ended is how far it had come, and of other errors what the local peer was about to do"
    )
    func phases() {
        #expect(MultipeerError.connection(Self.link(.timedOut, at: .proof)).description.hasPrefix("identity proof: "))
        #expect(
            MultipeerError.verification(.notConnected).description.hasPrefix("verification: the peer is not connected"))
        #expect(MultipeerError.file(.unanswered).description.hasPrefix("file transfer: "))
    }

    @Test("What a link refuses of a stream or a message has a code of its own, and not the name of a stage")
    func streamsAndMessages() {
        #expect(MultipeerError.stream(.wrongStage(.closed)).cause == .notConnected)
        #expect(MultipeerError.stream(.unknownStream).code == .streamEnded)
        #expect(MultipeerError.stream(.tooManyStreams).code == .limitReached)
        #expect(MultipeerError.sending(.messageTooLong(maximum: 9)).reason.contains("at most 9 bytes"))
    }
}
