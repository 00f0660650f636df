internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// What an app of scripts asks of messages, streams and files (Vectors/README.md). Without a number the latest is meant.
enum PayloadRequest {
    case send([UInt8], tag: JSONValue?)
    case take(Int)
    case takeBack(JSONValue)
    case openStream(name: String, credit: UInt64)
    case write(UInt64?, [UInt8])
    case endStream(UInt64?)
    case resetStream(UInt64?, code: UInt64)
    case stopStream(UInt64?, code: UInt64)
    case takeStream(UInt64?, Int)
    case offerFile(OutgoingOffer)
    case supply(UInt64?, [UInt8])
    case sourceHash(UInt64?, Digest, whole: Digest)
    case sourceChanged(UInt64?)
    case acceptFile(UInt64?, Acceptance)
    case consentFile(UInt64?)
    case takeFile(UInt64?, Int)
    case refuseFile(UInt64?, FileCancel.Reason)
    case confirmFile(UInt64?)
    case cancelFile(UInt64?, FileCancel.Reason)

    /// How an app takes a file.
    struct Acceptance {
        /// How many bytes it holds, their digest, and that of the whole file.
        var held: (length: UInt64, digest: Digest, whole: Digest)?
        /// How much it takes at first; nil for what is usual.
        var credit: UInt64?
        /// Whether it looks at a manifest of `credit` bytes before it takes more.
        var looks = false
    }

    /// Nil if the step is about something else.
    init?(_ step: Arguments) throws(SubjectFault) {
        let file: UInt64? = step.has("file") ? try step.wide("file") : nil
        let stream: UInt64? = step.has("stream") ? try step.wide("stream") : nil
        switch try step.text("do") {
        case "send": self = .send(try step.filled("message"), tag: step.json["tag"])
        case "take": self = .take(try step.number("messages"))
        case "takeBack": self = .takeBack(step.json["tag"] ?? .null)
        case "openStream":
            self = .openStream(
                name: String(decoding: try step.bytes("name"), as: UTF8.self), credit: try step.wide("credit"))
        case "write": self = .write(stream, try step.filled("bytes"))
        case "endStream": self = .endStream(stream)
        case "resetStream": self = .resetStream(stream, code: try step.wide("code"))
        case "stopStream": self = .stopStream(stream, code: try step.wide("code"))
        case "takeStream": self = .takeStream(stream, try step.number("count"))
        case "offerFile": self = .offerFile(try Self.offer(step))
        case "supply": self = .supply(file, try step.filled("bytes"))
        case "sourceHash": self = .sourceHash(file, try step.digest("sha256"), whole: try step.digest("whole"))
        case "sourceChanged": self = .sourceChanged(file)
        case "acceptFile": self = .acceptFile(file, try Self.acceptance(step))
        case "consentFile": self = .consentFile(file)
        case "takeFile": self = .takeFile(file, try step.number("count"))
        case "refuseFile": self = .refuseFile(file, try Self.reason(step))
        case "confirmFile": self = .confirmFile(file)
        case "cancelFile": self = .cancelFile(file, try Self.reason(step))
        default: return nil
        }
    }

    private static func offer(_ step: Arguments) throws(SubjectFault) -> OutgoingOffer {
        let number = step.has("type") ? try step.number("type") : 0
        guard let kind = FileKind(rawValue: UInt8(truncatingIfNeeded: number)) else { throw .badQuestion("step.type") }
        return OutgoingOffer(
            name: String(decoding: try step.bytes("name"), as: UTF8.self), size: UInt64(try step.number("size")),
            tag: step.has("tag") ? try step.bytes("tag") : FileOffer.noTag, kind: kind,
            modified: step.has("modified") ? try step.wide("modified") : 0,
            manifest: step.has("manifest") ? try step.wide("manifest") : 0)
    }

    private static func acceptance(_ step: Arguments) throws(SubjectFault) -> Acceptance {
        var acceptance = Acceptance()
        if step.has("offset") {
            acceptance.held = (try step.wide("offset"), try step.digest("sha256"), try step.digest("whole"))
        }
        if step.has("credit") { acceptance.credit = try step.wide("credit") }
        acceptance.looks = step.json["looks"]?.truth == true
        return acceptance
    }

    private static func reason(_ step: Arguments) throws(SubjectFault) -> FileCancel.Reason {
        guard let reason = FileCancel.Reason(rawValue: UInt8(truncatingIfNeeded: try step.number("reason"))) else {
            throw .badQuestion("step.reason")
        }
        return reason
    }
}

extension Arguments {
    /// What follows `fill` bytes: 0x5a.
    static let filler: UInt8 = 0x5A

    /// Bytes, and `fill` more that all are alike.
    func filled(_ key: String) throws(SubjectFault) -> [UInt8] {
        let bytes = try bytes(key)
        guard has("fill") else { return bytes }
        let count = try number("fill")
        guard (0...16_777_216).contains(count) else { throw .badQuestion("\(name).fill") }
        return bytes + [UInt8](repeating: Self.filler, count: count)
    }

    fileprivate func digest(_ key: String) throws(SubjectFault) -> Digest {
        let bytes = try bytes(key)
        guard let digest = try? Digest(rawBytes: bytes) else { throw .badQuestion("\(name).\(key)") }
        return digest
    }
}

/// Stands for the hash of bytes that a script does not give.
final class GivenDigester: Digester {
    private let digest: Digest

    init(_ digest: Digest) { self.digest = digest }

    func update(_ bytes: Span<UInt8>) {}

    func finish() throws(CryptoFailure) -> Digest { digest }
}
