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
    case send([UInt8])
    case offerFile(name: String, size: UInt64)
    case supply([UInt8])
    case acceptFile
    case refuseFile(FileCancel.Reason)
    case confirmFile
    case cancelFile(FileCancel.Reason)
    case close(CloseCode?)

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
        case "send": self = .send(try step.bytes("message"))
        case "offerFile":
            self = .offerFile(
                name: String(decoding: try step.bytes("name"), as: UTF8.self), size: UInt64(try step.number("size")))
        case "supply": self = .supply(try step.bytes("bytes"))
        case "acceptFile": self = .acceptFile
        case "refuseFile": self = .refuseFile(try Self.fileReason(step))
        case "confirmFile": self = .confirmFile
        case "cancelFile": self = .cancelFile(try Self.fileReason(step))
        case "close": self = .close(try Self.closeCode(step))
        default: throw .badQuestion("step.do")
        }
    }

    private static func invitation(_ step: Arguments) throws(SubjectFault) -> OutgoingInvitation {
        OutgoingInvitation(
            terms: try terms(step), session: step.has("session") ? try step.bytes("session") : nil,
            context: try step.bytes("context"), timeout: .milliseconds(try step.number("timeout")))
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
        let chain = try certificate.byteStrings("chain").map { PEMText.block("CERTIFICATE", $0) }.joined()
        let key = PEMText.block("PRIVATE KEY", try certificate.bytes("privateKey"))
        do {
            return try CertificateLoader.local(chainPEM: Array(chain.utf8).span, keyPEM: Array(key.utf8).span)
        } catch { throw .badQuestion("step.certificate: \(error)") }
    }

    private static func declineReason(_ step: Arguments) throws(SubjectFault) -> DeclineReason {
        switch try step.number("reason") {
        case 1: .declined
        case 2: .busy
        case 5: .superseded
        default: throw .badQuestion("step.reason")
        }
    }

    private static func fileReason(_ step: Arguments) throws(SubjectFault) -> FileCancel.Reason {
        guard let reason = FileCancel.Reason(rawValue: UInt8(truncatingIfNeeded: try step.number("reason"))) else {
            throw .badQuestion("step.reason")
        }
        return reason
    }

    private static func closeCode(_ step: Arguments) throws(SubjectFault) -> CloseCode? {
        guard step.has("code") else { return nil }
        let name = try step.text("code")
        for entry in CloseCode.registry where "\(entry.name)" == name { return entry.code }
        throw .badQuestion("step.code")
    }
}

/// PEM out of DER, for a loader that takes files.
enum PEMText {
    static func block(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n" + base64(der) + "-----END \(label)-----\n"
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Lines of 64 characters.
    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32((3 - part.count) * 8)
            for index in 0..<4 {
                text.append(
                    index > part.count
                        ? UInt8(ascii: "=") : alphabet[Int(word >> UInt32(18 - 6 * index) & 0x3F)])
            }
            if text.count % 65 == 64 { text.append(0x0A) }
        }
        if text.last != 0x0A { text.append(0x0A) }
        return String(decoding: text, as: UTF8.self)
    }
}
