internal import MultipeerCertificates
internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerGnuTLS
internal import MultipeerWire

/// A step of the app in a `LinkScript`.
enum AppRequest {
    case invite(OutgoingInvitation)
    case cancelInvitation
    case accept(SessionTerms)
    case decline(DeclineReason)
    case resolve(Verdict)
    case payload(PayloadRequest)
    case verification(VerificationRequest)
    case close(CloseCode?)
    case rekey
    case useDatagrams
    case export(label: [UInt8], context: [UInt8], length: Int)

    init(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("do") {
        case "invite": self = .invite(try Self.invitation(step))
        case "cancelInvitation": self = .cancelInvitation
        case "accept": self = .accept(try Self.terms(step))
        case "decline": self = .decline(try Self.declineReason(step))
        case "resolve":
            self = .resolve(
                try step.text("verdict") == "accept"
                    ? .accepted(.unverified) : .rejected(.refusedByApplication))
        case "close": self = .close(try Self.closeCode(step))
        case "rekey": self = .rekey
        case "useDatagrams": self = .useDatagrams
        case "export":
            self = .export(
                label: try step.bytes("label"), context: try step.bytes("context"), length: try step.number("length"))
        default:
            if let request = try VerificationRequest(step) {
                self = .verification(request)
            } else if let request = try PayloadRequest(step) {
                self = .payload(request)
            } else {
                throw .badQuestion("step.do")
            }
        }
    }

    private static func invitation(_ step: Arguments) throws(SubjectFault) -> OutgoingInvitation {
        OutgoingInvitation(
            terms: try terms(step), session: try session(step), context: try step.bytes("context"),
            timeout: .milliseconds(try step.number("timeout")))
    }

    /// A new one without a charter; one that exists, or one of both, with the own chain.
    private static func session(_ step: Arguments) throws(SubjectFault) -> InvitedSession {
        guard step.has("charter") else { return .new() }
        let charter = try charter(step)
        let content = step.has("chain") ? try step.bytes("chain") : []
        guard let chain = try? Admission.chain(content.span) else { throw .badQuestion("step.chain") }
        guard step.has("sessionKind") else { return .existing(charter, chain: chain) }
        guard try step.number("sessionKind") == 2 else { throw .badQuestion("step.sessionKind") }
        return .members(charter, chain: chain)
    }

    private static func charter(_ step: Arguments) throws(SubjectFault) -> Charter {
        let bytes = try step.bytes("charter")
        guard let charter = try? Charter(encoded: bytes.span) else { throw .badQuestion("step.charter") }
        return charter
    }

    private static func terms(_ step: Arguments) throws(SubjectFault) -> SessionTerms {
        guard
            let preference = EncryptionPreference(
                rawValue: UInt8(truncatingIfNeeded: try step.number("preference")))
        else { throw .badQuestion("step.preference") }
        return SessionTerms(
            encryption: preference,
            certificate: step.has("certificate") ? try certificate(try step.object("certificate")) : nil)
    }

    /// A chain, and the leaf's key as PKCS #8.
    private static func certificate(_ certificate: Arguments) throws(SubjectFault) -> LocalCertificate {
        let chain = try certificate.byteStrings("chain").flatMap { PEM.encode(.certificate, $0) }
        let key = PEM.encode(.privateKey, try certificate.bytes("privateKey"))
        do {
            return try CertificateLoader.local(chainPEM: chain.span, keyPEM: key.span)
        } catch { throw .badQuestion("step.certificate: \(error)") }
    }

    private static func declineReason(_ step: Arguments) throws(SubjectFault) -> DeclineReason {
        switch try step.number("reason") {
        case 1: .declined
        case 2: .busy
        default: throw .badQuestion("step.reason")
        }
    }

    private static func closeCode(_ step: Arguments) throws(SubjectFault) -> CloseCode? {
        guard step.has("code") else { return nil }
        let name = try step.text("code")
        for entry in CloseCode.registry where entry.name == name { return entry.code }
        throw .badQuestion("step.code")
    }
}
